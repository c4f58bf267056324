// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sincs. One that only counts is a latch and owns no memory, so programs need not end it; one with
// values is Weft's, and beside it memory for a value of each worker, made when the first asks for
// its own.
#include "sinc.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <qthread/sinc.h>

#include <weft/sync.h>

#include "waiting.hpp"

namespace weft::qt {

namespace {

// The workers' values, each on lines of its own, the initial value behind them.
class worker_values {
 public:
  static worker_values* make(std::size_t bytes, const void* initial) noexcept {
    const std::size_t stride = (bytes + 63) / 64 * 64;
    const std::size_t count = the.workers;
    void* memory = std::aligned_alloc(64, 64 + (count + 1) * stride);
    return memory != nullptr ? new (memory) worker_values(bytes, stride, count, initial) : nullptr;
  }
  std::byte* at(std::size_t i) noexcept {
    return reinterpret_cast<std::byte*>(this) + 64 + i * stride_;
  }
  std::size_t count() const noexcept { return count_; }
  void reset() noexcept {
    for (std::size_t i = 0; i < count_; ++i) std::memcpy(at(i), at(count_), bytes_);
  }

 private:
  worker_values(std::size_t bytes, std::size_t stride, std::size_t count,
                const void* initial) noexcept
      : bytes_(bytes), stride_(stride), count_(count) {
    std::memcpy(at(count_), initial, bytes_);
    reset();
  }

  const std::size_t bytes_, stride_, count_;
};

}  // namespace

struct sinc_with_values {
  weft_sinc_t submitted;
  qt_sinc_op_f op;
  std::size_t bytes;
  std::atomic<worker_values*> own;
  std::byte* initial() noexcept { return reinterpret_cast<std::byte*>(this + 1); }

  // Null: no memory.
  worker_values* make_own() noexcept {
    worker_values* made = worker_values::make(bytes, initial());
    worker_values* there = nullptr;
    if (made == nullptr || own.compare_exchange_strong(there, made)) return made;
    std::free(made);
    return there;
  }
};

}  // namespace weft::qt

namespace {

using weft::qt::inside;
using weft::qt::inside_sinc;
using weft::qt::sinc_with_values;
using weft::qt::worker_values;

// More than Weft counts to is a caller's mistake that must not pass as fewer.
uint32_t as_count(size_t n) noexcept {
  if (n > UINT32_MAX) std::abort();
  return static_cast<uint32_t>(n);
}

// As there is no way to say so, a lack of memory ends the program, and so does a value that is
// larger than Weft's sincs take (weft_sinc_init).
sinc_with_values* make_values(size_t bytes, void const* initial, qt_sinc_op_f op,
                              size_t expect) noexcept {
  void* memory = std::malloc(sizeof(sinc_with_values) + bytes);
  if (memory == nullptr) std::abort();
  auto* made = new (memory) sinc_with_values{{}, op, bytes, nullptr};
  std::memcpy(made->initial(), initial, bytes);
  if (weft_sinc_init(&made->submitted, initial, bytes, op, as_count(expect)) != 0) std::abort();
  return made;
}

}  // namespace

void qt_sinc_init(qt_sinc_t* sinc, size_t sizeof_value, void const* initial_value, qt_sinc_op_f op,
                  size_t expect) {
  auto* s = new (sinc) inside_sinc{};
  weft_latch_init(&s->left, as_count(expect));
  if (sizeof_value != 0 && op != nullptr && initial_value != nullptr)
    s->values = make_values(sizeof_value, initial_value, op, expect);
}

qt_sinc_t* qt_sinc_create(size_t sizeof_value, void const* initial_value, qt_sinc_op_f op,
                          size_t expect) {
  auto* sinc = static_cast<qt_sinc_t*>(std::malloc(sizeof(qt_sinc_t)));
  if (sinc != nullptr) qt_sinc_init(sinc, sizeof_value, initial_value, op, expect);
  return sinc;
}

void qt_sinc_reset(qt_sinc_t* sinc, size_t expect) {
  inside_sinc& s = inside(sinc);
  if (s.values != nullptr) {
    weft_sinc_reset(&s.values->submitted, as_count(expect));
    if (worker_values* own = s.values->own.load(std::memory_order_acquire)) own->reset();
    return;
  }
  weft_latch_init(&s.left, as_count(expect));
}

void qt_sinc_fini(qt_sinc_t* sinc) {
  inside_sinc& s = inside(sinc);
  if (s.values == nullptr) return;
  weft_sinc_destroy(&s.values->submitted);
  std::free(s.values->own.load(std::memory_order_acquire));
  std::free(s.values);
  s.values = nullptr;
}

void qt_sinc_destroy(qt_sinc_t* sinc) {
  if (sinc == nullptr) return;
  qt_sinc_fini(sinc);
  std::free(sinc);
}

void qt_sinc_expect(qt_sinc_t* sinc, size_t count) {
  inside_sinc& s = inside(sinc);
  if (s.values != nullptr)
    weft_sinc_expect(&s.values->submitted, as_count(count));
  else if (weft_latch_count_up(&s.left, as_count(count)) != 0)
    std::abort();
}

void qt_sinc_resize(qt_sinc_t* sinc, size_t const diff) { qt_sinc_expect(sinc, diff); }

void qt_sinc_submit(qt_sinc_t* sinc, void const* value) {
  inside_sinc& s = inside(sinc);
  if (s.values != nullptr)
    weft_sinc_submit(&s.values->submitted, value);
  else
    weft_latch_count_down(&s.left, 1);  // last use of *sinc
}

void qt_sinc_wait(qt_sinc_t* sinc, void* target) {
  inside_sinc& s = inside(sinc);
  if (s.values != nullptr) {
    weft_sinc_t* const submitted = &s.values->submitted;
    weft::qt::wait_surely([&] { return weft_sinc_try_wait(submitted, target); },
                          [&] { return weft_sinc_wait(submitted, target); });
    worker_values* const own = s.values->own.load(std::memory_order_acquire);
    if (own != nullptr && target != nullptr)
      for (std::size_t i = 0; i < own->count(); ++i) s.values->op(target, own->at(i));
  } else {
    weft::qt::wait_surely([&] { return weft_latch_try_wait(&s.left); },
                          [&] { return weft_latch_wait(&s.left); });
  }
  weft::qt::end_where_team_is_over();
}

void* qt_sinc_tmpdata(qt_sinc_t* sinc) {
  inside_sinc& s = inside(sinc);
  const uint32_t worker = weft::qt::worker_index();
  if (s.values == nullptr || worker >= weft::qt::the.workers) return nullptr;
  worker_values* own = s.values->own.load(std::memory_order_acquire);
  if (own == nullptr) own = s.values->make_own();
  // There may be more workers since they were made.
  return own != nullptr && worker < own->count() ? own->at(worker) : nullptr;
}
