// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arm, fire and cancel: a timer fires or is cancelled, once; its memory may go when cancel returns.
#include "lockfree/timer_queue.hpp"
#include "model.hpp"

using weft::rt::timer_entry;
using weft::rt::timer_queue;

namespace {

// A timer with what a waiter keeps beside it, which the action reads and writes.
struct waiter : timer_entry {
  rl::var<int> given;
  rl::var<int> fired;
};

// Thread 0 waits twice with one timer and cancels; the others fire what is due.
template <class Suite, int Firers>
struct suite : rl::test_suite<Suite, 1 + Firers> {
  weft::rt::asymmetric_fences fences;
  timer_queue queue{weft::model::pause, 0};
  int fires = 0;
  int cancels = 0;

  void wait(int64_t tick) {
    waiter w;
    w.given(RL_INFO) = 7;
    w.fired(RL_INFO) = 0;
    (void)queue.arm(w, tick);
    if (timer_queue::cancel(w, weft::model::pause)) {
      RL_ASSERT(w.fired(RL_INFO) == 0);
      ++cancels;
    } else {
      RL_ASSERT(w.fired(RL_INFO) == 1);
    }
  }

  void fire(int64_t now) {
    bool more = false;
    for (auto* e = queue.take(now, 2, more); e != nullptr;) {
      auto& w = static_cast<waiter&>(*e);
      e = static_cast<timer_entry*>(e->next);
      RL_ASSERT(w.given(RL_INFO) == 7);
      w.fired(RL_INFO) = 1;
      ++fires;
      timer_queue::fired(w);
    }
  }

  void after() {
    RL_ASSERT(fires + cancels == Suite::waits);
    RL_ASSERT(queue.armed() == 0);
  }
};

struct one_waits_two_fire : suite<one_waits_two_fire, 2> {
  static constexpr int waits = 2;

  void thread(unsigned who) {
    if (who == 0) {
      wait(10);
      wait(20);
    } else {
      fire(15);
      fire(25);
    }
  }
};

// Somebody else than who armed it has the memory back (a wait that another one ended).
struct another_cancels : suite<another_cancels, 2> {
  static constexpr int waits = 1;
  waiter shared;
  weft::rt::atomic<int> handed{0};

  void thread(unsigned who) {
    if (who == 0) {
      shared.given(RL_INFO) = 7;
      shared.fired(RL_INFO) = 0;
      (void)queue.arm(shared, 10);
      handed.store_release(1);
    } else if (who == 1) {
      while (handed.load_acquire() == 0) weft::model::pause(0);
      if (timer_queue::cancel(shared, weft::model::pause)) {
        ++cancels;
      } else {
        RL_ASSERT(shared.fired(RL_INFO) == 1);
      }
      shared.given(RL_INFO) = 0;
    } else {
      fire(15);
    }
  }
};

}  // namespace

int main() {
  using weft::model::holds;
  return holds<one_waits_two_fire>(100000) && holds<another_cancels>(100000) ? 0 : 1;
}
