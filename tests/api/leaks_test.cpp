// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A leak sanitizer finds nothing of Weft's while it runs: a program may end so, without a stop.
// WEFT_TEST_AT_WORKERS
#include <vector>

#include "support.hpp"

// Weak: there only with a leak sanitizer.
extern "C" [[gnu::weak]] int __lsan_do_recoverable_leak_check();  // NOLINT

namespace weft::test {
namespace {

// 0: nothing was lost.
int leaks() { return __lsan_do_recoverable_leak_check(); }

class leaks_while_it_runs : public testing::Test {
 protected:
  void SetUp() override {
    if (__lsan_do_recoverable_leak_check == nullptr) GTEST_SKIP() << "no leak sanitizer";
    ASSERT_EQ(weft_start(nullptr), 0);
  }
  void TearDown() override { weft_stop(); }
};

TEST_F(leaks_while_it_runs, workers_and_what_their_deques_have_grown_to_are_known) {
  const auto nothing = [](void*) -> void* { return nullptr; };
  std::vector<weft_task_t> tasks(2000);
  for (weft_task_t& t : tasks) ASSERT_EQ(weft_task_spawn(nothing, nullptr, &t), 0);
  for (const weft_task_t t : tasks) EXPECT_EQ(weft_task_join(t, nullptr), 0);
  EXPECT_EQ(leaks(), 0);
}

TEST_F(leaks_while_it_runs, what_a_waiting_task_was_spawned_with_is_known) {
  static uint64_t word = 0;
  ASSERT_EQ(weft_word_empty(&word), 0);
  const auto reads = [](void* arg) -> void* {
    weft_word_read_ff(&word, nullptr);
    delete static_cast<int*>(arg);
    return nullptr;
  };
  weft_task_t task = nullptr;
  ASSERT_EQ(weft_task_spawn(reads, new int(1), &task), 0);
  for (int i = 0; i < 3; ++i) weft_task_yield();
  EXPECT_EQ(leaks(), 0);
  EXPECT_EQ(weft_word_fill(&word), 0);
  EXPECT_EQ(weft_task_join(task, nullptr), 0);
}

TEST_F(leaks_while_it_runs, what_lies_in_a_long_channel_is_known) {
  weft_channel_t channel = nullptr;
  ASSERT_EQ(weft_channel_create(sizeof(int*), 20'000, &channel), 0);
  int* item = new int(1);
  ASSERT_EQ(weft_channel_send(channel, &item), 0);
  item = nullptr;
  EXPECT_EQ(leaks(), 0);
  ASSERT_EQ(weft_channel_receive(channel, &item), 0);
  delete item;
  weft_channel_destroy(channel);
}

}  // namespace
}  // namespace weft::test
