// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of the thread that started Weft and did not stop it, while other threads are guests: it
// waits for them, and is worker 0 meanwhile.
#include <atomic>
#include <cerrno>
#include <thread>

#include "support.hpp"

namespace weft::test {
namespace {

constexpr uint32_t workers = 3;

// Starts Weft and ends; worker 1 is a guest's to be.
void start_and_end(const std::atomic<bool>& may_end, std::atomic<bool>& started) {
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = workers;
  config.main_mode = WEFT_MAIN_WORKER;
  EXPECT_EQ(weft_start(&config), 0);
  EXPECT_EQ(weft_worker_remove(1, 0), 0);
  started = true;
  EXPECT_TRUE(compute_until([&] { return may_end.load(); }));  // and runs no task before
}

void expect_stopped() {
  EXPECT_EQ(weft_worker_count(), 0u);
  EXPECT_EQ(weft_stop(), -ENOTCONN);
}

TEST(lifecycle_thread_end, guests_are_waited_for_while_worker_0_runs_tasks) {
  std::atomic<bool> started{false};
  std::atomic<bool> may_end{false};
  std::thread starter([&] { start_and_end(may_end, started); });
  std::thread guest([&] {
    EXPECT_TRUE(compute_until([&] { return started && weft_guest_begin(1) == 0; }));
    may_end = true;
    for (int i = 0; i < 20; ++i) {
      std::atomic<bool> ran{false};
      auto tell = [&] { ran = true; };
      const weft_task_t t = spawn(tell, on_worker(0));
      ASSERT_TRUE(yield_until([&] { return ran.load(); })) << "worker 0 has no thread any more";
      join(t);
    }
    EXPECT_EQ(weft_guest_end(), 0);
  });
  guest.join();
  starter.join();
  expect_stopped();
}

TEST(lifecycle_thread_end, guests_that_come_and_go_at_the_same_time) {
  for (int round = 0; round < scaled(60); ++round) {
    std::atomic<bool> started{false};
    std::atomic<bool> may_end{false};
    std::thread starter([&] { start_and_end(may_end, started); });
    std::thread guest([&] {
      EXPECT_TRUE(compute_until([&] { return started && weft_guest_begin(1) == 0; }));
      may_end = true;
      EXPECT_EQ(weft_guest_end(), 0);
      for (int i = 0; i < round % 4 && weft_guest_begin(1) == 0; ++i)
        EXPECT_EQ(weft_guest_end(), 0);
    });
    guest.join();
    starter.join();
    expect_stopped();
  }
}

}  // namespace
}  // namespace weft::test
