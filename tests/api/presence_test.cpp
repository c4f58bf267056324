// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers that are disabled, removed, added and moved: what is bound to them runs there, all else
// elsewhere. WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <sched.h>
#include <string>
#include <thread>
#include <vector>

#include "shepherds.hpp"

namespace weft::test {
namespace {

class presence : public with_shepherds {};

constexpr int64_t an_hour_ns = 3'600'000'000'000;

// Counts where tasks ran.
struct places_seen {
  std::array<std::atomic<int>, 4> at{};
  void operator()() { ++at[weft_worker_index()]; }
  int all() const { return at[0] + at[1] + at[2] + at[3]; }
};

// A task bound to a worker has been there since the order, so the order was followed.
void wait_for_orders(uint32_t worker) {
  auto nothing = [] {};
  const weft_task_t t = spawn(nothing, on_worker(worker));
  while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
}

TEST_F(presence, a_disabled_worker_takes_no_task_that_is_not_bound_to_it) {
  for (const uint32_t w : {1u, 3u}) {
    EXPECT_EQ(weft_worker_is_enabled(w), 1);
    EXPECT_EQ(weft_worker_disable(w), 0);
    EXPECT_EQ(weft_worker_disable(w), 0);
    EXPECT_EQ(weft_worker_is_enabled(w), 0);
    wait_for_orders(w);
  }
  places_seen seen;
  const int count = scaled(2000);
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < count; ++i) tasks.push_back(spawn(seen));
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(seen.at[1], 0);
  EXPECT_EQ(seen.at[3], 0);
  EXPECT_EQ(seen.all(), count);
  for (int i = 0; i < 20; ++i) join(spawn(seen, on_worker(3)));
  EXPECT_EQ(seen.at[3], 20) << "it runs what is bound to it";
}

TEST_F(presence, it_takes_all_again_once_it_is_enabled) {
  for (uint32_t w = 1; w < 4; ++w) EXPECT_EQ(weft_worker_disable(w), 0);
  for (uint32_t w = 1; w < 4; ++w) wait_for_orders(w);
  for (uint32_t w = 1; w < 4; ++w) EXPECT_EQ(weft_worker_enable(w), 0);
  std::atomic<int> met{0};
  auto meet = [&] {
    ++met;
    EXPECT_TRUE(compute_until([&] { return met == 4; }));
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 3; ++i) tasks.push_back(spawn(meet));
  meet();
  for (const weft_task_t t : tasks) join(t);
}

TEST_F(presence, what_lies_in_its_queues_goes_to_others) {
  if (all_sticky()) GTEST_SKIP() << "nothing may leave";
  // The worker holds fresh tasks, yielded and woken ones when it is disabled, and blocks then.
  std::atomic<bool> disabled{false};
  std::atomic<int> begun{0};
  places_seen seen;
  weft_semaphore_t go;
  weft_semaphore_init(&go, 0);
  weft_semaphore_t never;
  weft_semaphore_init(&never, 0);
  auto waits = [&] {
    ++begun;
    EXPECT_EQ(weft_semaphore_wait(&go), 0);
    seen();
  };
  auto yields = [&] {
    ++begun;
    while (!disabled) weft_task_yield();
    weft_task_yield();
    seen();
  };
  auto holder = [&] {
    std::vector<weft_task_t> tasks;
    for (int i = 0; i < 4; ++i) tasks.push_back(spawn(waits));
    for (int i = 0; i < 4; ++i) tasks.push_back(spawn(yields));
    EXPECT_TRUE(yield_until([&] { return begun == 8; }));
    EXPECT_EQ(weft_worker_disable(2), 0);
    for (int i = 0; i < 4; ++i) tasks.push_back(spawn(seen));
    EXPECT_EQ(weft_semaphore_post(&go, 4), 0);
    disabled = true;
    EXPECT_EQ(weft_semaphore_wait_until(&never, weft_time_now_ns() + 1000000), -ETIMEDOUT);
    for (const weft_task_t t : tasks)
      while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
    EXPECT_EQ(weft_worker_index(), 2u) << "it is sticky";
  };
  weft_spawn_t how = on_worker(2);
  const weft_task_t t = spawn(holder, how);
  while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
  EXPECT_EQ(seen.all(), 12);
}

TEST_F(presence, and_so_does_a_task_that_is_alone_there_when_it_yields) {
  if (all_sticky()) GTEST_SKIP() << "nothing may leave";
  std::atomic<bool> stop{false};
  std::atomic<uint32_t> at{0};
  auto polls = [&] {
    while (!stop) {
      at = weft_worker_index();
      weft_task_yield();
    }
  };
  const weft_task_t t = spawn(polls);
  EXPECT_TRUE(compute_until([&] { return at != 0; }));
  const uint32_t there = at;
  EXPECT_EQ(weft_worker_disable(there), 0);
  EXPECT_TRUE(compute_until([&] { return at != there; }));
  stop = true;
  join(t);
}

TEST_F(presence, the_last_enabled_worker_cannot_be_disabled) {
  for (uint32_t w = 0; w < 3; ++w) EXPECT_EQ(weft_worker_disable(w), 0);
  EXPECT_EQ(weft_worker_disable(3), -EBUSY);
  EXPECT_EQ(weft_shepherd_disable(last), -EBUSY);
  EXPECT_EQ(weft_worker_is_enabled(3), 1);
  places_seen seen;
  for (uint32_t w = 1; w < 3; ++w) wait_for_orders(w);
  for (int i = 0; i < 20; ++i) {
    const weft_task_t t = spawn(seen);
    while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
  }
  EXPECT_EQ(seen.at[3], 20) << seen.at[0] << " " << seen.at[1] << " " << seen.at[2];
}

TEST_F(presence, the_tasks_of_a_disabled_shepherd_run_on_the_nearest) {
  if (last == 0) GTEST_SKIP() << "one processor, one shepherd";
  uint32_t first = 0;
  const auto count = static_cast<uint32_t>(weft_shepherd_workers(last, &first));
  EXPECT_EQ(weft_shepherd_disable(last), 0);
  for (uint32_t w = first; w < first + count; ++w) wait_for_orders(w);
  places_seen seen;
  for (const uint32_t flags : {0u, uint32_t{WEFT_SPAWN_HIGH}, uint32_t{WEFT_SPAWN_LOW}}) {
    weft_spawn_t how = on_worker(WEFT_SHEPHERD(last));
    how.flags = flags;
    for (int i = 0; i < 20; ++i) join(spawn(seen, how));
  }
  EXPECT_EQ(seen.all(), 60);
  for (uint32_t w = first; w < first + count; ++w) EXPECT_EQ(seen.at[w], 0);
  EXPECT_EQ(weft_shepherd_enable(last), 0);
  for (int i = 0; i < 20; ++i) join(spawn(seen, on_worker(WEFT_SHEPHERD(last))));
  EXPECT_EQ(seen.at[first] + seen.at[first + 1], 20);
}

TEST_F(presence, nothing_is_lost_while_workers_come_and_go) {
  std::atomic<bool> stop{false};
  auto changes = [&] {
    for (uint32_t i = 0; !stop; ++i) {
      const uint32_t w = i % 4;
      const int disabled = weft_worker_disable(w);
      EXPECT_TRUE(disabled == 0 || disabled == -EBUSY);
      if (i % 3 == 0) {
        const int all = weft_shepherd_disable(last);
        EXPECT_TRUE(all == 0 || all == -EBUSY);
      }
      std::this_thread::yield();
      EXPECT_EQ(weft_worker_enable((i * 7 + 1) % 4), 0);
      if (i % 4 == 1) {
        const int gone = weft_worker_remove(1, i % 8 == 1 ? 0 : weft_time_now_ns() + 1000000);
        EXPECT_TRUE(gone == 0 || gone == -EBUSY) << gone;
      }
      if (i % 4 == 3) {
        EXPECT_EQ(weft_worker_add(1), 0);
      }
      if (i % 5 == 0) {
        EXPECT_EQ(weft_shepherd_enable(last), 0);
      }
    }
  };
  std::thread changer(changes);
  std::atomic<int> ran{0};
  auto leaf = [&] {
    weft_task_yield();
    ++ran;
  };
  auto branch = [&] {
    std::vector<weft_task_t> tasks;
    for (int i = 0; i < 8; ++i) {
      weft_spawn_t how = WEFT_SPAWN_INIT;
      if (i == 1) how.worker = WEFT_SHEPHERD(last);
      if (i == 2) how.worker = 2;
      if (i == 3) how.flags = WEFT_SPAWN_HIGH;
      if (i == 4) how.flags = WEFT_SPAWN_LOW;
      if (i == 5) how.flags = WEFT_SPAWN_STICKY;
      tasks.push_back(spawn(leaf, how));
    }
    weft_task_sleep_for(1000);
    for (const weft_task_t t : tasks) join(t);
  };
  const int rounds = scaled(200);
  for (int i = 0; i < rounds; ++i) {
    std::vector<weft_task_t> tasks;
    for (int k = 0; k < 8; ++k) tasks.push_back(spawn(branch));
    for (const weft_task_t t : tasks) join(t);
  }
  EXPECT_EQ(ran, rounds * 64);
  stop = true;
  changer.join();
  EXPECT_EQ(weft_worker_add(1), 0);
}

TEST_F(presence, stop_waits_for_tasks_though_workers_are_disabled) {
  for (uint32_t w = 1; w < 4; ++w) EXPECT_EQ(weft_worker_disable(w), 0);
  static std::atomic<int> ran{0};
  ran = 0;
  auto* const body = +[](void*) -> void* {
    weft_task_sleep_for(2000000);
    ++ran;
    return nullptr;
  };
  for (uint32_t w = 0; w < 4; ++w) {
    const weft_spawn_t how = on_worker(w);
    EXPECT_EQ(weft_task_spawn_with(body, nullptr, &how, nullptr), 0);
  }
  EXPECT_EQ(weft_stop(), 0);
  EXPECT_EQ(ran, 4);
  ASSERT_EQ(weft_start(nullptr), 0);
}

TEST_F(presence, a_worker_is_removed_and_added_again) {
  for (int i = 0; i < scaled(30); ++i) {
    EXPECT_EQ(weft_worker_remove(2, 0), 0);
    EXPECT_EQ(weft_worker_is_enabled(2), 0);
    places_seen seen;
    std::vector<weft_task_t> tasks;
    for (int k = 0; k < 100; ++k) tasks.push_back(spawn(seen));
    for (const weft_task_t t : tasks) join(t);
    EXPECT_EQ(seen.all(), 100);
    EXPECT_EQ(weft_worker_add(2), 0);
    EXPECT_EQ(weft_worker_add(2), 0) << "it is there";
    EXPECT_EQ(weft_worker_is_enabled(2), 1);
    join(spawn(seen, on_worker(2)));
    EXPECT_EQ(seen.all(), 101);
    EXPECT_GE(seen.at[2], 1);
  }
}

TEST_F(presence, nothing_can_be_sent_to_a_worker_that_is_gone) {
  EXPECT_EQ(weft_worker_remove(1, 0), 0);
  EXPECT_EQ(weft_worker_remove(1, 0), 0);
  auto nothing = [] {};
  weft_task_t t = nullptr;
  const weft_spawn_t how = on_worker(1);
  // It goes when it has nothing to do; until then what is sent there keeps it.
  EXPECT_TRUE(yield_until([&] {
    const int spawned = weft_task_spawn_with(call<decltype(nothing)>, &nothing, &how, &t);
    if (spawned == 0) join(t);
    return spawned == -ERANGE;
  }));
  auto goes = [] { EXPECT_EQ(weft_task_migrate(1), -ERANGE); };
  run_apart(goes);
  EXPECT_EQ(weft_worker_add(1), 0);
  join(spawn(nothing, how));
}

TEST_F(presence, what_a_worker_that_went_has_refused_it_refuses_until_it_is_added) {
  const auto nothing = [](void*) -> void* { return nullptr; };
  const weft_spawn_t how = on_worker(1);
  const auto send = [&] { return weft_task_spawn_with(nothing, nullptr, &how, nullptr); };
  for (int round = 0; round < scaled(5000); ++round) {
    EXPECT_TRUE(yield_until([] { return weft_worker_remove(1, 0) == 0; }));
    // Each keeps the worker, which is about to go, or finds it gone; sooner or later after the
    // last.
    const auto pause = std::chrono::nanoseconds(round % 500 * 10);
    for (int k = 0; k < 20; ++k) {
      const auto until = std::chrono::steady_clock::now() + pause;
      while (std::chrono::steady_clock::now() < until) {
      }
      if (send() == 0) continue;
      EXPECT_EQ(send(), -ERANGE) << round;
      break;
    }
    EXPECT_EQ(weft_worker_add(1), 0);
  }
}

TEST_F(presence, who_spawns_to_a_worker_that_goes_meanwhile_is_told_so) {
  // The argument is copied between the question whether the worker is there and the task's being
  // bound to it: long enough for the worker to go.
  std::vector<std::atomic<int>*> argument((std::size_t{1} << 25) / sizeof(void*));
  std::atomic<int> ran{0};
  argument[0] = &ran;
  auto* const count = +[](void* arg) -> void* {
    ++**static_cast<std::atomic<int>**>(arg);
    return nullptr;
  };
  weft_spawn_t how = on_worker(1);
  how.copy_bytes = argument.size() * sizeof argument[0];
  int there = 0;
  for (int round = 0; round < 6; ++round) {
    std::atomic<bool> begins{false};
    std::thread spawner([&] {
      weft_task_t t = nullptr;
      begins = true;
      const int spawned = round % 2 == 0
                              ? weft_task_spawn_with(count, argument.data(), &how, &t)
                              : weft_task_spawn_when(count, argument.data(), &how, nullptr, 0, &t);
      EXPECT_TRUE(spawned == 0 || spawned == -ERANGE) << spawned;
      if (spawned != 0) return;
      ++there;
      join(t);
    });
    EXPECT_TRUE(compute_until([&] { return begins.load(); }));
    const int gone = weft_worker_remove(1, 0);
    EXPECT_TRUE(gone == 0 || gone == -EBUSY) << gone;
    spawner.join();
    EXPECT_EQ(weft_worker_add(1), 0);
  }
  EXPECT_EQ(ran, there);
  EXPECT_EQ(weft_worker_remove(1, 0), 0) << "nothing is bound to it";
  EXPECT_EQ(weft_worker_add(1), 0);
}

TEST_F(presence, tasks_that_are_bound_to_a_worker_keep_it) {
  weft_semaphore_t go;
  weft_semaphore_init(&go, 0);
  std::atomic<int> begun{0};
  auto bound = [&] {
    ++begun;
    EXPECT_EQ(weft_semaphore_wait(&go), 0);
    EXPECT_EQ(weft_worker_index(), 3u);
  };
  const weft_task_t t = spawn(bound, on_worker(3));
  EXPECT_TRUE(yield_until([&] { return begun == 1; }));
  EXPECT_EQ(weft_worker_remove(3, 0), -EBUSY);
  EXPECT_EQ(weft_worker_is_enabled(3), 1) << "nothing has changed";
  EXPECT_EQ(weft_worker_remove(3, weft_time_now_ns() + 2000000), -EBUSY);
  EXPECT_EQ(weft_worker_is_enabled(3), 1);
  auto frees = [&] {
    weft_task_sleep_for(2000000);
    weft_semaphore_post(&go, 1);
  };
  const weft_task_t later = spawn(frees, on_worker(2));
  EXPECT_EQ(weft_worker_remove(3, weft_time_now_ns() + 30000000000), 0) << "it drains";
  EXPECT_EQ(weft_worker_is_enabled(3), 0);
  join(t);
  join(later);
}

TEST_F(presence, a_stackless_task_removes_a_worker_only_where_it_need_not_wait) {
  weft_semaphore_t go = WEFT_SEMAPHORE_INIT(0);
  auto waits = [&] { EXPECT_EQ(weft_semaphore_wait(&go), 0); };
  const weft_task_t bound = spawn(waits, on_worker(2));
  auto removes = [] {
    EXPECT_EQ(weft_worker_remove(2, weft_time_now_ns() + an_hour_ns), -EPERM);
    EXPECT_EQ(weft_worker_is_enabled(2), 1);
    EXPECT_EQ(weft_worker_remove(3, weft_time_now_ns() + an_hour_ns), 0);
  };
  weft_spawn_t how = on_worker(1);
  how.flags = WEFT_SPAWN_STACKLESS;
  join(spawn(removes, how));
  EXPECT_EQ(weft_semaphore_post(&go, 1), 0);
  join(bound);
}

TEST_F(presence, sticky_tasks_keep_the_worker_that_began_them) {
  weft_semaphore_t go = WEFT_SEMAPHORE_INIT(0);
  std::atomic<int> met{0};
  auto stays = [&] {
    const uint32_t where = weft_worker_index();
    ++met;
    EXPECT_TRUE(compute_until([&] { return met == 3; })) << "one on each worker but this";
    EXPECT_EQ(weft_semaphore_wait(&go), 0);
    EXPECT_EQ(weft_worker_index(), where);
  };
  std::array<weft_task_t, 3> tasks;
  for (weft_task_t& t : tasks) t = spawn(stays, with_flags(WEFT_SPAWN_STICKY));
  EXPECT_TRUE(compute_until([&] { return met == 3; }));
  for (uint32_t w = 1; w < 4; ++w) EXPECT_EQ(weft_worker_remove(w, 0), -EBUSY);
  std::thread remover([] { EXPECT_EQ(weft_worker_remove(1, weft_time_now_ns() + an_hour_ns), 0); });
  EXPECT_TRUE(compute_until([] { return weft_worker_is_enabled(1) == 0; }));
  EXPECT_EQ(weft_semaphore_post(&go, 3), 0);
  for (const weft_task_t t : tasks) join(t);
  remover.join();
}

TEST_F(presence, a_disabled_worker_that_is_not_removed_stays_disabled) {
  for (const bool enabled : {false, true}) {
    EXPECT_EQ(enabled ? weft_worker_enable(2) : weft_worker_disable(2), 0);
    std::atomic<bool> go{false};
    auto stays = [&] { EXPECT_TRUE(yield_until([&] { return go.load(); })); };
    const weft_task_t bound = spawn(stays, on_worker(2));
    EXPECT_EQ(weft_worker_remove(2, weft_time_now_ns() + 2'000'000), -EBUSY);
    EXPECT_EQ(weft_worker_is_enabled(2), enabled ? 1 : 0);
    go = true;
    join(bound);
  }
}

TEST_F(presence, the_thread_that_started_and_the_last_worker_stay) {
  EXPECT_EQ(weft_worker_remove(0, 0), -EPERM);
  EXPECT_EQ(weft_worker_disable(0), 0);
  for (uint32_t w = 1; w < 3; ++w) EXPECT_EQ(weft_worker_remove(w, 0), 0);
  EXPECT_EQ(weft_worker_remove(3, 0), -EBUSY);
  EXPECT_EQ(weft_worker_is_enabled(3), 1);
}

TEST_F(presence, timers_of_a_worker_that_goes_are_kept) {
  std::atomic<int> woken{0};
  auto sleeper = [&] {
    weft_task_sleep_for(5000000);
    ++woken;
  };
  std::vector<weft_task_t> tasks;
  for (uint32_t w = 1; w < 4; ++w) {
    auto begins = [&] {
      for (int i = 0; i < 4; ++i) tasks.push_back(spawn(sleeper));
      weft_task_yield();
    };
    join(spawn(begins, on_worker(w)));
    EXPECT_EQ(weft_worker_disable(w), 0);
  }
  if (!all_sticky()) {
    for (uint32_t w = 1; w < 4; ++w) EXPECT_EQ(weft_worker_remove(w, 0), 0);
  }
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(woken, 12);
}

TEST_F(presence, timers_of_a_worker_that_is_gone_are_seen_to_by_those_that_are_never_idle) {
  if (all_sticky()) GTEST_SKIP() << "who sleeps there keeps the worker";
  std::atomic<bool> asleep{false};
  std::atomic<bool> woken{false};
  auto sleeper = [&] {
    EXPECT_EQ(weft_task_migrate(1), 0);
    EXPECT_EQ(weft_task_set_sticky(0), 0);
    asleep = true;
    EXPECT_EQ(weft_task_sleep_for(50'000'000), 0);
    woken = true;
  };
  const weft_task_t t = spawn(sleeper);
  EXPECT_TRUE(yield_until([&] { return asleep.load(); }));
  auto busy = [&] {
    while (!woken) weft_task_yield();
  };
  std::vector<weft_task_t> others;
  for (int i = 0; i < 8; ++i) others.push_back(spawn(busy));
  for (uint32_t w = 1; w < 4; ++w)
    EXPECT_EQ(weft_worker_remove(w, weft_time_now_ns() + an_hour_ns), 0);
  EXPECT_TRUE(yield_until([&] { return woken.load(); }));
  woken = true;
  for (const weft_task_t other : others) join(other);
  join(t);
}

TEST_F(presence, a_worker_moves_to_another_processor) {
  const auto here = static_cast<uint32_t>(weft_worker_processor(0));
  cpu_set_t before;
  CPU_ZERO(&before);
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  for (const uint32_t w : {0u, 1u}) {
    auto count = [] {
      cpu_set_t set;
      CPU_ZERO(&set);
      EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
      return CPU_COUNT(&set);
    };
    auto bound_to_one = [&] { EXPECT_EQ(count(), 1); };
    auto bound_to_none = [&] { EXPECT_EQ(count(), CPU_COUNT(&before)); };
    EXPECT_EQ(weft_worker_bind(w, here), 0);
    wait_for_orders(w);
    join(spawn(bound_to_one, on_worker(w)));
    EXPECT_EQ(weft_worker_bind(w, WEFT_ANYWHERE), 0);
    wait_for_orders(w);
    join(spawn(bound_to_none, on_worker(w)));
  }
  EXPECT_EQ(weft_worker_bind(0, 8191), -ERANGE);
  EXPECT_EQ(weft_worker_bind(0, here), 0);
  wait_for_orders(0);
  EXPECT_EQ(weft_stop(), 0);
  cpu_set_t after;
  CPU_ZERO(&after);
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after)) << "the program's thread has what it had";
  ASSERT_EQ(weft_start(nullptr), 0);
}

// Each of two sets of processors is right somewhere, and wrong elsewhere.
class presence_on_processors : public presence {
 protected:
  void SetUp() override {
    presence::SetUp();
    all_ = processors();
    if (CPU_COUNT(&all_) < 2) GTEST_SKIP() << "one processor";
    CPU_ZERO(&one_);
    const auto here = static_cast<uint32_t>(weft_worker_processor(0));
    CPU_SET(here, &one_);
    EXPECT_EQ(weft_worker_remove(2, 0), 0);
    std::thread([] {  // once it could be a guest's, its thread before has ended
      EXPECT_TRUE(compute_until([] { return weft_guest_begin(2) == 0; }));
      EXPECT_EQ(weft_guest_end(), 0);
    })
        .join();
  }
  static cpu_set_t processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    return set;
  }
  static cpu_set_t processors_of(uint32_t worker) {
    cpu_set_t set;
    auto look = [&] { set = processors(); };
    join(spawn(look, on_worker(worker)));
    return set;
  }
  static bool same(const cpu_set_t& a, const cpu_set_t& b) { return CPU_EQUAL(&a, &b) != 0; }

  cpu_set_t all_{};
  cpu_set_t one_{};
};

TEST_F(presence_on_processors, who_adds_a_worker_does_not_bind_it) {
  std::thread([&] {
    EXPECT_EQ(sched_setaffinity(0, sizeof one_, &one_), 0);
    EXPECT_EQ(weft_worker_add(2), 0);
    EXPECT_TRUE(same(processors(), one_));
  }).join();
  EXPECT_TRUE(same(processors_of(2), all_));
}

TEST_F(presence_on_processors, a_bound_worker_that_adds_one_does_not_bind_it) {
  EXPECT_EQ(weft_worker_bind(0, static_cast<uint32_t>(weft_worker_processor(0))), 0);
  wait_for_orders(0);
  EXPECT_TRUE(same(processors(), one_));
  EXPECT_EQ(weft_worker_add(2), 0);
  EXPECT_TRUE(same(processors_of(2), all_));
}

// Whoever binds the worker, the guest has what it had when it leaves; the next thread has not.
TEST_F(presence_on_processors, a_guest_has_its_own_again_when_it_leaves) {
  const auto here = static_cast<uint32_t>(weft_worker_processor(0));
  for (const bool is_bound_before : {false, true}) {
    std::thread([&] {
      if (is_bound_before) {
        EXPECT_EQ(sched_setaffinity(0, sizeof one_, &one_), 0);
      }
      const cpu_set_t before = processors();
      EXPECT_TRUE(compute_until([] { return weft_guest_begin(2) == 0; }));
      EXPECT_TRUE(same(processors(), before));
      EXPECT_EQ(weft_worker_bind(2, here), 0);
      wait_for_orders(2);
      EXPECT_TRUE(same(processors(), one_));
      EXPECT_EQ(weft_worker_bind(2, WEFT_ANYWHERE), 0);
      wait_for_orders(2);
      EXPECT_TRUE(same(processors(), before)) << "where it was";
      EXPECT_EQ(weft_worker_bind(2, here), 0);
      wait_for_orders(2);
      EXPECT_EQ(weft_guest_end(), 0);
      EXPECT_TRUE(same(processors(), before));
    }).join();
  }
  EXPECT_EQ(weft_worker_add(2), 0);
  EXPECT_TRUE(same(processors_of(2), all_));
}

TEST_F(presence_on_processors, a_carrier_has_its_own_again_when_it_leaves) {
  std::thread carrier([&] {
    EXPECT_EQ(sched_setaffinity(0, sizeof one_, &one_), 0);
    EXPECT_TRUE(compute_until([] { return weft_worker_carry(2) == 0; }));
    EXPECT_TRUE(same(processors(), one_));
  });
  EXPECT_TRUE(yield_until([] { return weft_worker_is_enabled(2) == 1; }));
  EXPECT_TRUE(same(processors_of(2), one_)) << "it is a thread of the program's";
  cpu_set_t other = all_;
  for (int p = 0; p < CPU_SETSIZE; ++p)
    if (CPU_ISSET(p, &one_)) CPU_CLR(p, &other);
  uint32_t there = 0;
  while (!CPU_ISSET(there, &other)) ++there;
  EXPECT_EQ(weft_worker_bind(2, there), 0);
  wait_for_orders(2);
  EXPECT_FALSE(same(processors_of(2), one_));
  EXPECT_EQ(weft_worker_bind(2, WEFT_ANYWHERE), 0);
  wait_for_orders(2);
  EXPECT_TRUE(same(processors_of(2), one_)) << "where it was";
  EXPECT_EQ(weft_worker_bind(2, there), 0);
  wait_for_orders(2);
  EXPECT_EQ(weft_worker_remove(2, weft_time_now_ns() + an_hour_ns), 0);
  carrier.join();
}

TEST_F(presence, a_thread_of_the_program_is_a_guest_for_a_while) {
  EXPECT_EQ(weft_worker_remove(2, 0), 0);
  std::atomic<int> ran{0};
  std::thread([&] {
    for (int round = 0; round < scaled(20); ++round) {
      EXPECT_TRUE(compute_until([] { return weft_guest_begin(2) == 0; }));
      EXPECT_EQ(weft_worker_index(), 2u);
      EXPECT_NE(weft_task_self(), nullptr);
      EXPECT_EQ(weft_guest_begin(2), -EPERM);
      EXPECT_EQ(weft_stop(), -EPERM);
      auto leaf = [&] {
        weft_task_yield();
        ++ran;
      };
      std::vector<weft_task_t> tasks;
      for (int i = 0; i < 20; ++i) tasks.push_back(spawn(leaf));
      for (const weft_task_t t : tasks) join(t);
      EXPECT_EQ(weft_worker_index(), 2u) << "it is bound there";
      auto stays = [] { EXPECT_EQ(weft_guest_end(), -EPERM); };
      join(spawn(stays));
      tasks.clear();
      for (int i = 0; i < 20; ++i) tasks.push_back(spawn(leaf));
      if (all_sticky()) {
        for (const weft_task_t t : tasks) join(t);
        tasks.clear();
      }
      EXPECT_EQ(weft_guest_end(), 0);
      EXPECT_EQ(weft_worker_index(), WEFT_ANYWHERE);
      EXPECT_EQ(weft_task_self(), nullptr);
      for (const weft_task_t t : tasks) join(t);
    }
    EXPECT_EQ(weft_guest_end(), -EPERM);
  }).join();
  EXPECT_EQ(ran, scaled(20) * 40);
}

TEST_F(presence, the_worker_of_a_guest_cannot_be_removed) {
  EXPECT_EQ(weft_worker_remove(2, 0), 0);
  weft_semaphore_t here = WEFT_SEMAPHORE_INIT(0);
  weft_semaphore_t end = WEFT_SEMAPHORE_INIT(0);
  std::thread guest([&] {
    EXPECT_TRUE(compute_until([] { return weft_guest_begin(2) == 0; }));
    EXPECT_EQ(weft_semaphore_post(&here, 1), 0);
    EXPECT_EQ(weft_semaphore_wait(&end), 0);
    EXPECT_EQ(weft_semaphore_value(&end), 0);
    EXPECT_EQ(weft_worker_index(), 2u);
    EXPECT_EQ(weft_guest_end(), 0);
  });
  EXPECT_EQ(weft_semaphore_wait(&here), 0);
  weft_task_sleep_for(1'000'000);  // it waits, perhaps
  EXPECT_EQ(weft_worker_remove(2, 0), -EPERM);
  EXPECT_EQ(weft_worker_remove(2, weft_time_now_ns() + an_hour_ns), -EPERM);
  EXPECT_EQ(weft_semaphore_post(&end, 1), 0);
  guest.join();
  EXPECT_EQ(weft_worker_remove(2, 0), 0) << "it is gone";
}

TEST_F(presence, an_order_to_a_guest_is_followed_at_its_end) {
  EXPECT_EQ(weft_worker_remove(2, 0), 0);
  std::thread([] {
    for (int i = 0; i < scaled(50); ++i) {
      EXPECT_TRUE(compute_until([] { return weft_guest_begin(2) == 0; }));
      EXPECT_EQ(weft_worker_bind(2, static_cast<uint32_t>(weft_worker_processor(2))), 0);
      EXPECT_EQ(weft_guest_end(), 0);
    }
  }).join();
}

TEST_F(presence, guests_take_turns_with_one_worker) {
  EXPECT_EQ(weft_worker_remove(2, 0), 0);
  std::atomic<int> left{scaled(2000)};
  std::atomic<int> ran{0};
  auto leaf = [&] { ++ran; };
  auto guest = [&] {
    while (left.fetch_sub(1) > 0) {
      EXPECT_TRUE(compute_until([] { return weft_guest_begin(2) == 0; }));
      std::array<weft_task_t, 4> tasks;
      for (weft_task_t& t : tasks) t = spawn(leaf);
      for (const weft_task_t t : tasks) join(t);
      EXPECT_TRUE(yield_until([] { return weft_guest_end() != -EBUSY; }));
      EXPECT_EQ(weft_worker_index(), WEFT_ANYWHERE);
    }
  };
  std::thread one(guest);
  std::thread other(guest);
  one.join();
  other.join();
  EXPECT_EQ(ran, 4 * scaled(2000));
}

// It leaves in two steps, between which it gives away what lies in its queues.
TEST_F(presence, a_worker_that_is_added_while_its_guest_leaves_is_there_or_gone) {
  EXPECT_EQ(weft_worker_remove(2, 0), 0);
  for (int round = 0; round < scaled(100); ++round) {
    std::atomic<bool> leaves{false};
    std::thread guest([&] {
      EXPECT_TRUE(compute_until([] { return weft_guest_begin(2) == 0; }));
      leaves = true;
      EXPECT_EQ(weft_guest_end(), 0);
    });
    EXPECT_TRUE(compute_until([&] { return leaves.load(); }));
    for (int i = 0; i < round * 40; ++i) (void)leaves.load();
    EXPECT_EQ(weft_worker_add(2), 0);
    guest.join();
    auto nothing = [] {};
    weft_task_t t = nullptr;
    const weft_spawn_t there = on_worker(2);
    const int sent = weft_task_spawn_with(call<decltype(nothing)>, &nothing, &there, &t);
    EXPECT_EQ(sent, weft_worker_is_enabled(2) == 1 ? 0 : -ERANGE);
    if (sent == 0) join(t);
    EXPECT_EQ(weft_worker_remove(2, weft_time_now_ns() + an_hour_ns), 0);
  }
}

TEST_F(presence, what_is_no_task_of_its_own_keeps_no_guest) {
  EXPECT_EQ(weft_worker_remove(2, 0), 0);
  std::atomic<int> ran{0};
  auto leaf = [&] { ++ran; };
  std::thread([&] {
    EXPECT_TRUE(compute_until([] { return weft_guest_begin(2) == 0; }));
    EXPECT_EQ(weft_worker_disable(2), 0) << "an order";
    join(spawn(leaf));
    EXPECT_EQ(weft_worker_enable(2), 0) << "another one";
    weft_spawn_t urgent = WEFT_SPAWN_INIT;
    urgent.worker = WEFT_SHEPHERD(weft_shepherd_index());
    urgent.flags = WEFT_SPAWN_HIGH;
    weft_task_t t = spawn(leaf, urgent);
    EXPECT_EQ(weft_guest_end(), 0) << "though it was called for the urgent task";
    join(t);
  }).join();
  EXPECT_EQ(ran, 2);
}

TEST_F(presence, stop_is_refused_while_there_is_a_guest) {
  EXPECT_EQ(weft_worker_remove(1, 0), 0);
  std::atomic<int> step{0};
  std::thread guest([&] {
    EXPECT_TRUE(compute_until([] { return weft_guest_begin(1) == 0; }));
    step = 1;
    EXPECT_TRUE(compute_until([&] { return step == 2; }));
    EXPECT_EQ(weft_guest_end(), 0);
  });
  EXPECT_TRUE(compute_until([&] { return step == 1; }));
  EXPECT_EQ(weft_stop(), -EBUSY);
  step = 2;
  guest.join();
}

// Whether the stop that another thread is in waits for the end of all work already.
bool a_stop_drains() {
  std::FILE* file = std::tmpfile();
  EXPECT_GE(weft_report_waiting(fileno(file)), 0);
  std::rewind(file);
  std::string text;
  for (int c; (c = std::getc(file)) != EOF;) text.push_back(static_cast<char>(c));
  std::fclose(file);
  return text.find("waits for the end of all work") != std::string::npos;
}

TEST(presence_itself, a_guest_that_comes_during_a_stop_and_stops_is_refused_at_once) {
  for (const weft_main_mode_t main : {WEFT_MAIN_WORKER, WEFT_MAIN_GUEST}) {
    std::atomic<bool> drains{false};
    std::atomic<bool> refused{false};
    std::thread guest([&] {
      EXPECT_TRUE(compute_until([&] { return drains.load(); }));
      EXPECT_TRUE(compute_until([] { return weft_guest_begin(1) == 0; }));
      EXPECT_EQ(weft_stop(), main == WEFT_MAIN_WORKER ? -EPERM : -EBUSY);
      EXPECT_EQ(weft_guest_end(), 0);
      refused = true;
    });
    auto keeps_it = [&] {
      EXPECT_TRUE(yield_until(a_stop_drains));
      drains = true;
      EXPECT_TRUE(yield_until([&] { return refused.load(); }));
    };
    {
      const runtime weft(3, 0, main);
      EXPECT_TRUE(compute_until([] { return weft_worker_remove(1, 0) == 0; }));
      ASSERT_EQ(weft_task_spawn(call<decltype(keeps_it)>, &keeps_it, nullptr), 0);
    }
    guest.join();
  }
}

TEST_F(presence, a_thread_of_the_program_carries_a_worker) {
  EXPECT_EQ(weft_worker_remove(3, 0), 0);
  std::atomic<std::thread::id> carrier{};
  std::atomic<int> ends{0};
  std::thread thread([&] {
    carrier = std::this_thread::get_id();
    EXPECT_TRUE(compute_until([] { return weft_worker_carry(3) == 0; }));
    ++ends;
    EXPECT_TRUE(compute_until([] { return weft_worker_carry(3) == 0; }));
    ++ends;
  });
  auto one = [&] { EXPECT_EQ(std::this_thread::get_id(), carrier.load()); };
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(compute_until([&] { return ends == round && weft_worker_is_enabled(3) == 1; }));
    for (int i = 0; i < 20; ++i) join(spawn(one, on_worker(3)));
    if (round == 0) {
      EXPECT_EQ(weft_worker_remove(3, 0), 0);
    }
  }
  EXPECT_EQ(weft_stop(), 0) << "which ends it, too";
  thread.join();
  EXPECT_EQ(ends, 2);
  ASSERT_EQ(weft_start(nullptr), 0);
}

// How many turns there are in a second is the kernel's affair, which has to run several threads for
// each. So these two tests have no patience of their own: one that waits in vain is ended by the
// runner.

TEST_F(presence, threads_take_turns_to_carry_one_worker) {
  EXPECT_EQ(weft_worker_remove(3, 0), 0);
  std::atomic<bool> over{false};
  std::atomic<int> carried{0};
  auto carrier = [&] {
    while (!over) {
      const int result = weft_worker_carry(3);
      EXPECT_TRUE(result == 0 || result == -EBUSY || result == -ENOTCONN) << result;
      if (result == 0) ++carried;
    }
  };
  std::thread one(carrier);
  std::thread other(carrier);
  auto leaf = [] { weft_task_yield(); };
  while (carried < scaled(200) && !HasFailure()) {
    std::array<weft_task_t, 8> tasks;
    for (weft_task_t& t : tasks) t = spawn(leaf);
    for (const weft_task_t t : tasks) join(t);
    EXPECT_EQ(weft_worker_remove(3, weft_time_now_ns() + an_hour_ns), 0);
    weft_task_yield();
  }
  over = true;
  EXPECT_EQ(weft_stop(), 0) << "which ends who carries it still";
  one.join();
  other.join();
  ASSERT_EQ(weft_start(nullptr), 0);
}

// Whether it comes before or after, a thread that would be a worker touches nothing of a runtime
// that is gone.
TEST_F(presence, threads_that_would_be_workers_meet_starts_and_stops) {
  std::atomic<bool> over{false};
  std::atomic<int> carried{0};
  std::atomic<int> guests{0};
  auto carrier = [&] {
    while (!over) {
      const int result = weft_worker_carry(3);
      EXPECT_TRUE(result == 0 || result == -EBUSY || result == -ENOTCONN) << result;
      if (result == 0) ++carried;
    }
  };
  auto guest = [&] {
    auto leaf = [] { return weft_task_yield(); };
    while (!over) {
      const int result = weft_guest_begin(2);
      EXPECT_TRUE(result == 0 || result == -EBUSY || result == -ENOTCONN) << result;
      if (result != 0) continue;
      join(spawn(leaf));
      ++guests;
      EXPECT_EQ(weft_guest_end(), 0);
      std::this_thread::sleep_for(
          std::chrono::microseconds{200});  // a stop is refused while there is a guest
    }
  };
  std::thread one(carrier);
  std::thread other(guest);
  const auto stop = [] {
    int result = 0;
    EXPECT_TRUE(yield_until([&] { return (result = weft_stop()) != -EBUSY; }));
    EXPECT_EQ(result, 0);
  };
  while ((carried < scaled(50) || guests < scaled(50)) && !HasFailure()) {
    for (const uint32_t w : {2u, 3u}) {
      const int result = weft_worker_remove(w, 0);
      EXPECT_TRUE(result == 0 || result == -EPERM) << result << ": it is a guest's";
    }
    stop();
    EXPECT_EQ(start(), 0);
  }
  over = true;
  stop();
  one.join();
  other.join();
  ASSERT_EQ(start(), 0);
}

TEST_F(presence, what_does_not_exist_is_refused) {
  EXPECT_EQ(weft_worker_disable(4), -ERANGE);
  EXPECT_EQ(weft_worker_enable(WEFT_ANYWHERE), -ERANGE);
  EXPECT_EQ(weft_worker_is_enabled(4), -ERANGE);
  EXPECT_EQ(weft_worker_remove(4, 0), -ERANGE);
  EXPECT_EQ(weft_worker_remove(3, -1), -EINVAL);
  EXPECT_EQ(weft_worker_is_enabled(3), 1) << "nothing has changed";
  EXPECT_EQ(weft_worker_add(4), -ERANGE);
  EXPECT_EQ(weft_worker_bind(4, WEFT_ANYWHERE), -ERANGE);
  EXPECT_EQ(weft_worker_carry(3), -EPERM) << "the caller is a worker";
  std::thread([] {
    EXPECT_EQ(weft_guest_begin(4), -ERANGE);
    EXPECT_EQ(weft_guest_begin(3), -EBUSY);
    EXPECT_EQ(weft_worker_carry(3), -EBUSY);
    EXPECT_EQ(weft_guest_end(), -EPERM);
  }).join();
  EXPECT_EQ(weft_shepherd_disable(last + 1), -ERANGE);
  EXPECT_EQ(weft_shepherd_enable(last + 1), -ERANGE);
}

TEST(presence_itself, while_weft_does_not_run_there_is_none) {
  EXPECT_EQ(weft_worker_disable(0), -ENOTCONN);
  EXPECT_EQ(weft_worker_enable(0), -ENOTCONN);
  EXPECT_EQ(weft_worker_is_enabled(0), -ENOTCONN);
  EXPECT_EQ(weft_worker_remove(0, 0), -ENOTCONN);
  EXPECT_EQ(weft_worker_add(0), -ENOTCONN);
  EXPECT_EQ(weft_worker_bind(0, 0), -ENOTCONN);
  EXPECT_EQ(weft_guest_begin(0), -ENOTCONN);
  EXPECT_EQ(weft_guest_end(), -EPERM);
  EXPECT_EQ(weft_worker_carry(0), -ENOTCONN);
  EXPECT_EQ(weft_shepherd_disable(0), -ENOTCONN);
  EXPECT_EQ(weft_shepherd_enable(0), -ENOTCONN);
}

}  // namespace
}  // namespace weft::test
