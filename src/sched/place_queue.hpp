// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shepherd's tasks that have a place or a priority: lists under a lock, and bits that say which
// hold some.
//
// One task at a time is taken, so that none is hidden with a worker that does not come back. Within
// a list first in, first out. Nobody pays for these who does not use them: workers look at the bits
// when they have nothing else, at fair picks, and when their bell rings (ready.cpp).
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/owned.hpp"
#include "sched/home.hpp"
#include "sched/spin_lock.hpp"
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
    const uint32_t which = list_of(home);
    t->next.set(nullptr);
    lock_.lock();
    list& l = lists_[__builtin_ctz(which)];
    if (l.first.get() == nullptr) {
      l.first.set(t);
    } else {
      l.last.get()->next.set(t);
    }
    l.last.set(t);
    set_held(held_under_lock() | which);
    lock_.unlock();
  }

  // Any worker. The oldest of the most urgent of these lists, or null.
  task* take(uint32_t from) noexcept {
    if ((held() & from) == 0) return nullptr;
    task* t = nullptr;
    lock_.lock();
    const uint32_t some = held_under_lock() & from;
    if (some != 0) {
      const uint32_t which = most_urgent(some);
      list& l = lists_[__builtin_ctz(which)];
      t = l.first.get();
      l.first.set(t->next.get());
      if (l.first.get() == nullptr) set_held(held_under_lock() & ~which);
    }
    lock_.unlock();
    return t;
  }

  // Any worker. Takes t out again if it lies in the list for that home and, under the lock,
  // waits(): then it is the task that was meant.
  template <class Waits>
  bool take_back(task* t, uint32_t home, Waits&& waits) noexcept {
    const uint32_t which = list_of(home);
    list& l = lists_[__builtin_ctz(which)];
    lock_.lock();
    task* before = nullptr;
    task* at = waits() ? l.first.get() : nullptr;
    while (at != nullptr && at != t) {
      before = at;
      at = at->next.get();
    }
    if (at != nullptr) {
      (before != nullptr ? before->next : l.first).set(t->next.get());
      if (l.last.get() == t) l.last.set(before);
      if (l.first.get() == nullptr) set_held(held_under_lock() & ~which);
    }
    lock_.unlock();
    return at != nullptr;
  }

  // Which lists hold tasks. After a barrier that pairs with one after a push, no bit of a list that
  // holds that task is missing.
  uint32_t held() const noexcept {
    return held_.load_relaxed();  // hint: asked again under the lock
  }

 private:
  struct list {
    owned<task*> first{nullptr};
    owned<task*> last{nullptr};
  };

  static uint32_t list_of(uint32_t home) noexcept {
    return bit(shepherd_in(home) == open_to_all, level_in(home));
  }

  // Of one level, what is for this shepherd alone goes first: nobody else will come for it.
  static uint32_t most_urgent(uint32_t some) noexcept {
    for (uint32_t urgency = 0; urgency < level_count; ++urgency) {
      const uint32_t here = some & of_level(static_cast<level>(urgency));
      if (here != 0) return here & (0 - here);
    }
    return 0;
  }

  uint32_t held_under_lock() const noexcept {
    return held_.load_relaxed();  // via: the lock
  }
  void set_held(uint32_t bits) noexcept {
    held_.store_relaxed(bits);  // via: the lock
  }

  alignas(line_bytes) atomic<uint32_t> held_{0};
  spin_lock lock_;
  list lists_[2 * level_count];
};

}  // namespace weft::rt
