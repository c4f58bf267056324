// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting: parts are sorted in tasks, and merged in tasks, too.
#include <algorithm>
#include <memory>
#include <new>
#include <qthread/qloop.h>
#include <qthread/qutil.h>

#include <weft/task.h>

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

// Both in no certain order, the first perhaps by another worker.
template <class First, class Second>
void both(First&& first, Second&& second) noexcept {
  const auto call = [](void* f) -> void* {
    (*static_cast<std::remove_reference_t<First>*>(f))();
    return nullptr;
  };
  weft_task_t child = nullptr;
  const bool spawned = the.is_running() && weft_task_spawn(call, &first, &child) == 0;
  second();
  if (!spawned || weft_task_join(child, nullptr) != 0) first();
}

// Merges [a, a_end) and [b, b_end) to out: the middle of the longer one divides both.
template <class T>
void merge(const T* a, const T* a_end, const T* b, const T* b_end, T* out) noexcept {
  const auto na = static_cast<std::size_t>(a_end - a), nb = static_cast<std::size_t>(b_end - b);
  if (na + nb <= serial) {
    std::merge(a, a_end, b, b_end, out, before{});
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
  if (n <= serial) {
    std::sort(at, at + n, before{});
    if (into_buffer) std::copy(at, at + n, buffer);
    return;
  }
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
  if (length > serial) {
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
