// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A flow parks while a waker, a timer and a canceller come: it is resumed once, with what one
// handed over.
#include "model.hpp"
#include "sync/meeting.hpp"

using weft::rt::meeting;

namespace {

struct wait_state {
  meeting m;
  rl::var<int> saved;   // by the flow: its registers
  rl::var<int> handed;  // by who claimed the wait
  int resumed = 0;
  int claims = 0;

  // The flow goes on, wherever that is.
  void go_on() {
    RL_ASSERT(saved(RL_INFO) == 1);
    RL_ASSERT(handed(RL_INFO) == 1);
    ++resumed;
  }
  bool claim() {
    if (!m.claim()) return false;
    ++claims;
    handed(RL_INFO) = 1;
    return true;
  }
};

struct task_waits : rl::test_suite<task_waits, 4>, wait_state {
  void thread(unsigned who) {
    if (who == 0) {
      saved(RL_INFO) = 1;
      if (m.arrive()) go_on();
      return;
    }
    if (claim() && m.wake()) go_on();
  }
  void after() { RL_ASSERT(resumed == 1 && claims == 1); }
};

struct thread_waits : rl::test_suite<thread_waits, 3>, wait_state {
  void thread(unsigned who) {
    if (who == 0) {
      saved(RL_INFO) = 1;
      while (!m.is_woken()) weft::model::pause(0);
      go_on();
      return;
    }
    if (claim()) m.wake_thread();
  }
  void after() { RL_ASSERT(resumed == 1 && claims == 1); }
};

}  // namespace

int main() {
  using weft::model::holds;
  return holds<task_waits>(100000) && holds<thread_waits>(100000) ? 0 : 1;
}
