// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OS threads of the program that are workers for a while.
//
// Orders
//   carrier_C1 -> carrier_C2   what a carrier or a guest did is seen by who stops
//   carrier_C3 -> carrier_C4   what a carrier did is seen by who gets its worker next
//                              (presence.cpp)
#include "sched/guest.hpp"

#include <cerrno>
#include <mutex>
#include <utility>

#include "os/futex.hpp"
#include "sched/presence.hpp"
#include "sched/ready.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"
#include "sched/switch.hpp"
#include "sched/takers.hpp"
#include "sched/waiting.hpp"
#include "sched/worker_thread.hpp"

namespace weft::rt {

namespace {

constinit atomic<uint32_t> guests{0};
constinit atomic<uint32_t> carriers{0};
constinit task* awaits_guests = nullptr;  // under presence_lock

int start_guest(worker& w) noexcept {
  attach_caches(w);
  if (adopt_flow(w) == nullptr) {
    detach_caches(w);
    return -ENOMEM;
  }
  (void)guests.add_relaxed(1);  // via: the lock
  return 0;
}

int start_carrier(worker& w) noexcept {
  attach_caches(w);
  const int failed = prepare_thread(w);
  if (failed != 0) {
    detach_caches(w);
  } else {
    w.carried.store_relaxed(1);     // via: the lock
    (void)carriers.add_relaxed(1);  // via: the lock
  }
  return failed;
}

void wait_for_guests(worker& w, task* me, void*) noexcept {
  const std::lock_guard lock(presence_lock);
  if (guests_are_here()) {
    awaits_guests = me;
  } else {
    make_ready(&w, me);
  }
}

// Under the lock, without which nobody stops: who is woken here is about to.
void count_guest_out() noexcept {
  const std::lock_guard lock(presence_lock);
  const bool others = guests.add_release(UINT32_MAX) > 1;  // carrier_C1 -> carrier_C2
  if (!others && awaits_guests != nullptr)
    make_ready(nullptr, std::exchange(awaits_guests, nullptr));
}

}  // namespace

bool is_guest(const worker& w) noexcept {
  const task* me = w.current.get();
  return me != nullptr && me->has(flag_main) && !(w.index == 0 && the().main_is_worker);
}

int begin_guest(uint32_t worker) noexcept { return take_up_worker(worker, start_guest); }

int end_guest() noexcept {
  worker* w = self();
  if (w == nullptr || !is_guest(*w)) return -EPERM;
  const int failed = leave_worker(*w);
  if (failed != 0) return failed;
  count_guest_out();
  os::futex_wake(guests, 1);
  return 0;
}

int carry(uint32_t worker) noexcept {
  const int failed = take_up_worker(worker, start_carrier);
  if (failed != 0) return failed;
  rt::worker& w = the().workers[worker];  // a stop waits for this thread now
  run_thread(w);
  w.carried.store_release(0);  // carrier_C3 -> carrier_C4
  os::futex_wake(w.carried, 1);
  (void)carriers.add_release(UINT32_MAX);  // carrier_C1 -> carrier_C2
  os::futex_wake(carriers, 1);
  return 0;
}

bool guests_are_here() noexcept {
  return guests.load_relaxed() != 0;  // count: as above
}

int await_guests() noexcept {
  if (worker* w = self()) {
    const task_waits shown(*w, *w->current.get(), "the end of guests", nullptr, nullptr);
    return park(*w, nullptr, wait_for_guests, nullptr);
  }
  const thread_waits shown("the end of guests", nullptr, nullptr);
  const uint32_t here = guests.load_acquire();  // carrier_C2 <- carrier_C1
  if (here != 0) os::futex_wait(guests, here);
  return 0;
}

void abandon_guests() noexcept {
  awaits_guests = nullptr;
  guests.store_relaxed(0);    // own: one thread
  carriers.store_relaxed(0);  // own: one thread
}

void await_visitors() noexcept {
  for (atomic<uint32_t>* here : {&guests, &carriers}) {
    uint32_t left = here->load_acquire();           // carrier_C2 <- carrier_C1
    for (; left != 0; left = here->load_acquire())  // carrier_C2 <- carrier_C1
      os::futex_wait(*here, left);
  }
}

}  // namespace weft::rt
