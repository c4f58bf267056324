// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stacks of tasks: reserved, guarded, cached per worker, trimmed, found by address.
//
// One slot of the arena, addresses growing upwards (README.md has the numbers):
//
//   | guard | promised bytes        | inline reserve          | stack |  <- header, in the top page
//           ^ low                   ^ inline_floor      high  ^
//
// Invariants
//   I1  a stack is in one place only: in use, in one cache, or in one batch of the depot.
//   I2  a stack in a clean batch of the depot has no resident page but its top one.
//   I3  the header of a slot whose `made` is set stays mapped and keeps its bounds until stop().
//
// Orders
//   M1 -> F1   a chunk is published to find() with its base and sizes
//   M2 -> F2   a slot is published to find() with the bounds in its header
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "arch/context.hpp"
#include "arch/fiber_notes.hpp"
#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/owned.hpp"
#include "mem/wait_record.hpp"
#include "os/text.hpp"

namespace weft::rt {

struct task;
struct aside_call;

class stack_cache;

enum class guard_kind : std::uint8_t { automatic, madvise, mprotect, canary };

struct stack_options {
  std::size_t promised_bytes = std::size_t{64} << 10;  // what every task is promised
  std::size_t guard_bytes = std::size_t{64} << 10;     // below each stack
  guard_kind guard = guard_kind::automatic;
  unsigned cached = 64;  // stacks that each worker's cache keeps
};

// The header of one stack, at the high end of its own memory.
struct alignas(line_bytes) stack {
  stack() noexcept {}  // but for `made`

  arch::context context;    // registers while nothing runs on it        (scheduler)
  std::byte* inline_floor;  // a call may be made here while sp >= inline_floor
  std::byte* high;          // first stack pointer, aligned to 16
  owned<stack*> next;       // link of a batch in the depot              (mem)
  owned<std::uint32_t> home{
      UINT32_MAX};                  // where it may resume: sched/home.hpp; UINT32_MAX: anywhere
  owned<std::uint32_t> look_at{1};  // from so many uses on a park looks   (mem)
  owned<std::int64_t> to_look{0};   // uses before that one; below 0: overdue (mem)
  owned<std::int64_t> yielded_at{INT64_MIN};  // see yield.cpp                         (scheduler)
  owned<aside_call*> aside{nullptr};          // see switch.hpp                        (scheduler)
  wait_record waits;                          // of the task parked on it              (scheduler)

  // Parks and recyclings seen. They are counted down, so that a park takes one look at one word. A
  // stack that is recycled and never parked on counts on and on: 64 bits last.
  std::uint32_t uses() const noexcept {
    return look_at.get() - 1 - static_cast<std::uint32_t>(to_look.get());
  }
  void count_use() noexcept { to_look.set(to_look.get() - 1); }

  std::byte* low;                         // lowest usable byte; the guard lies below
  const std::uint64_t* canary = nullptr;  // canary_words words below low, or nullptr: a real guard
  stack* next_batch = nullptr;            // on the first stack of a batch in the depot
  std::uint32_t batch_count = 0;          // on the first stack of a batch in the depot
  owned<std::uint32_t> visited_uses;      // uses at the last visit of trim_idle
  owned<std::uint32_t> trimmed_uses{UINT32_MAX};  // uses when all but the top page was given back
  guard_kind guard = guard_kind::automatic;       // which guard it got
  // find() may look at this header. A new stack leaves it alone: its memory is zero, and find()
  // reads it already.
  union {
    atomic<bool> made;
  };
  std::int64_t batch_since_ns = 0;  // likewise: when a dirty batch was given
  [[no_unique_address]] notes::stack_note note;
  [[no_unique_address]] notes::flow_note loop_flow;
};

inline constexpr unsigned canary_words = 8;
inline constexpr std::uint64_t canary_value = 0x5745'4654'c0de'dead;  // "WEFT", and no pointer

class stack_pool {
 public:
  stack_pool() noexcept = default;
  ~stack_pool() { stop(); }
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;

  // Reserves the first chunk and finds out which guard works.
  // Returns 0, -EINVAL (a size is 0 or overflows), -ENOMEM, -ENOTSUP (the guard asked for).
  [[nodiscard]] int start(const stack_options& options) noexcept;

  // Unmaps every stack, in use or not. All caches have been detached. Nothing to do twice.
  void stop() noexcept;

  // The stack to which an address belongs: in its guard, its memory or its header. nullptr: none.
  // Async-signal-safe; any thread.
  stack* find(const void* address) const noexcept;

  // Whether the address lies in the guard below that stack. Async-signal-safe.
  bool in_guard(const stack& s, const void* address) const noexcept;
  // The stack past whose high end the address lies, in the guard of the next one, while the stack
  // pointer is on it; nullptr: it is not so. Its header may be overwritten: only its address is
  // good. Async-signal-safe.
  const stack* overrun(const void* address, const void* stack_pointer) const noexcept;
  // Whether a stack pointer may be one that started on s: in s, or at most one slot below it.
  bool is_near(const stack& s, const void* stack_pointer) const noexcept;

  // Calls look(stack) for each that was made, in use or not. Any thread; stacks may be made
  // meanwhile.
  template <class Look>
  void for_each(Look&& look) const {
    const std::uint32_t count = chunk_count_.load_acquire();  // F1 <- M1
    for (std::uint32_t c = 0; c < count; ++c) {
      const std::uint32_t taken = taken_of(c);
      for (std::uint32_t i = 0; i < taken; ++i) {
        const stack& s = *header_of_slot(chunks_[c], i);
        if (s.made.load_acquire()) look(s);  // F2 <- M2
      }
    }
  }

  // Stacks in use now: exact while nothing runs.
  std::uint64_t live() const noexcept;
  // Stacks made so far.
  std::uint64_t made() const noexcept { return made_.load_relaxed(); }  // count: statistics

  // Gives back pages of stacks that have lain in the depot for idle_age_ns; at most one batch.
  // stack_cache::trim_idle() does this too.
  void trim_idle(std::int64_t now_ns) noexcept;

  static constexpr std::int64_t idle_age_ns = 1'000'000;
  // So many stacks of the depot may keep more than their top page.
  static constexpr std::uint32_t dirty_limit = 512;

  // One sentence for WEFT_INFO: which guard, of how many stacks so far, and why. Valid until the
  // next call.
  const char* guard_text() noexcept;

  const stack_options& options() const noexcept { return options_; }

 private:
  friend class stack_cache;

  // Written once, before chunk_count_ covers it; `taken` under mutex_.
  struct chunk {
    std::byte* base;    // of the mapping
    std::size_t bytes;  // of the mapping
    std::byte* slots;   // the first slot
    std::uint32_t slot_count;
    std::uint32_t taken;  // slots claimed so far
  };
  struct slot_range {
    std::byte* first = nullptr;
    std::uint32_t index = 0;  // of the first, in its chunk
    std::uint32_t count = 0;
  };
  struct batch {
    stack* first = nullptr;  // a chain through next
    std::uint32_t count = 0;
  };

  static constexpr std::uint32_t max_chunks = 65'536;

  // What caches call. A batch of count 0: no memory.
  batch take_batch() noexcept;
  void give_batch(const batch& stacks) noexcept;  // trims those that are due
  void enlist(stack_cache& cache) noexcept;
  void delist(stack_cache& cache) noexcept;
  std::uint32_t batch_size() const noexcept;

  batch claim_and_make(std::uint32_t wanted) noexcept;
  batch make_all(const slot_range& range) noexcept;
  batch take_used() noexcept;  // of the depot; or none
  slot_range claim(std::uint32_t wanted) noexcept;
  slot_range claim_slots(std::uint32_t wanted) noexcept;  // under mutex_
  bool add_chunk() noexcept;                              // under mutex_
  void release_chunk(const chunk& c) noexcept;
  stack* make_one(std::byte* slot, std::uint32_t index) noexcept;
  slot_range slot_of(const void* address) const noexcept;  // of count 0: none
  std::byte* header_of(std::byte* slot, std::uint32_t index) const noexcept;
  const stack* header_of_slot(const chunk& c, std::uint32_t index) const noexcept;
  std::uint32_t taken_of(std::uint32_t chunk_index) const noexcept;
  guard_kind install_guard(std::byte* slot) noexcept;
  bool protect_within_budget(std::byte* slot) noexcept;
  void push_depot(const batch& stacks, bool dirty) noexcept;  // under mutex_
  batch pop_depot(bool dirty) noexcept;                       // under mutex_

  stack_options options_;       // sizes rounded up to pages
  std::size_t slot_bytes_ = 0;  // 0: not started
  chunk* chunks_ = nullptr;     // max_chunks places, reserved
  atomic<std::uint32_t> chunk_count_{0};

  atomic<std::uint64_t> made_{0};
  atomic<std::uint64_t> guarded_[4];    // stacks by guard_kind
  atomic<std::uint32_t> protected_{0};  // attempts, so that the budget is never exceeded
  atomic<std::uint32_t> in_dirty_{0};   // stacks in batches of dirty_; written under mutex_

  mutable std::mutex mutex_;  // all that follows
  std::uint32_t next_chunk_slots_ = 0;
  stack* clean_ = nullptr;  // depot: batches whose stacks keep their top page only
  stack* dirty_ = nullptr;  // depot: batches with stacks that may keep more
  std::uint64_t in_depot_ = 0;
  stack_cache* caches_ = nullptr;
  guard_kind first_guard_ = guard_kind::automatic;  // of the slot that was tried at the start
  os::text text_;
};

// Gives back what is resident below the page of `sp` (and of the red zone under it). May be called
// on s itself: it keeps its own frames too.
WEFT_COLD void trim_stack(stack& s, std::byte* sp) noexcept;

// Reports and aborts if something wrote below a stack that has no better guard.
WEFT_COLD void check_canary(const stack& s) noexcept;

// What a park that is due does: trims the stack, and says when the next one is. A stack with a
// canary is due each time.
WEFT_COLD void look_at_park(stack& s, std::byte* sp) noexcept;

// The same in two steps: a park is counted, and it is asked whether it is due.
WEFT_ALWAYS_INLINE bool count_park(stack& s) noexcept {
  s.count_use();
  return __builtin_expect(s.to_look.get() < 0, 0);  // recyclings count too
}
// A task parks on s with this stack pointer. Seldom (uses 1, 2, 4 ... 1024, then each 1024th) looks
// whether pages well below sp are resident, and gives them back.
WEFT_ALWAYS_INLINE void note_park(stack& s, std::byte* sp) noexcept {
  if (count_park(s)) look_at_park(s, sp);
}

// The stacks that one worker keeps at hand. Only its worker calls it (tasks on it take turns).
class stack_cache {
 public:
  stack_cache() noexcept = default;
  ~stack_cache() { detach(); }
  stack_cache(const stack_cache&) = delete;
  stack_cache& operator=(const stack_cache&) = delete;

  void attach(stack_pool& pool) noexcept;
  // Gives all stacks back to the pool's depot. Nothing to do twice.
  void detach() noexcept;

  // By who gives the worker a thread: the worker's first get() will not fail. Where nobody has used
  // a stack before, that takes address space and touches none of it: the worker itself does, where
  // it runs. False: no memory.
  [[nodiscard]] bool reserve() noexcept;

  // A stack nobody uses, or nullptr: no memory.
  WEFT_ALWAYS_INLINE stack* get() noexcept {
    const std::uint32_t n = count_.load_relaxed();  // own: the worker's
    if (__builtin_expect(n == 0, 0)) return refill();
    count_.store_relaxed(n - 1);  // own: the worker's
    return stacks_.get()[n - 1].get();
  }

  // Takes back a stack that nothing runs on and nothing will resume.
  WEFT_ALWAYS_INLINE void put(stack* s) noexcept {
    s->count_use();
    if (__builtin_expect(s->canary != nullptr, 0)) check_canary(*s);
    notes::forget(s->low, s->high);
    const std::uint32_t n = count_.load_relaxed();  // own: the worker's
    if (__builtin_expect(n >= capacity_.get(), 0)) return overflow(s);
    stacks_.get()[n].set(s);
    count_.store_relaxed(n + 1);  // own: the worker's
  }

  // A worker is about to idle: gives back pages of stacks here and in the depot that were not used
  // since it last looked, idle_age_ns or longer ago. At most idle_visits stacks and a batch a call.
  void trim_idle() noexcept;
  void trim_idle(std::int64_t now_ns) noexcept;

  static constexpr std::uint32_t idle_visits = 8;

 private:
  friend class stack_pool;

  WEFT_COLD stack* refill() noexcept;
  WEFT_COLD void overflow(stack* s) noexcept;
  void give_oldest(std::uint32_t wanted) noexcept;
  void keep(const stack_pool::batch& given, std::uint32_t most) noexcept;
  stack_pool::batch make_reserved() noexcept;

  owned<owned<stack*>*> stacks_;    // capacity_ entries, but at least one; the hottest is the last
  atomic<std::uint32_t> count_{0};  // the worker writes, live() reads
  owned<std::uint32_t> capacity_;
  owned<std::uint32_t> next_visit_;
  owned<std::int64_t> last_look_ns_{INT64_MIN / 2};
  owned<stack_pool*> pool_;
  owned<stack*> one_;                 // the entry of a cache that keeps none, for reserve()
  owned<std::byte*> reserved_first_;  // slots whose stacks are not made yet
  owned<std::uint32_t> reserved_index_;
  owned<std::uint32_t> reserved_count_;
  stack_cache* next_cache_ = nullptr;  // under the pool's mutex
};

}  // namespace weft::rt
