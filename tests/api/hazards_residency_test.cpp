// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Residency: a stack stays where the strictest task on it must be, and a joiner goes home first.
// WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <cerrno>
#include <string>
#include <tuple>

#include "support.hpp"

namespace weft::test {
namespace {

enum class kind { unbound, sticky, pinned };

constexpr uint32_t workers = 4;

const char* name_of(kind k) {
  return k == kind::unbound ? "free" : k == kind::sticky ? "sticky" : "pinned";
}

weft_spawn_t spawn_as(kind k, uint32_t worker) {
  if (k == kind::pinned) return on_worker(worker);
  return with_flags(k == kind::sticky ? uint32_t{WEFT_SPAWN_STICKY} : 0u);
}

// Parent, child and grandchild; each joins the next as soon as it has spawned it.
struct generation {
  kind what;
  uint32_t pinned_to;
  generation* next;
  int migrations;  // of itself, before it spawns the next
  int ran = 0;

  void run() {
    const uint32_t began = weft_worker_index();
    if (what == kind::pinned) {
      EXPECT_EQ(began, pinned_to);
    }
    uint32_t home = began;
    for (int i = 0; i < migrations; ++i) {
      home = (weft_worker_index() + 1) % workers;
      ASSERT_EQ(weft_task_migrate(home), 0);
      EXPECT_EQ(weft_worker_index(), home);
    }
    const bool bound = what != kind::unbound || migrations > 0;
    if (next != nullptr) {
      const weft_task_t me = weft_task_self();
      auto body = [this] { next->run(); };
      const weft_task_t child = spawn(body, spawn_as(next->what, next->pinned_to));
      join(child);
      if (bound) {
        EXPECT_EQ(weft_worker_index(), home) << name_of(what) << " went on elsewhere";
      }
      EXPECT_EQ(weft_task_self(), me);
      // Being bound outlives the join: the next wait ends at home too.
      weft_task_yield();
      weft_task_yield();
      if (bound) {
        EXPECT_EQ(weft_worker_index(), home);
      }
    }
    ++ran;
  }
};

using kinds = std::tuple<kind, kind, kind>;

class hazard_residency : public testing::TestWithParam<kinds> {
 protected:
  void run(int migrations_of_child, int migrations_of_grandchild) {
    const auto [parent_kind, child_kind, grandchild_kind] = GetParam();
    const runtime weft(workers);
    for (int i = 0; i < 20; ++i) {
      generation grandchild{grandchild_kind, 3, nullptr, migrations_of_grandchild};
      generation child{child_kind, 2, &grandchild, migrations_of_child};
      generation parent{parent_kind, 1, &child, 0};
      const weft_task_t me = weft_task_self();
      auto body = [&parent, me] {
        parent.run();
        EXPECT_EQ(weft_task_resume(me), 0);
      };
      // Not joined before it ends: a task that was called on main's own stack cannot leave it.
      const weft_task_t t = spawn(body, spawn_as(parent_kind, 1));
      ASSERT_EQ(weft_task_suspend(), 0);
      join(t);
      EXPECT_EQ(weft_worker_index(), 0u);
      EXPECT_EQ(parent.ran + child.ran + grandchild.ran, 3);
    }
  }
};

TEST_P(hazard_residency, holds_when_nobody_moves) { run(0, 0); }
TEST_P(hazard_residency, the_joiners_go_home_when_the_grandchild_moves) { run(0, 1); }
TEST_P(hazard_residency, the_joiners_go_home_when_the_child_moves) { run(1, 0); }
TEST_P(hazard_residency, the_joiners_go_home_when_both_move) { run(2, 3); }

const auto each_kind = testing::Values(kind::unbound, kind::sticky, kind::pinned);
INSTANTIATE_TEST_SUITE_P(each, hazard_residency, testing::Combine(each_kind, each_kind, each_kind),
                         [](const testing::TestParamInfo<kinds>& i) {
                           return std::string(name_of(std::get<0>(i.param))) + "_" +
                                  name_of(std::get<1>(i.param)) + "_" +
                                  name_of(std::get<2>(i.param));
                         });

TEST(hazard_residency_of_main, a_task_called_on_its_stack_cannot_leave_it) {
  const runtime weft(1);
  int refused = 0;
  int again = 0;
  auto body = [&] {
    refused = weft_task_migrate(0);
    again = weft_task_migrate(WEFT_ANYWHERE);
  };
  join(spawn(body));  // one worker: nobody can take it, so it is called
  EXPECT_EQ(refused, -EDEADLK);
  EXPECT_EQ(again, 0);
}

TEST(hazard_residency_of_main, main_goes_on_at_worker_0_after_each_wait) {
  const runtime weft(workers);
  const weft_task_t me = weft_task_self();
  auto waker = [me] { EXPECT_EQ(weft_task_resume(me), 0); };
  for (uint32_t i = 0; i < 100; ++i) {
    const weft_task_t t = spawn(waker, on_worker(i % workers));
    ASSERT_EQ(weft_task_suspend(), 0);
    EXPECT_EQ(weft_worker_index(), 0u);
    join(t);
    EXPECT_EQ(weft_worker_index(), 0u);
  }
}

TEST(hazard_residency, a_task_is_free_again_when_it_says_anywhere) {
  const runtime weft(2);
  auto body = [] {
    ASSERT_EQ(weft_task_migrate(1), 0);
    ASSERT_EQ(weft_worker_index(), 1u);
    ASSERT_EQ(weft_task_migrate(WEFT_ANYWHERE), 0);
    // Worker 1 is held by a task that computes; worker 0 must be able to take this one over.
    std::atomic<bool> moved{false};
    auto hold = [&moved] { EXPECT_TRUE(compute_until([&] { return moved.load(); })); };
    const weft_task_t holder = spawn(hold, on_worker(1));
    EXPECT_TRUE(yield_until([] { return weft_worker_index() == 0; }));
    moved = true;
    join(holder);
  };
  run_apart(body);
}

}  // namespace
}  // namespace weft::test
