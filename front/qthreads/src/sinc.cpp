// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sincs. All count by a latch; one that only counts owns no memory, so programs need not end it.
// One with values has a slot for each worker, as Qthreads: each begins as the initial value, what a
// task submits is reduced into one, and a wait reduces all of them into the initial value. The
// values that tasks ask for themselves are others, for they are written without asking.
#include "sinc.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <qthread/sinc.h>
#include <sched.h>

#include <weft/sync.h>
#include <weft/task.h>

#include "group.hpp"
#include "waiting.hpp"

namespace weft::qt {

// In one block with what it has: the initial value, then the slots.
class sinc_values {
 public:
  // Null: no memory.
  static sinc_values* make(std::size_t bytes, const void* initial, qt_sinc_op_f op) noexcept {
    const std::size_t stride = (bytes + line - 1) / line * line;
    const std::size_t count = the.workers != 0 ? the.workers : 1;
    if (bytes > SIZE_MAX / 2 / (count + 1)) return nullptr;
    const std::size_t all = sizeof(sinc_values) + stride + count * (sizeof(slot) + stride);
    void* memory = std::aligned_alloc(line, all);
    return memory != nullptr ? new (memory) sinc_values(bytes, stride, count, initial, op)
                             : nullptr;
  }
  static void free(sinc_values* v) noexcept {
    if (v == nullptr) return;
    std::free(v->own_.load(std::memory_order_relaxed));
    std::free(v);
  }

  void reset() noexcept {
    for (std::size_t i = 0; i < count_; ++i) std::memcpy(at(i).value(), initial(), bytes_);
    if (std::byte* const own = own_.load(std::memory_order_acquire)) begin_own(own);
  }

  // Into the worker's slot; into another while that is in use: by a thread outside, or because the
  // operation gave way. No lock is held that could not be tried: the operation is the program's.
  void submit(const void* value) noexcept {
    const uint32_t mine = worker_index();
    const std::size_t first = mine < count_ ? mine : 0;
    for (std::size_t i = first; !submit_to(at(i), value);) {
      i = i + 1 < count_ ? i + 1 : 0;
      if (i == first && weft_task_yield() != 0) sched_yield();
    }
  }

  void collect(void* into) noexcept {
    std::memcpy(into, initial(), bytes_);
    for (std::size_t i = 0; i < count_; ++i) op_(into, at(i).value());
    std::byte* const own = own_.load(std::memory_order_acquire);
    for (std::size_t i = 0; own != nullptr && i < count_; ++i) op_(into, own + i * stride_);
  }

  // The worker's own. Null: no memory, or it has none; there may be more workers since.
  void* of_worker(uint32_t worker) noexcept {
    if (worker >= count_) return nullptr;
    std::byte* own = own_.load(std::memory_order_acquire);
    if (own == nullptr) own = make_own();
    return own != nullptr ? own + worker * stride_ : nullptr;
  }

 private:
  static constexpr std::size_t line = 64;

  struct alignas(line) slot {
    std::atomic<bool> in_use{false};
    std::byte* value() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  };

  sinc_values(std::size_t bytes, std::size_t stride, std::size_t count, const void* initial_value,
              qt_sinc_op_f op) noexcept
      : bytes_(bytes), stride_(stride), count_(count), op_(op) {
    std::memcpy(initial(), initial_value, bytes_);
    for (std::size_t i = 0; i < count_; ++i) new (place_of(i)) slot;
    reset();
  }

  std::byte* initial() noexcept { return reinterpret_cast<std::byte*>(this) + sizeof(sinc_values); }
  std::byte* place_of(std::size_t i) noexcept {
    return initial() + stride_ + i * (sizeof(slot) + stride_);
  }
  slot& at(std::size_t i) noexcept { return *std::launder(reinterpret_cast<slot*>(place_of(i))); }

  void begin_own(std::byte* own) noexcept {
    for (std::size_t i = 0; i < count_; ++i) std::memcpy(own + i * stride_, initial(), bytes_);
  }
  std::byte* make_own() noexcept {
    auto* const made = static_cast<std::byte*>(std::aligned_alloc(line, count_ * stride_));
    if (made == nullptr) return nullptr;
    begin_own(made);
    std::byte* there = nullptr;
    if (own_.compare_exchange_strong(there, made, std::memory_order_acq_rel)) return made;
    std::free(made);
    return there;
  }

  // False: somebody is in it.
  bool submit_to(slot& s, const void* value) noexcept {
    if (s.in_use.exchange(true, std::memory_order_acquire)) return false;
    op_(s.value(), value);
    s.in_use.store(false, std::memory_order_release);
    return true;
  }

  alignas(line) const std::size_t bytes_;
  const std::size_t stride_, count_;
  const qt_sinc_op_f op_;
  std::atomic<std::byte*> own_{nullptr};  // a value for each worker, once one is asked for
};

}  // namespace weft::qt

namespace {

using weft::qt::inside;
using weft::qt::inside_sinc;
using weft::qt::sinc_values;

// More than Weft counts to is a caller's mistake that must not pass as fewer.
uint32_t as_count(size_t n) noexcept {
  if (n > UINT32_MAX) std::abort();
  return static_cast<uint32_t>(n);
}

}  // namespace

void qt_sinc_init(qt_sinc_t* sinc, size_t sizeof_value, void const* initial_value, qt_sinc_op_f op,
                  size_t expect) {
  auto* s = new (sinc) inside_sinc{};
  weft_latch_init(&s->left, as_count(expect));
  if (sizeof_value == 0 || op == nullptr || initial_value == nullptr) return;
  s->values = sinc_values::make(sizeof_value, initial_value, op);
  if (s->values == nullptr) std::abort();  // there is no way to say so
}

qt_sinc_t* qt_sinc_create(size_t sizeof_value, void const* initial_value, qt_sinc_op_f op,
                          size_t expect) {
  auto* sinc = static_cast<qt_sinc_t*>(std::malloc(sizeof(qt_sinc_t)));
  if (sinc != nullptr) qt_sinc_init(sinc, sizeof_value, initial_value, op, expect);
  return sinc;
}

void qt_sinc_reset(qt_sinc_t* sinc, size_t expect) {
  inside_sinc& s = inside(sinc);
  if (s.values != nullptr) s.values->reset();
  weft_latch_init(&s.left, as_count(expect));
}

void qt_sinc_fini(qt_sinc_t* sinc) {
  inside_sinc& s = inside(sinc);
  sinc_values::free(s.values);
  s.values = nullptr;
}

void qt_sinc_destroy(qt_sinc_t* sinc) {
  if (sinc == nullptr) return;
  qt_sinc_fini(sinc);
  std::free(sinc);
}

void qt_sinc_expect(qt_sinc_t* sinc, size_t count) {
  if (weft_latch_count_up(&inside(sinc).left, as_count(count)) != 0) std::abort();
}

void qt_sinc_resize(qt_sinc_t* sinc, size_t const diff) { qt_sinc_expect(sinc, diff); }

void qt_sinc_submit(qt_sinc_t* sinc, void const* value) {
  inside_sinc& s = inside(sinc);
  if (s.values == nullptr || value == nullptr) {
    weft_latch_count_down(&s.left, 1);  // last use of *sinc
    return;
  }
  {
    const weft::qt::stays_on here;  // the operation may give way, with a slot that is in use
    s.values->submit(value);
  }
  weft_latch_count_down(&s.left, 1);  // last use of *sinc
  weft::qt::end_where_team_is_over();
}

void qt_sinc_wait(qt_sinc_t* sinc, void* target) {
  inside_sinc& s = inside(sinc);
  weft::qt::wait_surely([&] { return weft_latch_try_wait(&s.left); },
                        [&] { return weft_latch_wait(&s.left); });
  if (s.values != nullptr && target != nullptr) s.values->collect(target);
  weft::qt::end_where_team_is_over();
}

void* qt_sinc_tmpdata(qt_sinc_t* sinc) {
  sinc_values* const values = inside(sinc).values;
  return values != nullptr ? values->of_worker(weft::qt::worker_index()) : nullptr;
}
