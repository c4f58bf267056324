// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of one select: looks at them by chance, stands in all queues, leaves them.
//
// select.hpp numbers the steps. A template, so that the model runs this code over a `wait` of its
// own.
#pragma once

#include <cerrno>
#include <cstdint>

#include <weft/case.h>

#include "sched/spin_lock.hpp"
#include "sync/select.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

// --- locks in the order of addresses -------------------------------------------------------------

inline spin_lock* lock_of(weft_case_t& c) noexcept { return &place_of(c).ops->lock(c); }

// Two sorted lists made one.
inline weft_case_t* merged(weft_case_t* a, weft_case_t* b) noexcept {
  weft_case_t* first = nullptr;
  weft_case_t** end = &first;
  while (a != nullptr && b != nullptr) {
    weft_case_t*& smaller = lock_of(*b) < lock_of(*a) ? b : a;
    *end = smaller;
    end = &place_of(*smaller).next;
    smaller = *end;
  }
  *end = a != nullptr ? a : b;
  return first;
}

// All cases that have a lock, sorted by it; without memory of its own (runs[i]: 2^i cases).
inline weft_case_t* by_lock(weft_case_t* cases, uint32_t count) noexcept {
  weft_case_t* runs[32] = {};
  for (uint32_t i = 0; i < count; ++i) {
    weft_case_t* run = &cases[i];
    if (place_of(*run).ops->lock == nullptr) continue;
    place_of(*run).next = nullptr;
    unsigned level = 0;
    for (; runs[level] != nullptr; ++level) {
      run = merged(runs[level], run);
      runs[level] = nullptr;
    }
    runs[level] = run;
  }
  weft_case_t* all = nullptr;
  for (weft_case_t* run : runs) all = merged(run, all);
  return all;
}

inline void lock_all(weft_case_t* sorted) noexcept {
  const spin_lock* last = nullptr;
  for (weft_case_t* c = sorted; c != nullptr; c = place_of(*c).next) {
    spin_lock* mine = lock_of(*c);
    if (mine != last) mine->lock();
    last = mine;
  }
}

// Once a lock is open the select may be served through it, but the cases stay.
inline void unlock_all(weft_case_t* sorted) noexcept {
  spin_lock* last = nullptr;
  for (weft_case_t* c = sorted; c != nullptr; c = place_of(*c).next) {
    spin_lock* mine = lock_of(*c);
    if (mine != last) mine->unlock();
    last = mine;
  }
}

// --- the cases -----------------------------------------------------------------------------------

// Every case has its `ops` set and its `stands` cleared.
template <class Wait>
class selection {
 public:
  selection(weft_case_t* cases, uint32_t count) noexcept : cases_(cases), count_(count) {}

  // Step 1. below(n): a number less than n, by chance.
  template <class Below>
  void shuffle(Below&& below) noexcept {
    for (uint32_t i = 0; i < count_; ++i) {
      const uint32_t j = i != 0 ? below(i + 1) : 0;
      place_of(cases_[i]).order = place_of(cases_[j]).order;
      place_of(cases_[j]).order = i;
    }
  }

  // Step 2. True: taken() tells.
  bool poll() noexcept {
    for (uint32_t i = 0; i < count_; ++i) {
      weft_case_t& c = at(i);
      if (place_of(c).ops->try_now(c)) return took(c);
    }
    return false;
  }

  // Steps 3 and 4. taken, again: without a wait. settled: the wait is claimed, its wake comes.
  stood stand(Wait& w) noexcept {
    taken_ = nullptr;
    if (weft_case_t* locked = by_lock(cases_, count_)) {
      if (stand_together(locked, w)) return stood::taken;
    }
    for (uint32_t i = 0; i < count_; ++i) {
      weft_case_t& c = at(i);
      const select_ops& ops = *place_of(c).ops;
      if (ops.stand == nullptr) continue;
      const stood came = ops.stand(c, w);
      if (came == stood::taken) taken_ = &c;
      if (came != stood::queued) return came;
      place_of(c).stands = true;
    }
    return stood::queued;
  }

  // Step 5: out of all queues; taken() tells through which case the wait was claimed, if it was.
  void leave() noexcept {
    for (uint32_t i = 0; i < count_; ++i) {
      weft_case_t& c = cases_[i];
      select_place& p = place_of(c);
      if (!p.stands) continue;
      p.stands = false;
      if (waiter_of<waiter>(c).chosen) {
        taken_ = &c;
      } else {
        p.ops->leave(c);
      }
    }
  }

  // The case of leave(). False: what its wake promised is gone.
  bool finish() noexcept { return place_of(*taken_).ops->finish(*taken_); }

  // Notes that a case, whose result is set, is the one.
  bool took(weft_case_t& c) noexcept {
    taken_ = &c;
    return true;
  }

  int taken() const noexcept { return static_cast<int>(taken_ - cases_); }

 private:
  // The case that is looked at as number i.
  weft_case_t& at(uint32_t i) noexcept { return cases_[place_of(cases_[i]).order]; }

  bool take_holding(waiter*& woken) noexcept {
    for (uint32_t i = 0; i < count_; ++i) {
      weft_case_t& c = at(i);
      const select_ops& ops = *place_of(c).ops;
      if (ops.lock != nullptr && ops.try_holding(c, woken)) return took(c);
    }
    return false;
  }

  // Step 3. True: taken.
  bool stand_together(weft_case_t* locked, Wait& w) noexcept {
    waiter* woken = nullptr;
    lock_all(locked);
    const bool done = take_holding(woken);
    for (weft_case_t* c = done ? nullptr : locked; c != nullptr; c = place_of(*c).next) {
      place_of(*c).ops->push_holding(*c, w);
      place_of(*c).stands = true;
    }
    unlock_all(locked);
    if (woken != nullptr) static_cast<Wait*>(woken->of)->wake();
    return done;
  }

  weft_case_t* const cases_;
  const uint32_t count_;
  weft_case_t* taken_ = nullptr;
};

}  // namespace weft::rt
