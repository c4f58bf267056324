// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting: parts are sorted in tasks, and merged in tasks, too.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <new>
#include <qthread/qloop.h>
#include <qthread/qutil.h>
#include <sched.h>
#include <utility>

#include <weft/fork.h>

#include "runtime.hpp"

namespace weft::qt {

namespace {

// So many elements are sorted or merged without another task.
constexpr std::size_t serial = 8192;

// Numbers in order, and behind them what is none: a sort goes astray over NaN otherwise.
struct before {
  bool operator()(double a, double b) const noexcept { return a < b || (b != b && a == a); }
  bool operator()(aligned_t a, aligned_t b) const noexcept { return a < b; }
};

// The bits of a number, so that they stand in the order of `before`.
uint64_t key(aligned_t a) noexcept { return a; }
uint64_t key(double a) noexcept {
  const auto bits = std::bit_cast<uint64_t>(a);
  const uint64_t sign = uint64_t{1} << 63;
  const uint64_t flipped = bits ^ ((uint64_t{0} - (bits >> 63)) | sign);
  return a == a ? flipped : UINT64_MAX;
}

// Byte by byte, the lowest first: comparisons of numbers in no order cost a wrong guess every other
// time. The buffer is as long; the result is in either, as told.
template <class T>
void sort_by_bytes(T* at, std::size_t n, T* buffer, bool into_buffer) noexcept {
  constexpr unsigned bytes = 8, values = 256;
  static_assert(serial <= UINT16_MAX);
  uint16_t counts[bytes][values] = {};  // a task's stack is small
  for (std::size_t i = 0; i < n; ++i) {
    const uint64_t k = key(at[i]);
    for (unsigned b = 0; b < bytes; ++b) ++counts[b][k >> 8 * b & 0xff];
  }
  T *from = at, *to = buffer;
  for (unsigned b = 0; b < bytes; ++b) {
    uint16_t* const place = counts[b];
    if (place[key(from[0]) >> 8 * b & 0xff] == n) continue;  // all have the same
    uint16_t next = 0;
    for (unsigned v = 0; v < values; ++v)
      next = static_cast<uint16_t>(next + std::exchange(place[v], next));
    for (std::size_t i = 0; i < n; ++i) to[place[key(from[i]) >> 8 * b & 0xff]++] = from[i];
    std::swap(from, to);
  }
  T* const wanted = into_buffer ? buffer : at;
  if (from != wanted) std::copy(from, from + n, wanted);
}

// Fewer are sorted by comparison.
constexpr std::size_t least_by_bytes = 512;

// Without a branch that depends on the order of the numbers.
template <class T>
void merge_here(const T* a, const T* a_end, const T* b, const T* b_end, T* out) noexcept {
  while (a != a_end && b != b_end) {
    const bool second = before{}(*b, *a);
    const T* const least = second ? b : a;
    *out++ = *least;
    b += second;
    a += !second;
  }
  std::copy(b, b_end, std::copy(a, a_end, out));
}

// Both in no certain order, the first perhaps by another worker.
template <class First, class Second>
void both(First&& first, Second&& second) noexcept {
  const auto call = [](void* f) -> void* {
    (*static_cast<std::remove_reference_t<First>*>(f))();
    return nullptr;
  };
  weft_fork_t child;
  const bool forked = the.is_running() && weft_fork_start(&child, call, &first) == 0;
  second();
  if (!forked) first();
  // However long there is no memory to wait with.
  while (forked && weft_fork_join(&child, nullptr) == -ENOMEM) sched_yield();
}

// Merges [a, a_end) and [b, b_end) to out: the middle of the longer one divides both.
template <class T>
void merge(const T* a, const T* a_end, const T* b, const T* b_end, T* out) noexcept {
  const auto na = static_cast<std::size_t>(a_end - a), nb = static_cast<std::size_t>(b_end - b);
  if (na + nb <= serial) {
    merge_here(a, a_end, b, b_end, out);
    return;
  }
  const T* const am = na >= nb ? a + na / 2 : std::upper_bound(a, a_end, b[nb / 2], before{});
  const T* const bm = na >= nb ? std::lower_bound(b, b_end, a[na / 2], before{}) : b + nb / 2;
  both([&] { merge(a, am, b, bm, out); },
       [&] { merge(am, a_end, bm, b_end, out + (am - a) + (bm - b)); });
}

// Sorts [at, at + n); the result is there, or in the buffer. They are as long as each other.
template <class T>
void sort(T* at, std::size_t n, T* buffer, bool into_buffer) noexcept {
  if (n <= serial) return sort_by_bytes(at, n, buffer, into_buffer);
  const std::size_t half = n / 2;
  both([&] { sort(at, half, buffer, !into_buffer); },
       [&] { sort(at + half, n - half, buffer + half, !into_buffer); });
  T* const from = into_buffer ? at : buffer;
  T* const to = into_buffer ? buffer : at;
  merge(from, from + half, from + half, from + n, to);
}

template <class T>
void sort_array(T* array, std::size_t length) noexcept {
  if (length < 2) return;
  if (length >= least_by_bytes) {
    const std::unique_ptr<T[]> buffer(new (std::nothrow) T[length]);
    if (buffer != nullptr) {
      sort(array, length, buffer.get(), false);
      return;
    }
  }
  std::sort(array, array + length, before{});
}

}  // namespace

}  // namespace weft::qt

void qutil_mergesort(double* array, size_t length) { weft::qt::sort_array(array, length); }

void qutil_qsort(double* array, size_t length) { weft::qt::sort_array(array, length); }

void qutil_aligned_qsort(aligned_t* array, size_t length) { weft::qt::sort_array(array, length); }

void qt_qsort(double* array, size_t const length) { weft::qt::sort_array(array, length); }
