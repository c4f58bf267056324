// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call that children are to make is registered when there is memory for it again.
#include <cerrno>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/weft.h>

#include "os/process.hpp"
#include "sched/waiting.hpp"
#include "support/refused_fork_handlers.hpp"

namespace weft::rt {
namespace {

using test::refused_fork_handlers;

class process_no_memory : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::fork_handlers_can_be_refused) GTEST_SKIP() << "they cannot be refused";
  }
};

// Whether it is true in a child.
bool in_child(bool (*what)()) {
  const pid_t child = fork();
  if (child == 0) _exit(what() ? 0 : 1);
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

TEST_F(process_no_memory, a_call_that_was_refused_is_registered_by_the_next_use_and_once) {
  static int told = 0;
  static int others = 0;
  ASSERT_TRUE(os::at_fork_in_child([]() noexcept { ++others; }));  // and what all calls share
  os::child_call call([]() noexcept { ++told; });
  for (int i = 0; i < 2; ++i) {
    refused_fork_handlers = 1;
    EXPECT_FALSE(call.is_registered());
    EXPECT_TRUE(in_child([] { return told == 0 && others == 1; }));
  }
  EXPECT_TRUE(call.is_registered());
  EXPECT_TRUE(call.is_registered());
  EXPECT_TRUE(in_child([] { return told == 1 && others == 1; }));
}

TEST_F(process_no_memory, words_can_be_emptied_later) {
  static uint64_t word = 0;
  refused_fork_handlers = 1;
  EXPECT_EQ(weft_word_empty(&word), -ENOMEM);
  EXPECT_EQ(weft_word_empty(&word), 0);
  EXPECT_TRUE(in_child([] { return weft_word_status(&word) == 1; })) << "the child forgets them";
  EXPECT_EQ(weft_word_fill(&word), 0);
}

TEST_F(process_no_memory, threads_that_wait_are_forgotten_in_later_children) {
  refused_fork_handlers = 1;
  {
    const thread_waits first("a test", nullptr, nullptr);
  }
  const thread_waits second("a test", nullptr, nullptr);
  EXPECT_TRUE(in_child([] {
    bool any = false;
    thread_waits::for_each(
        [](const wait_record::shown&, int64_t, void* seen) { *static_cast<bool*>(seen) = true; },
        &any);
    return !any;
  }));
}

}  // namespace
}  // namespace weft::rt
