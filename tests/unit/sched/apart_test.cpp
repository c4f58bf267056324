// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker that was woken beside its waker steps aside, and only then.
#include "sched/apart.hpp"

#include <atomic>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <sched.h>

#include <weft/weft.h>

#include "os/affinity.hpp"
#include "os/clock.hpp"
#include "sched/presence.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"

namespace weft::rt {
namespace {

// Workers that nobody has bound. The first one waits in the test, so it is awake.
class apart : public testing::Test {
 protected:
  void SetUp() override {
    os::cpu_set all;
    ASSERT_TRUE(os::get_affinity(all));
    if (all.count() < 2) GTEST_SKIP() << "one processor";
  }
  static void start(uint32_t workers) {
    setenv("WEFT_BIND", "none", 1);
    setenv("WEFT_SPIN_US", "50", 1);
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = workers;
    ASSERT_EQ(weft_start(&config), 0);
  }
  void TearDown() override {
    if (weft_worker_count() != 0) {
      EXPECT_EQ(weft_stop(), 0);
    }
    unsetenv("WEFT_BIND");
    unsetenv("WEFT_SPIN_US");
  }

  // On the second worker, whose waker is done with waking it, and awake.
  static void on_second(const std::function<void(worker&)>& what) {
    struct call {
      const std::function<void(worker&)>& what;
      std::atomic<bool> sent{false};
      std::atomic<bool> done{false};
    } it{what};
    const auto body = [](void* c) -> void* {
      call& me = *static_cast<call*>(c);
      while (!me.sent) {
      }
      me.what(*self());
      me.done = true;
      return nullptr;
    };
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.worker = 1;
    weft_task_t t = nullptr;
    ASSERT_EQ(weft_task_spawn_with(body, &it, &how, &t), 0);
    it.sent = true;
    while (!it.done) {
    }
    ASSERT_EQ(weft_task_join(t, nullptr), 0);
  }

  // As if the first worker had just woken it here. Whether it moved.
  static bool woken_beside(worker& w) {
    const uint64_t before = w.moves.load_relaxed();
    the().workers[0].seen_on.store_relaxed(os::current_processor());
    w.woken_by.store_relaxed(0);
    step_apart(w);
    return w.moves.load_relaxed() != before;
  }
  // The same again and again, without rests, for the kernel may move it at any time.
  static bool moves_when_woken_beside(worker& w) {
    for (int i = 0; i < 1000; ++i) {
      w.no_move_before_ns.set(0);
      if (woken_beside(w)) return true;
    }
    return false;
  }
};

TEST_F(apart, who_is_woken_knows_by_whom_and_where_until_it_has_looked) {
  start(2);
  const worker& second = the().workers[1];
  while (!second.wake.is_asleep()) sched_yield();
  the().workers[0].seen_on.store_relaxed(os::cpu_set::most);
  on_second([](worker& w) {
    EXPECT_LT(the().workers[0].seen_on.load_relaxed(), os::cpu_set::most) << "it woke";
    EXPECT_LT(w.seen_on.load_relaxed(), os::cpu_set::most) << "it was woken";
  });
  // It has looked.
  while (!second.wake.is_asleep()) sched_yield();
  EXPECT_EQ(second.woken_by.load_relaxed(), no_worker);
}

TEST_F(apart, who_is_woken_beside_its_waker_goes_elsewhere_with_the_mask_it_had) {
  start(2);
  on_second([](worker& w) {
    os::cpu_set before;
    ASSERT_TRUE(os::get_affinity(before));
    const int64_t begun = os::monotonic_ns();
    ASSERT_TRUE(moves_when_woken_beside(w));
    EXPECT_NE(w.seen_on.load_relaxed(), the().workers[0].seen_on.load_relaxed());
    os::cpu_set after;
    ASSERT_TRUE(os::get_affinity(after));
    EXPECT_TRUE(after == before);
    EXPECT_GT(w.no_move_before_ns.get(), begun) << "not again at once";
    w.no_move_before_ns.set(INT64_MAX);
    EXPECT_FALSE(woken_beside(w));
  });
}

TEST_F(apart, who_was_woken_by_nobody_or_by_one_elsewhere_stays) {
  start(2);
  on_second([](worker& w) {
    const uint64_t before = w.moves.load_relaxed();
    w.no_move_before_ns.set(0);
    w.woken_by.store_relaxed(no_worker);
    step_apart(w);
    the().workers[0].seen_on.store_relaxed(os::cpu_set::most);
    w.woken_by.store_relaxed(0);
    step_apart(w);
    EXPECT_EQ(w.moves.load_relaxed(), before);
    EXPECT_EQ(w.woken_by.load_relaxed(), no_worker) << "once";
  });
}

TEST_F(apart, a_mask_is_never_left) {
  start(2);
  on_second([](worker& w) {
    os::cpu_set before;
    ASSERT_TRUE(os::get_affinity(before));
    os::cpu_set one;
    one.add(before.next(0));
    ASSERT_TRUE(os::set_affinity(one));
    w.no_move_before_ns.set(0);
    EXPECT_FALSE(woken_beside(w));
    os::cpu_set after;
    ASSERT_TRUE(os::get_affinity(after));
    EXPECT_TRUE(after == one);
    ASSERT_TRUE(os::set_affinity(before));
  });
}

TEST_F(apart, a_thread_of_the_programs_is_left_where_it_is) {
  start(2);
  worker& w = *self();
  ASSERT_TRUE(w.adopted.get());
  std::atomic<bool> begun{false};
  std::atomic<bool> ends{false};
  struct flags {
    std::atomic<bool>& begun;
    std::atomic<bool>& ends;
  } it{begun, ends};
  const auto stay_awake = [](void* f) -> void* {
    static_cast<flags*>(f)->begun = true;
    while (!static_cast<flags*>(f)->ends) {
    }
    return nullptr;
  };
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.worker = 1;
  weft_task_t t = nullptr;
  ASSERT_EQ(weft_task_spawn_with(stay_awake, &it, &how, &t), 0);
  while (!begun) {
  }
  for (int i = 0; i < 100; ++i) {
    the().workers[1].seen_on.store_relaxed(os::current_processor());
    w.woken_by.store_relaxed(1);
    w.no_move_before_ns.set(0);
    step_apart(w);
  }
  ends = true;
  ASSERT_EQ(weft_task_join(t, nullptr), 0);
  EXPECT_EQ(w.moves.load_relaxed(), 0u);
}

TEST_F(apart, a_worker_that_is_gone_keeps_no_processor) {
  start(3);
  ASSERT_EQ(weft_worker_remove(2, INT64_MAX), 0);
  while (presence_of(the().workers[2]) != worker_presence::gone) sched_yield();
  on_second([](worker& w) {
    os::cpu_set all;
    ASSERT_TRUE(os::get_affinity(all));
    bool moved = false;
    for (int i = 0; i < 1000 && !moved; ++i) {
      const uint32_t here = os::current_processor();
      // Two processors are left, here and the one where the third worker was.
      os::cpu_set two;
      two.add(here);
      uint32_t other = all.next(0);
      if (other == here) other = all.next(here + 1);
      two.add(other);
      ASSERT_TRUE(os::set_affinity(two));
      the().workers[2].seen_on.store_relaxed(other);
      w.no_move_before_ns.set(0);
      moved = woken_beside(w);
    }
    EXPECT_TRUE(moved);
    ASSERT_TRUE(os::set_affinity(all));
  });
}

}  // namespace
}  // namespace weft::rt
