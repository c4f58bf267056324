// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft_report_waiting: who waits for what, where.
#include <cerrno>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include <weft/weft.h>

#include "support.hpp"

namespace {

struct answer {
  int count = 0;
  std::string text;
};

answer report() {
  std::FILE* file = std::tmpfile();
  EXPECT_NE(file, nullptr);
  answer a;
  a.count = weft_report_waiting(fileno(file));
  std::rewind(file);
  for (int c; (c = std::getc(file)) != EOF;) a.text.push_back(static_cast<char>(c));
  std::fclose(file);
  return a;
}

// Asks until `wanted` is in the answer: who waits may still be on the way into its wait.
answer report_with(const std::string& wanted) {
  for (;;) {
    answer a = report();
    if (a.text.find(wanted) != std::string::npos) return a;
    weft_task_yield();
  }
}

std::string hex(const void* p) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", p);
  return text;
}

void* suspend_once(void*) {
  weft_task_suspend();
  return nullptr;
}

void* join_it(void* child) {
  weft_task_join(static_cast<weft_task_t>(child), nullptr);
  return nullptr;
}

TEST(waiting_report, nobody_waits_before_start) { EXPECT_EQ(report().count, 0); }

TEST(waiting_report, shows_a_task_that_waits_for_a_resume_and_one_that_joins_it) {
  ASSERT_EQ(weft_start(nullptr), 0);
  weft_task_t sleeper = nullptr;
  weft_task_t joiner = nullptr;
  ASSERT_EQ(weft_task_spawn(suspend_once, nullptr, &sleeper), 0);
  EXPECT_NE(report_with("task " + hex(sleeper) + ", spawned at")
                .text.find("waits for weft_task_resume of task " + hex(sleeper) + " for "),
            std::string::npos);
  ASSERT_EQ(weft_task_spawn(join_it, sleeper, &joiner), 0);
  const answer both = report_with("waits for the end of task " + hex(sleeper) + " for ");
  EXPECT_EQ(both.count, 2) << both.text;
  EXPECT_NE(both.text.find("task " + hex(joiner)), std::string::npos) << both.text;
  EXPECT_EQ(weft_task_resume(sleeper), 0);
  EXPECT_EQ(weft_task_join(joiner, nullptr), 0);
  EXPECT_EQ(report().count, 0);
  EXPECT_EQ(weft_stop(), 0);
}

TEST(waiting_report, shows_the_name_that_a_task_was_spawned_with) {
  ASSERT_EQ(weft_start(nullptr), 0);
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.name = "heddle\n";
  weft_task_t sleeper = nullptr;
  ASSERT_EQ(weft_task_spawn_with(suspend_once, nullptr, &how, &sleeper), 0);
  const answer one = report_with("task \"heddle?\" " + hex(sleeper) + ", spawned at");
  EXPECT_EQ(one.count, 1) << one.text;
  EXPECT_EQ(weft_task_resume(sleeper), 0);
  EXPECT_EQ(weft_task_join(sleeper, nullptr), 0);
  EXPECT_EQ(weft_stop(), 0);
}

TEST(waiting_report, shows_an_os_thread_that_joins) {
  ASSERT_EQ(weft_start(nullptr), 0);
  weft_task_t sleeper = nullptr;
  ASSERT_EQ(weft_task_spawn(suspend_once, nullptr, &sleeper), 0);
  std::thread outside([&] { EXPECT_EQ(weft_task_join(sleeper, nullptr), 0); });
  const answer a = report_with("waits for the end of task " + hex(sleeper));
  EXPECT_NE(a.text.find("OS thread "), std::string::npos) << a.text;
  EXPECT_EQ(weft_task_resume(sleeper), 0);
  outside.join();
  EXPECT_EQ(weft_stop(), 0);
}

TEST(waiting_report, writes_nothing_where_nobody_waits) { EXPECT_EQ(weft_report_waiting(-1), 0); }

TEST(waiting_report, a_bad_file_is_an_error_where_there_is_something_to_say) {
  ASSERT_EQ(weft_start(nullptr), 0);
  weft_task_t sleeper = nullptr;
  ASSERT_EQ(weft_task_spawn(suspend_once, nullptr, &sleeper), 0);
  (void)report_with("weft_task_resume");
  EXPECT_EQ(weft_report_waiting(-1), -EBADF);
  EXPECT_EQ(weft_task_resume(sleeper), 0);
  EXPECT_EQ(weft_task_join(sleeper, nullptr), 0);
  EXPECT_EQ(weft_stop(), 0);
}

}  // namespace
