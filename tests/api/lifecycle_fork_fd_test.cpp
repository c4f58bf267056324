// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork() while tasks of the parent wait for descriptors and sleep: the child has a set and timers
// of its own.
#include <fcntl.h>
#include <poll.h>
#include <thread>

#include "children.hpp"

namespace weft::test {
namespace {

// Sleeps, and waits for a pipe with and without success. True: all as it should be.
bool waits_work() {
  int end[2];
  if (pipe2(end, O_CLOEXEC) != 0) return false;
  struct packet {
    int fd;
    std::atomic<int> timed_out{0};
    int came = 0;
  } p{end[0]};
  const auto reader = [](void* arg) -> void* {
    auto& mine = *static_cast<packet*>(arg);
    mine.timed_out = weft_fd_wait_until(mine.fd, POLLIN, weft_time_now_ns() + 1'000'000);
    mine.came = weft_fd_wait(mine.fd, POLLIN);
    return nullptr;
  };
  weft_task_t t = nullptr;
  if (weft_task_spawn(reader, &p, &t) != 0) return false;
  while (p.timed_out == 0)
    if (weft_task_sleep_for(100'000) != 0) return false;
  const bool written = write(end[1], "x", 1) == 1;
  const bool joined = weft_task_join(t, nullptr) == 0;
  close(end[0]);
  close(end[1]);
  return written && joined && p.timed_out == -ETIMEDOUT && p.came == POLLIN;
}

void child_waits_anew() {
  if (weft_worker_count() != 0) _exit(1);
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 2;
  for (int round = 0; round < 2; ++round) {
    if (weft_start(&config) != 0) _exit(2);
    if (!waits_work()) _exit(3);
    if (weft_stop() != 0) _exit(4);
  }
  _exit(0);
}

TEST(lifecycle_fork_fd, the_child_waits_with_a_set_of_its_own) {
  const runtime weft(2);
  int end[2];
  ASSERT_EQ(pipe2(end, O_CLOEXEC), 0);
  std::atomic<int> came{0};
  std::atomic<bool> waits{false};
  auto reader = [&] {
    waits = true;
    came = weft_fd_wait(end[0], POLLIN);
  };
  auto sleeper = [] { EXPECT_EQ(weft_task_sleep_for(20'000'000), 0); };
  const weft_task_t r = spawn(reader);
  const weft_task_t s = spawn(sleeper);
  ASSERT_TRUE(yield_until([&] { return waits.load(); }));
  EXPECT_TRUE(waits_work());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(end_of_child(child_waits_anew), "exit 0");
  // From a thread outside, too; and the parent's waits are as they were.
  std::thread([] { EXPECT_EQ(end_of_child(child_waits_anew), "exit 0"); }).join();
  EXPECT_TRUE(waits_work());
  EXPECT_EQ(came, 0);
  ASSERT_EQ(write(end[1], "x", 1), 1);
  join(r);
  join(s);
  EXPECT_EQ(came, POLLIN);
  close(end[0]);
  close(end[1]);
}

}  // namespace
}  // namespace weft::test
