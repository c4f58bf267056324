// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that follow each other at once: a helper goes on from one to the next without an end of its
// task between them, and nobody can tell.
#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>

#include <weft/embed.h>
#include <weft/par.hpp>
#include <weft/weft.hpp>

#include "support/two_workers.hpp"

namespace weft::rt {
namespace {

constexpr int loops = 2000;

class loops_in_a_row : public test::two_workers {
 protected:
  // A loop of two iterations that wait for each other, so that the other worker helps. at_caller()
  // is one of them, at_helper() the other.
  template <class Caller, class Helper>
  static void loop_of_two(Caller&& at_caller, Helper&& at_helper) {
    const uint32_t here = weft_worker_index();
    std::atomic<uint32_t> there{0};
    par::loop(int64_t{0}, int64_t{2},
              [&](int64_t) {
                ++there;
                while (there != 2) std::this_thread::yield();
                if (weft_worker_index() == here) {
                  at_caller();
                } else {
                  at_helper();
                }
              },
              {par::schedule::balanced});
  }
};

std::atomic<int> ended{0};

// What a helper's task keeps ends with its loop.
TEST_F(loops_in_a_row, find_no_slots_of_the_loop_before) {
  weft_slot_t slot{};
  ASSERT_EQ(weft_slot_create([](void*) { ++ended; }, &slot), 0);
  ended = 0;
  int set = 0;
  int found = 0;
  for (int i = 0; i < loops; ++i)
    loop_of_two([] {},
                [&] {
                  found += weft_slot_get(slot) != nullptr ? 1 : 0;
                  if (i % 3 != 0) return;
                  EXPECT_EQ(weft_slot_set(slot, &set), 0);
                  ++set;
                });
  ASSERT_EQ(found, 0);
  EXPECT_EQ(set, (loops + 2) / 3);
  while (ended != set) weft_task_yield();
  EXPECT_EQ(weft_slot_delete(slot), 0);
}

TEST_F(loops_in_a_row, find_no_record_of_the_loop_before) {
  int found = 0;
  for (int i = 0; i < loops; ++i)
    loop_of_two([] {},
                [&] {
                  found += weft_task_record() != nullptr ? 1 : 0;
                  if (i % 3 != 0) return;
                  EXPECT_EQ(weft_task_set_record(&found), 0);
                });
  EXPECT_EQ(found, 0);
}

// Two loops in turn, each at its own place in the program.
TEST_F(loops_in_a_row, have_their_helper_spawned_where_each_of_them_stands) {
  void* first = nullptr;
  void* second = nullptr;
  int at_caller = 0;
  int wrong = 0;
  const auto check = [&wrong](void*& site) {
    void* const here = weft_task_spawn_site(nullptr);
    if (site == nullptr) site = here;
    wrong += here != site ? 1 : 0;
  };
  for (int i = 0; i < loops / 2; ++i) {
    loop_of_two([] {}, [&] { check(first); });
    loop_of_two([&] { ++at_caller; }, [&] { check(second); });
  }
  EXPECT_EQ(at_caller, loops / 2);
  EXPECT_EQ(wrong, 0);
  EXPECT_NE(first, second);
}

// What is sent to the helper's worker between two loops is not kept waiting by the next ones.
TEST_F(loops_in_a_row, let_what_is_sent_to_the_helper_run_between_them) {
  std::atomic<int> ran{0};
  const uint32_t other = 1 - weft_worker_index();
  for (int i = 0; i < loops; ++i) {
    loop_of_two([] {}, [] {});
    if (i % 7 != 0) continue;
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.worker = other;
    weft_task_t t = nullptr;
    const auto count = [](void* sum) -> void* {
      ++*static_cast<std::atomic<int>*>(sum);
      return nullptr;
    };
    ASSERT_EQ(weft_task_spawn_with(count, &ran, &how, &t), 0);
    if (i % 2 == 0) loop_of_two([] {}, [] {});
    ASSERT_EQ(weft_task_join(t, nullptr), 0);
  }
  EXPECT_EQ(ran, (loops + 6) / 7);
}

}  // namespace
}  // namespace weft::rt
