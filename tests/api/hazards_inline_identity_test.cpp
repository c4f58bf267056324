// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline identity: during an inline call the caller is the child, in every respect that can be
// asked. WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>

#include "support.hpp"

namespace weft::test {
namespace {

// One worker, so nobody can take the child before its joiner does: it is called.
class hazard_inline_identity : public testing::Test {
 protected:
  const runtime weft_{1};
};

weft_spawn_t named(const char* name) {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.name = name;
  return how;
}

TEST_F(hazard_inline_identity, a_join_of_the_newest_child_calls_it_without_a_park) {
  const uint64_t parks = stats().parks;
  uintptr_t child_at = 0;
  auto child = [&] { child_at = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); };
  join(spawn(child));
  EXPECT_EQ(stats().parks, parks);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  EXPECT_LT(child_at, here);
  EXPECT_LT(here - child_at, 4096u);
}

TEST_F(hazard_inline_identity, self_is_the_child_and_the_joiner_again_afterwards) {
  const weft_task_t me = weft_task_self();
  weft_task_t seen = nullptr;
  auto child = [&] { seen = weft_task_self(); };
  const weft_task_t t = spawn(child);
  join(t);
  EXPECT_EQ(seen, t);
  EXPECT_EQ(weft_task_self(), me);
}

TEST_F(hazard_inline_identity, each_level_has_an_id_a_name_a_site_and_slots_of_its_own) {
  weft_slot_t slot = 0;
  ASSERT_EQ(weft_slot_create(nullptr, &slot), 0);
  struct level {
    int depth;
    weft_slot_t slot;
    std::set<uint64_t>* ids;
    void run() {
      EXPECT_EQ(weft_slot_get(slot), nullptr);
      EXPECT_EQ(weft_slot_set(slot, this), 0);
      EXPECT_TRUE(ids->insert(weft_task_id(nullptr)).second);
      const char* const name = depth % 2 == 0 ? "even" : "odd";
      EXPECT_STREQ(weft_task_name(nullptr), name);
      void* const site = weft_task_spawn_site(nullptr);
      EXPECT_NE(site, nullptr);
      const uint64_t id = weft_task_id(nullptr);
      if (depth > 0) {
        level below{depth - 1, slot, ids};
        auto body = [&below] { below.run(); };
        join(spawn(body, named(depth % 2 == 0 ? "odd" : "even")));
      }
      EXPECT_EQ(weft_slot_get(slot), this);
      EXPECT_EQ(weft_task_id(nullptr), id);
      EXPECT_STREQ(weft_task_name(nullptr), name);
      EXPECT_EQ(weft_task_spawn_site(nullptr), site);
    }
  };
  std::set<uint64_t> ids;
  level top{20, slot, &ids};
  auto body = [&top] { top.run(); };
  join(spawn(body, named("even")));
  EXPECT_EQ(ids.size(), 21u);
  EXPECT_EQ(weft_slot_get(slot), nullptr);
  EXPECT_EQ(weft_slot_delete(slot), 0);
}

TEST_F(hazard_inline_identity, an_ancestor_on_the_own_stack_cannot_be_waited_for_or_handed_to) {
  const weft_task_t main = weft_task_self();
  auto parent = [main] {
    const weft_task_t me = weft_task_self();
    auto child = [main, me] {
      for (const weft_task_t ancestor : {me, main}) {
        EXPECT_EQ(weft_task_yield_to(ancestor), -EDEADLK);
        EXPECT_EQ(weft_task_resume(ancestor), -EDEADLK);
        EXPECT_EQ(weft_task_join(ancestor, nullptr), -EDEADLK);
      }
      EXPECT_EQ(weft_task_join(weft_task_self(), nullptr), -EDEADLK);
      EXPECT_EQ(weft_task_yield_to(weft_task_self()), -EINVAL);
    };
    join(spawn(child));
  };
  join(spawn(parent));
}

TEST_F(hazard_inline_identity, a_child_that_blocks_keeps_its_identity_and_its_joiners) {
  const weft_task_t main = weft_task_self();
  std::atomic<weft_task_t> inner{nullptr};
  auto child = [&] {
    inner = weft_task_self();
    EXPECT_EQ(weft_task_suspend(), 0);
    EXPECT_EQ(weft_task_self(), inner);
    EXPECT_EQ(weft_task_resume(main), -EDEADLK);  // still beneath
  };
  auto waker = [&] { EXPECT_EQ(weft_task_resume(inner), 0); };
  const weft_task_t second = spawn(waker);
  const weft_task_t first = spawn(child);
  join(first);  // called; blocks; the waker runs on another stack
  EXPECT_EQ(weft_task_self(), main);
  EXPECT_EQ(first, inner);
  join(second);
}

TEST_F(hazard_inline_identity, a_permit_for_the_joiner_does_not_reach_the_child) {
  // The joiner is resumed before the call: its own next suspend returns, not the child's.
  const weft_task_t main = weft_task_self();
  ASSERT_EQ(weft_task_resume(main), 0);
  std::atomic<bool> resumed{false};
  std::atomic<weft_task_t> inner{nullptr};
  auto child = [&] {
    inner = weft_task_self();
    EXPECT_EQ(weft_task_suspend(), 0);
    EXPECT_TRUE(resumed);
  };
  auto waker = [&] {
    resumed = true;
    EXPECT_EQ(weft_task_resume(inner), 0);
  };
  const weft_task_t second = spawn(waker);
  join(spawn(child));
  join(second);
  EXPECT_EQ(weft_task_suspend(), 0);
}

}  // namespace
}  // namespace weft::test
