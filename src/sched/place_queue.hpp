// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shepherd's tasks that have a place or a priority: lists under a lock, and bits that say which hold some.
//
// One task at a time is taken, so that none is hidden with a worker that does not come back. Within a list
// first in, first out. Nobody pays for these who does not use them: workers look at the bits when they have
// nothing else, at fair picks, and when their bell rings (ready.cpp).
//
// Orders
//   place_L2 -> place_L1   what one holder of the lock wrote is seen by the next
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/owned.hpp"
#include "sched/home.hpp"
#include "sched/spin.hpp"
#include "sched/task.hpp"

namespace weft::rt {

class place_queue {
 public:
  // Bits of lists: those for this shepherd alone, by level, then those for all.
  static constexpr uint32_t bit(bool open, level urgency) noexcept {
    return 1u << (static_cast<uint32_t>(urgency) + (open ? level_count : 0));
  }
  static constexpr uint32_t of_level(level urgency) noexcept {
    return bit(false, urgency) | bit(true, urgency);
  }
  static constexpr uint32_t any = (1u << 2 * level_count) - 1;
  static constexpr uint32_t to_all = any & any << level_count;

  // Any thread. home is placed; only whether it is open to all matters here.
  void push(task* t, uint32_t home) noexcept {
    const uint32_t which = bit(shepherd_in(home) == open_to_all, level_in(home));
    t->next.set(nullptr);
    lock();
    list& l = lists_[__builtin_ctz(which)];
    if (l.first.get() == nullptr) {
      l.first.set(t);
    } else {
      l.last.get()->next.set(t);
    }
    l.last.set(t);
    set_held(held_under_lock() | which);
    unlock();
  }

  // Any worker. The oldest of the most urgent of these lists, or null.
  task* take(uint32_t from) noexcept {
    if ((held() & from) == 0) return nullptr;
    task* t = nullptr;
    lock();
    const uint32_t some = held_under_lock() & from;
    if (some != 0) {
      const uint32_t which = most_urgent(some);
      list& l = lists_[__builtin_ctz(which)];
      t = l.first.get();
      l.first.set(t->next.get());
      if (l.first.get() == nullptr) set_held(held_under_lock() & ~which);
    }
    unlock();
    return t;
  }

  // Which lists hold tasks. After a barrier that pairs with one after a push, no bit of a list that holds
  // that task is missing.
  uint32_t held() const noexcept {
    return held_.load_relaxed();  // hint: asked again under the lock
  }

 private:
  struct list {
    owned<task*> first{nullptr};
    owned<task*> last{nullptr};
  };

  // Of one level, what is for this shepherd alone goes first: nobody else will come for it.
  static uint32_t most_urgent(uint32_t some) noexcept {
    for (uint32_t urgency = 0; urgency < level_count; ++urgency) {
      const uint32_t here = some & of_level(static_cast<level>(urgency));
      if (here != 0) return here & (0 - here);
    }
    return 0;
  }

  void lock() noexcept {
    uint32_t round = 0;
    while (locked_.exchange_acquire(1) != 0)  // place_L1 <- place_L2
      spin_pause(round++);
  }
  void unlock() noexcept {
    locked_.store_release(0);  // place_L2 -> place_L1
  }
  uint32_t held_under_lock() const noexcept {
    return held_.load_relaxed();  // via: place_L1
  }
  void set_held(uint32_t bits) noexcept {
    held_.store_relaxed(bits);  // via: place_L2
  }

  alignas(line_bytes) atomic<uint32_t> held_{0};
  atomic<uint32_t> locked_{0};
  list lists_[2 * level_count];
};

}  // namespace weft::rt
