// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker that was woken beside its waker steps aside, and only then.
#include "sched/apart.hpp"

#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>

#include <weft/weft.h>

#include "os/affinity.hpp"
#include "os/clock.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"

namespace weft::rt {
namespace {

// Two workers that nobody has bound. The first one waits in the test, so it counts as awake.
class apart : public testing::Test {
 protected:
  void SetUp() override {
    os::cpu_set all;
    ASSERT_TRUE(os::get_affinity(all));
    if (all.count() < 2) GTEST_SKIP() << "one processor";
    setenv("WEFT_BIND", "none", 1);
    setenv("WEFT_SPIN_US", "50", 1);
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = 2;
    ASSERT_EQ(weft_start(&config), 0);
  }
  void TearDown() override {
    if (weft_worker_count() != 0) {
      EXPECT_EQ(weft_stop(), 0);
    }
    unsetenv("WEFT_BIND");
    unsetenv("WEFT_SPIN_US");
  }

  // On the second worker, which stays awake, and the first one with it.
  static void on_second(const std::function<void(worker&)>& what) {
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.worker = 1;
    weft_task_t t = nullptr;
    bool done = false;
    struct call {
      const std::function<void(worker&)>& what;
      bool& done;
    } it{what, done};
    const auto body = [](void* c) -> void* {
      const call& me = *static_cast<call*>(c);
      me.what(*self());
      __atomic_store_n(&me.done, true, __ATOMIC_RELEASE);
      return nullptr;
    };
    ASSERT_EQ(weft_task_spawn_with(body, &it, &how, &t), 0);
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
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
};

TEST_F(apart, who_is_woken_beside_its_waker_goes_elsewhere_with_the_mask_it_had) {
  on_second([](worker& w) {
    os::cpu_set before;
    ASSERT_TRUE(os::get_affinity(before));
    bool moved = false;
    for (int i = 0; i < 1000 && !moved; ++i) {  // the kernel may move it at any time
      w.moved_ns.set(INT64_MIN / 2);
      moved = woken_beside(w);
    }
    EXPECT_TRUE(moved);
    EXPECT_NE(w.seen_on.load_relaxed(), the().workers[0].seen_on.load_relaxed());
    os::cpu_set after;
    ASSERT_TRUE(os::get_affinity(after));
    EXPECT_TRUE(after == before);
    w.moved_ns.set(os::monotonic_ns() + 1'000'000'000'000);
    EXPECT_FALSE(woken_beside(w)) << "not again at once";
  });
}

TEST_F(apart, who_was_woken_by_nobody_or_by_one_elsewhere_stays) {
  on_second([](worker& w) {
    const uint64_t before = w.moves.load_relaxed();
    w.moved_ns.set(INT64_MIN / 2);
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
  on_second([](worker& w) {
    os::cpu_set before;
    ASSERT_TRUE(os::get_affinity(before));
    os::cpu_set one;
    one.add(before.next(0));
    ASSERT_TRUE(os::set_affinity(one));
    w.moved_ns.set(INT64_MIN / 2);
    EXPECT_FALSE(woken_beside(w));
    os::cpu_set after;
    ASSERT_TRUE(os::get_affinity(after));
    EXPECT_TRUE(after == one);
    ASSERT_TRUE(os::set_affinity(before));
  });
}

TEST_F(apart, a_thread_of_the_programs_is_left_where_it_is) {
  worker& w = *self();
  ASSERT_TRUE(w.adopted.get());
  the().workers[1].seen_on.store_relaxed(os::current_processor());
  w.woken_by.store_relaxed(1);
  w.moved_ns.set(INT64_MIN / 2);
  step_apart(w);
  EXPECT_EQ(w.moves.load_relaxed(), 0u);
}

}  // namespace
}  // namespace weft::rt
