// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counting semaphore: a post gives its units to those who wait, in their order; the rest it
// leaves.
//
// Zero is a semaphore of no units. The word's state is the number of units. While somebody waits
// there are none, so no one overtakes a waiter.
#pragma once

#include <cerrno>
#include <cstdint>

#include "arch/cpu.hpp"
#include "base/attributes.hpp"
#include "sync/lone_queue.hpp"
#include "sync/passage.hpp"
#include "sync/queue_word.hpp"
#include "sync/wake_chain.hpp"

namespace weft::rt {

class semaphore {
 public:
  static constexpr uint64_t most = INT32_MAX;

  semaphore() noexcept = default;
  explicit semaphore(uint32_t units) noexcept : word_(units * unit) {}

  uint64_t units() const noexcept { return word_.look() / unit; }

  // Takes a unit if there is one and nobody is in the way; else try_take() is to be asked, or
  // take_slow().
  WEFT_ALWAYS_INLINE bool take_at_once() noexcept {
    uint64_t seen = word_.guess();
    return seen >= unit && (seen & queue_word::closed) == 0 && word_.change(seen, seen - unit);
  }
  WEFT_ALWAYS_INLINE bool try_take() noexcept {
    uint64_t seen = word_.guess();
    while (seen >= unit) {
      if ((seen & queue_word::closed) != 0) return try_take_slow();
      if (word_.change(seen, seen - unit)) return true;
    }
    return false;
  }

  // Waits; there was nothing to take. 0, -ETIMEDOUT, -ENOMEM, -EPERM (a stackless task).
  template <class Wait = wait, class Queue = closed_queue>
  WEFT_NOINLINE int take_slow(int64_t deadline_ns, void* site) noexcept {
    Wait w("semaphore", this, site);
    return wait_to_pass<Wait, Queue>(word_, queue_, w, deadline_ns, take_unit);
  }
  // The same without a deadline.
  template <class Wait = wait, class Queue = closed_queue>
  WEFT_NOINLINE int take_slow(void* site) noexcept {
    const auto me = Wait::usual_here();
    if (!me) [[unlikely]]
      return take_slow<Wait, Queue>(INT64_MAX, site);
    return wait_to_pass<Wait, Queue>(word_, queue_, me, {"semaphore", this, site}, take_unit);
  }

  // For select. False: there is a unit, and n stands nowhere.
  bool stand(waiter& n) noexcept {
    return stand_unless(word_, queue_, n, [](uint64_t word) { return word >= unit; });
  }
  void leave(waiter& n) noexcept { leave_queue(word_, queue_, n); }

  // 0 or -EOVERFLOW. The last use of *this is before anybody can know.
  template <class Wait = wait>
  WEFT_ALWAYS_INLINE int post(uint64_t units) noexcept {
    arch::prefetch_to_write(this);  // once, and not first to read
    uint64_t seen = word_.guess();
    if ((seen & queue_word::busy) != 0)
      return units == 1 ? post_one<Wait>() : post_slow<Wait>(units);
    do {
      if (units > most - seen / unit) return -EOVERFLOW;
      if (word_.give(seen, seen + units * unit)) return 0;
    } while ((seen & queue_word::busy) == 0);
    return post_slow<Wait>(units);
  }

 private:
  static constexpr uint64_t unit = uint64_t{1} << queue_word::state_shift;

  static WEFT_ALWAYS_INLINE bool take_unit(uint64_t& word) noexcept {
    const bool any = word >= unit;
    if (any) word -= unit;
    return any;
  }

  WEFT_COLD bool try_take_slow() noexcept {
    const uint64_t seen = word_.close();
    const bool any = seen >= unit;
    word_.open(any ? seen - unit : seen);
    return any;
  }

  // A unit to the first who waits, if that is a task and nothing else can end its wait.
  template <class Wait>
  WEFT_NOINLINE int post_one() noexcept {
    const uint64_t seen = word_.close();
    if (const auto lone = queue_.take_lone()) [[likely]] {
      word_.open(seen & ~queue_word::waiting);  // last use of *this
      Wait::wake_sole(lone);
      return 0;
    }
    waiter* const first = queue_.first();
    if (first == nullptr) [[unlikely]] {
      word_.open(seen);
      return post_slow<Wait>(1);
    }
    arch::prefetch_to_write(first);  // it is written below, and may be another processor's
    const auto sleeper = static_cast<Wait*>(first->of)->sole_sleeper();
    if (!sleeper) [[unlikely]] {
      word_.open(seen);
      return post_slow<Wait>(1);
    }
    queue_.remove(*first);
    word_.open(queue_.empty() ? seen & ~queue_word::waiting : seen);  // last use of *this
    Wait::wake_sole(sleeper);
    return 0;
  }
  template <class Wait>
  WEFT_COLD int post_slow(uint64_t units) noexcept {
    closed_queue queue(word_);
    if (units > most - queue.word / unit) {
      queue.unlock();
      return -EOVERFLOW;
    }
    wake_chain given;
    given.add_from<Wait>(queue_, units);
    queue.word += (units - given.count()) * unit;
    if (queue_.empty()) queue.word &= ~queue_word::waiting;
    queue.unlock();  // last use of *this
    given.wake<Wait>();
    return 0;
  }

  queue_word word_;
  lone_queue queue_;
};

}  // namespace weft::rt
