// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task's end against a join, a poll or a detach: exactly one side frees, results are seen.
#include "lockfree/join_word.hpp"
#include "model.hpp"

using weft::rt::join_word;

namespace {

struct task_suite_state {
  join_word word;
  rl::var<int> result;
  rl::var<int> used_by_parent;  // what the parent did with the task before it let go
  rl::var<int> waiter_state;
  weft::rt::atomic<int> woken{0};
  int freed = 0;

  // Freeing touches everything, so that any later or unordered use is a race.
  void free() {
    result(RL_INFO) = -1;
    used_by_parent(RL_INFO) = -1;
    ++freed;
  }

  void run_and_finish() {
    result(RL_INFO) = 7;
    const std::uint64_t was = word.finish();
    if (was == join_word::detached) {
      free();
    } else if (was != join_word::running) {
      RL_ASSERT(was == join_word::first_waiter);
      RL_ASSERT(waiter_state(RL_INFO) == 3);
      woken.store_release(1);
    }
  }

  void start() {
    word.reset();
    used_by_parent(RL_INFO) = 0;
    waiter_state(RL_INFO) = 0;
  }
};

struct join : rl::test_suite<join, 2>, task_suite_state {
  void before() { start(); }
  void thread(unsigned who) {
    if (who == 0) return run_and_finish();
    used_by_parent(RL_INFO) = 1;
    waiter_state(RL_INFO) = 3;
    if (word.wait_for(join_word::first_waiter))
      while (woken.load_acquire() == 0) weft::model::pause(0);
    RL_ASSERT(result(RL_INFO) == 7);
    free();
  }
  void after() { RL_ASSERT(freed == 1 && word.is_done()); }
};

struct poll : rl::test_suite<poll, 2>, task_suite_state {
  void before() { start(); }
  void thread(unsigned who) {
    if (who == 0) return run_and_finish();
    while (!word.is_done()) weft::model::pause(0);
    RL_ASSERT(result(RL_INFO) == 7);
    free();
  }
  void after() { RL_ASSERT(freed == 1); }
};

struct detach : rl::test_suite<detach, 2>, task_suite_state {
  void before() { start(); }
  void thread(unsigned who) {
    if (who == 0) return run_and_finish();
    used_by_parent(RL_INFO) = 1;
    if (!word.detach()) free();
  }
  void after() { RL_ASSERT(freed == 1); }
};

// Detached for an object before anybody else has it: the end frees, and sees what the starter did.
struct detached_from_the_start : rl::test_suite<detached_from_the_start, 2>, task_suite_state {
  weft::rt::atomic<int> published{0};

  void before() { start(); }
  void thread(unsigned who) {
    if (who == 1) {
      used_by_parent(RL_INFO) = 1;
      word.start_detached(64);
      published.store_release(1);
      return;
    }
    while (published.load_acquire() == 0) weft::model::pause(0);
    RL_ASSERT(word.is_detached_for(64) && !word.is_done());
    RL_ASSERT(word.is_detached() && word.object() == 64);
    run_and_finish();
  }
  void after() { RL_ASSERT(freed == 1); }
};

// A waiter that may have something else to do, waits again, and joins in the end.
struct withdraw : rl::test_suite<withdraw, 2>, task_suite_state {
  weft::rt::atomic<int> told{0};

  void before() { start(); }
  void thread(unsigned who) {
    if (who == 0) {
      result(RL_INFO) = 7;
      const std::uint64_t was = word.finish();
      RL_ASSERT(was == join_word::running || was == join_word::first_waiter);
      if (was == join_word::first_waiter) {
        RL_ASSERT(waiter_state(RL_INFO) == 3);
        told.store_release(1);
      }
      return;
    }
    waiter_state(RL_INFO) = 3;
    if (word.wait_for(join_word::first_waiter)) {
      if (word.withdraw(join_word::first_waiter)) {
        waiter_state(RL_INFO) = 4;  // nobody looks at it any more
        while (!word.is_done()) weft::model::pause(0);
      } else {
        RL_ASSERT(result(RL_INFO) == 7);
        while (told.load_acquire() == 0) weft::model::pause(0);
      }
    }
    RL_ASSERT(result(RL_INFO) == 7);
    free();
  }
  void after() { RL_ASSERT(freed == 1); }
};

}  // namespace

int main() {
  using weft::model::holds;
  return holds<join>(200000) && holds<poll>(100000) && holds<detach>(200000) &&
                 holds<withdraw>(200000) && holds<detached_from_the_start>(50000)
             ? 0
             : 1;
}
