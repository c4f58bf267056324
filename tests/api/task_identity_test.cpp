// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who a task is: ids, names, spawn sites, slots with destructors, stack left.
// WEFT_TEST_AT_WORKERS
#include <cerrno>
#include <set>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

using task_identity = at_workers;

TEST_F(task_identity, ids_are_unique_over_tasks_and_restarts) {
  static std::set<uint64_t> ids;  // over a stop and a start, too
  std::vector<weft_task_t> tasks;
  auto nothing = [] {};
  EXPECT_NE(weft_task_id(nullptr), 0u);
  EXPECT_EQ(weft_task_id(nullptr), weft_task_id(weft_task_self()));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 200; ++i) {
      const weft_task_t t = spawn(nothing);
      EXPECT_TRUE(ids.insert(weft_task_id(t)).second);
      EXPECT_EQ(weft_task_id(t), weft_task_id(t));
      join(t);
    }
    EXPECT_EQ(weft_stop(), 0);
    ASSERT_EQ(weft_start(nullptr), 0);
  }
  EXPECT_EQ(ids.size(), 400u);
}

TEST_F(task_identity, an_id_asked_from_inside_and_outside_is_the_same) {
  uint64_t inside = 0;
  std::atomic<bool> go{false};
  auto body = [&] {
    inside = weft_task_id(nullptr);
    while (!go) weft_task_yield();
  };
  const weft_task_t t = spawn(body);
  const uint64_t outside = weft_task_id(t);
  go = true;
  while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
  EXPECT_EQ(inside, outside);
}

TEST_F(task_identity, the_name_is_the_spawners_text) {
  static const char name[] = "weaver";
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.name = name;
  const char* inside = nullptr;
  auto body = [&] { inside = weft_task_name(nullptr); };
  const weft_task_t t = spawn(body, how);
  EXPECT_EQ(weft_task_name(t), name);
  join(t);
  EXPECT_EQ(inside, name);
  auto nameless = [] { EXPECT_EQ(weft_task_name(nullptr), nullptr); };
  join(spawn(nameless));
  EXPECT_EQ(weft_task_name(nullptr), nullptr);
}

__attribute__((noinline)) weft_task_t spawn_here() {
  weft_task_t t = nullptr;
  EXPECT_EQ(weft_task_spawn([](void*) -> void* { return nullptr; }, nullptr, &t), 0);
  return t;
}

TEST_F(task_identity, the_site_lies_in_the_function_that_spawned) {
  const weft_task_t t = spawn_here();
  const auto site = reinterpret_cast<uintptr_t>(weft_task_spawn_site(t));
  const auto function = reinterpret_cast<uintptr_t>(&spawn_here);
  EXPECT_GT(site, function);
  EXPECT_LT(site, function + 4096);
  const weft_task_t u = spawn_here();
  EXPECT_EQ(weft_task_spawn_site(u), reinterpret_cast<void*>(site));
  join(t);
  join(u);
  EXPECT_EQ(weft_task_spawn_site(nullptr), nullptr);  // main was not spawned
}

TEST_F(task_identity, the_stack_left_shrinks_with_each_frame) {
  auto body = [] {
    const std::size_t here = weft_task_stack_left();
    struct below {
      static __attribute__((noinline)) std::size_t left() {
        volatile char frame[1000];
        frame[0] = 1;
        const std::size_t l = weft_task_stack_left();
        frame[999] = frame[0];
        return l;
      }
    };
    const std::size_t deeper = below::left();
    EXPECT_LT(deeper, here);
    EXPECT_LT(here - deeper, 10'000u);
  };
  join(spawn(body));
  run_apart(body);
}

// --- slots --------------------------------------------------------------------------------------

std::atomic<int> destroyed{0};
void count_destroyed(void* by) { destroyed += static_cast<int>(reinterpret_cast<intptr_t>(by)); }

TEST_F(task_identity, a_slot_is_null_at_first_and_own_to_each_task) {
  weft_slot_t slot = 0;
  ASSERT_EQ(weft_slot_create(nullptr, &slot), 0);
  std::atomic<int> wrong{0};
  auto body = [&] {
    int mine = 0;
    if (weft_slot_get(slot) != nullptr) ++wrong;
    EXPECT_EQ(weft_slot_set(slot, &mine), 0);
    for (int i = 0; i < 10; ++i) {
      weft_task_yield();
      if (weft_slot_get(slot) != &mine) ++wrong;
    }
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 100; ++i) tasks.push_back(spawn(body));
  for (weft_task_t t : tasks) join(t);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(weft_slot_get(slot), nullptr);
  EXPECT_EQ(weft_slot_delete(slot), 0);
}

TEST_F(task_identity, a_slots_destructor_runs_before_the_join_returns) {
  weft_slot_t slot = 0;
  ASSERT_EQ(weft_slot_create(count_destroyed, &slot), 0);
  destroyed = 0;
  auto sets = [&] { EXPECT_EQ(weft_slot_set(slot, reinterpret_cast<void*>(intptr_t{3})), 0); };
  auto sets_null = [&] {
    sets();
    EXPECT_EQ(weft_slot_set(slot, nullptr), 0);
  };
  for (int i = 1; i <= 100; ++i) {
    const weft_task_t t = spawn(sets);
    if (i % 2 == 0) weft_task_yield();
    join(t);
    EXPECT_EQ(destroyed, 3 * i);
    join(spawn(sets_null));
    EXPECT_EQ(destroyed, 3 * i);
  }
  EXPECT_EQ(weft_slot_delete(slot), 0);
}

TEST_F(task_identity, a_destructor_may_set_another_slot) {
  static weft_slot_t second = 0;
  weft_slot_t first = 0;
  ASSERT_EQ(weft_slot_create([](void* v) { EXPECT_EQ(weft_slot_set(second, v), 0); }, &first), 0);
  ASSERT_EQ(weft_slot_create(count_destroyed, &second), 0);
  destroyed = 0;
  auto sets = [&] { EXPECT_EQ(weft_slot_set(first, reinterpret_cast<void*>(intptr_t{5})), 0); };
  join(spawn(sets));
  EXPECT_EQ(destroyed, 5);
  EXPECT_EQ(weft_slot_delete(first), 0);
  EXPECT_EQ(weft_slot_delete(second), 0);
}

TEST_F(task_identity, a_deleted_slot_means_nothing_and_its_number_comes_back_empty) {
  weft_slot_t slot = 0;
  ASSERT_EQ(weft_slot_create(count_destroyed, &slot), 0);
  destroyed = 0;
  auto body = [&] {
    EXPECT_EQ(weft_slot_set(slot, reinterpret_cast<void*>(intptr_t{7})), 0);
    EXPECT_EQ(weft_slot_delete(slot), 0);
    EXPECT_EQ(weft_slot_get(slot), nullptr);
    EXPECT_EQ(weft_slot_set(slot, nullptr), -EINVAL);
    EXPECT_EQ(weft_slot_delete(slot), -EINVAL);
    weft_slot_t again = 0;
    EXPECT_EQ(weft_slot_create(count_destroyed, &again), 0);
    EXPECT_NE(again, slot);
    EXPECT_EQ(weft_slot_get(again), nullptr);
    EXPECT_EQ(weft_slot_delete(again), 0);
  };
  join(spawn(body));
  EXPECT_EQ(destroyed, 0);
}

TEST_F(task_identity, a_slot_too_many_is_refused) {
  std::vector<weft_slot_t> slots;
  weft_slot_t s = 0;
  int failed = 0;
  while ((failed = weft_slot_create(nullptr, &s)) == 0) slots.push_back(s);
  EXPECT_EQ(failed, -EAGAIN);
  EXPECT_EQ(slots.size(), 1024u);
  auto body = [&] {
    for (weft_slot_t each : slots) EXPECT_EQ(weft_slot_set(each, &slots), 0);
    for (weft_slot_t each : slots) EXPECT_EQ(weft_slot_get(each), &slots);
  };
  join(spawn(body));
  for (weft_slot_t each : slots) EXPECT_EQ(weft_slot_delete(each), 0);
  EXPECT_EQ(weft_slot_create(nullptr, nullptr), -EINVAL);
}

}  // namespace
}  // namespace weft::test
