// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft_report_waiting: who waits for what, where.
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <weft/weft.h>

#include "support.hpp"
#include "support/child.hpp"
#include "support/loader_lock.hpp"

namespace weft::test {
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

TEST(waiting_report, shows_each_of_many_os_threads_once) {
  constexpr int many = 40;
  weft_semaphore_t none = WEFT_SEMAPHORE_INIT(0);
  std::vector<std::thread> threads;
  for (int i = 0; i < many; ++i)
    threads.emplace_back([&] { EXPECT_EQ(weft_semaphore_wait(&none), 0); });
  answer a;
  while ((a = report()).count < many) std::this_thread::yield();
  std::set<std::string> lines;
  std::istringstream text(a.text);
  for (std::string line; std::getline(text, line);) lines.insert(line);
  EXPECT_EQ(a.count, many);
  EXPECT_EQ(lines.size(), static_cast<std::size_t>(many)) << a.text;
  EXPECT_EQ(weft_semaphore_post(&none, many), 0);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(report().count, 0);
}

TEST(waiting_report, tells_a_guest_from_the_thread_that_started) {
  const runtime weft(2);
  ASSERT_TRUE(compute_until([] { return weft_worker_remove(1, 0) == 0; }));
  weft_semaphore_t mine = WEFT_SEMAPHORE_INIT(0);
  weft_semaphore_t its = WEFT_SEMAPHORE_INIT(0);
  std::thread guest([&] {
    EXPECT_TRUE(compute_until([] { return weft_guest_begin(1) == 0; }));
    EXPECT_EQ(weft_semaphore_wait(&its), 0);
    EXPECT_EQ(weft_guest_end(), 0);
  });
  std::thread outside([&] {
    (void)report_with("(the thread that started Weft) waits for semaphore " + hex(&mine));
    const answer a = report_with("waits for semaphore " + hex(&its));
    EXPECT_NE(a.text.find("(a guest) waits for semaphore " + hex(&its)), std::string::npos)
        << a.text;
    EXPECT_EQ(weft_semaphore_post(&its, 1), 0);
    EXPECT_EQ(weft_semaphore_post(&mine, 1), 0);
  });
  EXPECT_EQ(weft_semaphore_wait(&mine), 0);
  guest.join();
  outside.join();
}

// Its descriptor stands in the frame of its joiner, and may be gone when the report comes to it.
TEST(waiting_report, shows_a_fork_by_its_address_alone) {
  ASSERT_EQ(weft_start(nullptr), 0);
  weft_semaphore_t none = WEFT_SEMAPHORE_INIT(0);
  weft_fork_t fork;
  ASSERT_EQ(weft_fork_start(
                &fork,
                [](void* s) -> void* {
                  weft_semaphore_wait(static_cast<weft_semaphore_t*>(s));
                  return nullptr;
                },
                &none),
            0);
  std::thread outside([&] {
    const answer a = report_with("task " + hex(&fork) + " (a fork) waits for semaphore");
    EXPECT_EQ(a.text.find("task " + hex(&fork) + ", spawned at"), std::string::npos) << a.text;
    EXPECT_EQ(weft_semaphore_post(&none, 1), 0);
  });
  EXPECT_EQ(weft_fork_join(&fork, nullptr), 0);
  outside.join();
  EXPECT_EQ(weft_stop(), 0);
}

// Whether the kernel has a thread wait.
bool sleeps(pid_t thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.compare(name_end, 3, ") S") == 0;
}

// While a thread waits in Weft, holds up a report that another writes to fd, as `hold_up` has
// prepared it, and lets the first go on.
template <class HoldUp>
void expect_a_waiting_thread_goes_on(int fd, HoldUp&& hold_up) {
  const outcome o = in_child([&] {
    alarm(10);  // ends it, should that thread wait for the report
    static weft_semaphore_t none = WEFT_SEMAPHORE_INIT(0);
    static std::atomic<bool> went_on{false};
    static std::atomic<bool> may_report{false};
    static std::atomic<pid_t> reporter{0};
    std::thread([] {
      if (weft_semaphore_wait(&none) != 0) _exit(105);
      went_on = true;
    }).detach();
    std::thread([fd] {
      while (!may_report) std::this_thread::yield();
      reporter = gettid();
      (void)weft_report_waiting(fd);
      _exit(106);  // nothing held it up
    }).detach();
    const int anywhere = open("/dev/null", O_WRONLY);
    while (weft_report_waiting(anywhere) != 1) std::this_thread::yield();
    hold_up();
    may_report = true;
    while (reporter == 0 || !sleeps(reporter)) std::this_thread::yield();
    if (weft_semaphore_post(&none, 1) != 0) _exit(107);
    while (!went_on) std::this_thread::yield();
    _exit(42);
  });
  EXPECT_TRUE(o.exited_with(42)) << o.status << "\n" << o.errors;
}

TEST(waiting_report, that_waits_for_the_loader_holds_up_no_thread_that_waits) {
  expect_a_waiting_thread_goes_on(open("/dev/null", O_WRONLY), hold_the_lock_of_the_loader);
}

TEST(waiting_report, that_waits_for_its_reader_holds_up_no_thread_that_waits) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  const char page[4096] = {};
  while (write(ends[1], page, sizeof page) > 0) {
  }
  ASSERT_EQ(fcntl(ends[1], F_SETFL, 0), 0);
  expect_a_waiting_thread_goes_on(ends[1], [] {});
  close(ends[0]);
  close(ends[1]);
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
}  // namespace weft::test
