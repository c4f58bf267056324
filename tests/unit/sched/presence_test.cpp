// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers of a shepherd get threads again all together, or none does; and removals that outlive
// their workers.
#include "sched/presence.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>

#include <weft/weft.h>

#include "sched/self.hpp"
#include "sched/worker_thread.hpp"

namespace weft::rt {
namespace {

std::atomic<int> threads_left{0};

int start_while_there_are_threads(worker& w) noexcept {
  if (threads_left == 0) return -EAGAIN;
  --threads_left;
  return restart_thread(w);
}

constexpr chosen_workers shepherd_0{0, true};

void* nothing(void*) { return nullptr; }

// Four workers of one shepherd, of which the thread that started alone is there.
class adding : public testing::Test {
 protected:
  void SetUp() override {
    setenv("WEFT_TOPOLOGY", "flat", 1);
    setenv("WEFT_SHEPHERD", "machine", 1);
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = 4;
    ASSERT_EQ(weft_start(&config), 0);
    for (uint32_t w = 1; w < 4; ++w) remove(w);
  }
  void TearDown() override {
    EXPECT_EQ(weft_stop(), 0);
    unsetenv("WEFT_TOPOLOGY");
    unsetenv("WEFT_SHEPHERD");
  }
  static int send(uint32_t to) {
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.worker = to;
    weft_task_t t = nullptr;
    const int spawned = weft_task_spawn_with(nothing, nullptr, &how, &t);
    if (spawned == 0) {
      EXPECT_EQ(weft_task_join(t, nullptr), 0);
    }
    return spawned;
  }
  static void expect_gone(uint32_t w) {
    while (send(w) != -ERANGE) weft_task_yield();
  }
  static void remove(uint32_t w) {
    EXPECT_EQ(weft_worker_remove(w, 0), 0);
    expect_gone(w);
  }
};

TEST_F(adding, fails_for_all_where_one_thread_cannot_be_had) {
  for (int threads = 0; threads < 3; ++threads) {
    threads_left = threads;
    EXPECT_EQ(add_workers(shepherd_0, start_while_there_are_threads), -EAGAIN);
    EXPECT_EQ(threads_left, 0);
    for (uint32_t w = 1; w < 4; ++w) {
      expect_gone(w);
      EXPECT_EQ(weft_worker_is_enabled(w), 0);
    }
    EXPECT_EQ(weft_worker_is_enabled(0), 1);
  }
  threads_left = 3;
  EXPECT_EQ(add_workers(shepherd_0, start_while_there_are_threads), 0);
  for (uint32_t w = 1; w < 4; ++w) {
    EXPECT_EQ(weft_worker_is_enabled(w), 1);
    EXPECT_EQ(send(w), 0);
  }
}

TEST_F(adding, leaves_a_worker_that_is_there_as_it_is_where_it_fails) {
  EXPECT_EQ(weft_worker_add(2), 0);
  EXPECT_EQ(weft_worker_disable(2), 0);
  threads_left = 1;
  EXPECT_EQ(add_workers(shepherd_0, start_while_there_are_threads), -EAGAIN);
  expect_gone(1);
  expect_gone(3);
  EXPECT_EQ(weft_worker_is_enabled(2), 0);
  EXPECT_EQ(send(2), 0);
  threads_left = 2;
  EXPECT_EQ(add_workers(shepherd_0, start_while_there_are_threads), 0);
  for (uint32_t w = 1; w < 4; ++w) EXPECT_EQ(weft_worker_is_enabled(w), 1);
}

void* computes_until_told(void* arg) {
  auto& told = *static_cast<std::atomic<int>*>(arg);
  told = 1;
  while (told != 2) {
  }
  return nullptr;
}

// As a spawn there that finds no memory.
TEST_F(adding, a_worker_that_is_to_go_goes_though_a_task_that_it_was_to_get_does_not_come) {
  ASSERT_EQ(weft_worker_add(1), 0);
  std::atomic<int> told{0};
  weft_task_t t = nullptr;
  ASSERT_EQ(weft_task_spawn(computes_until_told, &told, &t), 0);
  while (told != 1) {  // only worker 1 is there to take it from this one, which does not run it
  }
  EXPECT_EQ(weft_worker_remove(1, 0), 0);
  worker& w = the().workers[1];
  bind_to(w, self());
  const uint64_t slept = w.sleeps.load_relaxed();
  told = 2;
  while (w.sleeps.load_relaxed() == slept || !w.wake.is_idle()) weft_task_yield();
  EXPECT_EQ(presence_of(w), worker_presence::leaving);
  withdraw_from(w);
  while (presence_of(w) != worker_presence::gone) weft_task_yield();
  EXPECT_EQ(weft_task_join(t, nullptr), 0);
}

struct heard_of : removal {
  heard_of() noexcept
      : removal{{[](end_listener& me) noexcept { ++static_cast<heard_of&>(me).times; }},
                {1, false},
                true} {}
  std::atomic<int> times{0};
};

void* waits_for_ever(void*) {
  static weft_semaphore_t never;
  never = WEFT_SEMAPHORE_INIT(0);
  (void)weft_semaphore_wait(&never);
  return nullptr;
}

// Who waits outside may look again only when Weft runs anew, with other workers of the same
// numbers.
TEST(removing, ends_with_the_run_that_it_began_in) {
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 2;
  for (const bool waits_on : {true, false}) {
    ASSERT_EQ(weft_start(&config), 0);
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.worker = 1;
    ASSERT_EQ(weft_task_spawn_with(waits_for_ever, nullptr, &how, nullptr), 0);
    heard_of r;
    ASSERT_EQ(pursue_removal(r), -EAGAIN);
    EXPECT_EQ(weft_worker_is_enabled(1), 0);
    EXPECT_EQ(r.times, 0);
    EXPECT_EQ(weft_stop(), 1) << "the task that waits";
    EXPECT_EQ(r.times, 1);
    ASSERT_EQ(weft_start(&config), 0);
    bool will_hear = false;
    EXPECT_EQ(waits_on ? pursue_removal(r) : give_up_removal(r, will_hear), -ENOTCONN);
    EXPECT_EQ(will_hear, !waits_on) << "it has";
    EXPECT_EQ(weft_worker_is_enabled(1), 1);
    EXPECT_EQ(weft_stop(), 0);
  }
}

}  // namespace
}  // namespace weft::rt
