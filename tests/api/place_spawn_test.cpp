// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of a shepherd: they run and resume on its workers alone, and on any of these.
// WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <array>
#include <cerrno>
#include <thread>
#include <vector>

#include "shepherds.hpp"

namespace weft::test {
namespace {

class place_spawn : public with_shepherds {};

weft_spawn_t on_shepherd(uint32_t s) { return on_worker(WEFT_SHEPHERD(s)); }

TEST_F(place_spawn, a_task_runs_and_resumes_on_its_shepherd) {
  const int count = scaled(400);
  std::atomic<int> elsewhere{0};
  weft_latch_t done;
  weft_latch_init(&done, static_cast<uint32_t>(2 * count));
  struct visitor {
    std::atomic<int>& elsewhere;
    weft_latch_t& done;
    uint32_t home;
    void look() const {
      if (weft_shepherd_index() != home) ++elsewhere;
    }
    void operator()() const {
      look();
      weft_task_yield();
      look();
      weft_task_sleep_for(1000);
      look();
      auto nothing = [] {};
      const weft_task_t child = spawn(nothing);
      weft_task_yield();
      look();
      join(child);
      look();
      weft_latch_count_down(&done, 1);
    }
  };
  std::array<visitor, 2> at{visitor{elsewhere, done, 0}, visitor{elsewhere, done, last}};
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < count; ++i)
    for (visitor& v : at) tasks.push_back(spawn(v, on_shepherd(v.home)));
  EXPECT_EQ(weft_latch_wait(&done), 0);
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(place_spawn, all_workers_of_the_shepherd_run_its_tasks) {
  uint32_t first = 0;
  const auto workers = static_cast<uint32_t>(weft_shepherd_workers(last, &first));
  std::atomic<uint32_t> met{0};
  auto meet = [&] {
    ++met;
    EXPECT_TRUE(compute_until([&] { return met >= workers; }));
  };
  std::vector<weft_task_t> tasks;
  const uint32_t others = workers - (weft_shepherd_index() == last ? 1 : 0);
  for (uint32_t i = 0; i < others; ++i) tasks.push_back(spawn(meet, on_shepherd(last)));
  if (others < workers) meet();
  for (const weft_task_t t : tasks) join(t);
}

TEST_F(place_spawn, an_owner_that_computes_hides_none_of_them) {
  std::atomic<int> ran{0};
  auto one = [&] {
    weft_task_yield();
    ++ran;
  };
  // The tasks are queued by the one that computes, for its own shepherd.
  auto owner = [&] {
    std::vector<weft_task_t> tasks;
    for (int i = 0; i < 100; ++i) tasks.push_back(spawn(one, on_shepherd(weft_shepherd_index())));
    EXPECT_TRUE(compute_until([&] { return ran == 100; }));
    for (const weft_task_t t : tasks) join(t);
  };
  join(spawn(owner, on_shepherd(last)));
}

TEST_F(place_spawn, a_task_wanders_from_shepherd_to_shepherd) {
  auto wander = [this] {
    for (int i = 0; i < scaled(200); ++i) {
      const uint32_t to = i % 2 == 0 ? last : 0;
      ASSERT_EQ(weft_task_migrate(WEFT_SHEPHERD(to)), 0);
      EXPECT_EQ(weft_shepherd_index(), to);
      weft_task_yield();
      EXPECT_EQ(weft_shepherd_index(), to);
    }
    EXPECT_EQ(weft_task_migrate(WEFT_SHEPHERD(last + 1)), -ERANGE);
    EXPECT_EQ(weft_task_migrate(3), 0);
    EXPECT_EQ(weft_worker_index(), 3u);
    EXPECT_EQ(weft_task_migrate(WEFT_SHEPHERD(0)), 0);
    EXPECT_EQ(weft_shepherd_index(), 0u);
    EXPECT_EQ(weft_task_migrate(WEFT_ANYWHERE), 0);
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 8; ++i) tasks.push_back(spawn(wander, with_flags(0)));
  // main stays on its own stack: nothing of it can be beneath them
  weft_latch_t never;
  weft_latch_init(&never, 1);
  EXPECT_EQ(weft_latch_wait_until(&never, weft_time_now_ns() + 1000000), -ETIMEDOUT);
  for (const weft_task_t t : tasks) {
    while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
  }
}

TEST_F(place_spawn, a_joiner_goes_home_when_its_child_took_the_stack_away) {
  auto away = [] {
    ASSERT_EQ(weft_task_migrate(WEFT_SHEPHERD(0)), 0);
    EXPECT_EQ(weft_shepherd_index(), 0u);
  };
  auto stays = [&] {
    for (int i = 0; i < scaled(100); ++i) {
      join(spawn(away));
      EXPECT_EQ(weft_shepherd_index(), last);
    }
  };
  auto parent = [&] { join(spawn(stays, on_shepherd(last))); };
  run_apart(parent);
}

TEST_F(place_spawn, one_that_is_sticky_stays_with_the_worker_that_began_it) {
  auto body = [this] {
    const uint32_t began = weft_worker_index();
    EXPECT_EQ(weft_shepherd_index(), last);
    for (int i = 0; i < 50; ++i) {
      weft_task_yield();
      EXPECT_EQ(weft_worker_index(), began);
    }
  };
  weft_spawn_t how = on_shepherd(last);
  how.flags = WEFT_SPAWN_STICKY;
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 8; ++i) tasks.push_back(spawn(body, how));
  for (const weft_task_t t : tasks) join(t);
}

TEST_F(place_spawn, threads_outside_spawn_to_shepherds) {
  std::atomic<int> right{0};
  auto one = [&] {
    if (weft_shepherd_index() == last) ++right;
  };
  std::thread([&] {
    for (int i = 0; i < 100; ++i) join(spawn(one, on_shepherd(last)));
  }).join();
  EXPECT_EQ(right, 100);
}

TEST_F(place_spawn, parents_that_poll_for_children_of_other_shepherds_end) {
  struct node {
    uint32_t last;
    int depth;
    std::atomic<int> left{0};
    void operator()() {
      if (depth == 0) return;
      node a{last, depth - 1, {}};
      node b{last, depth - 1, {}};
      const weft_task_t first = spawn(a, on_shepherd(0));
      const weft_task_t second = spawn(b, on_shepherd(last));
      for (const weft_task_t t : {first, second})
        while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
    }
  };
  node root{last, tsan ? 3 : 7, {}};
  join(spawn(root, on_shepherd(last)));
}

TEST_F(place_spawn, a_place_that_does_not_exist_is_refused) {
  auto nothing = [] {};
  weft_task_t t = nullptr;
  for (const uint32_t where : {WEFT_SHEPHERD(last + 1), 4u, WEFT_SHEPHERD(0x7ffffffe)}) {
    const weft_spawn_t how = on_worker(where);
    EXPECT_EQ(weft_task_spawn_with(call<decltype(nothing)>, &nothing, &how, &t), -ERANGE);
  }
}

weft_loop_t loop_on(uint32_t s, uint32_t schedule) {
  weft_loop_t how = WEFT_LOOP_INIT;
  how.where = WEFT_SHEPHERD(s);
  how.schedule = schedule;
  return how;
}

// The iterations of a loop on one shepherd: how often each ran, and how many elsewhere.
struct bound_loop {
  explicit bound_loop(uint32_t s) : shepherd(s) {}

  uint32_t shepherd;
  std::array<std::atomic<int>, 500> seen{};
  std::atomic<int> elsewhere{0};
  void (*within)() = [] {};

  static void run(int64_t begin, int64_t end, void* arg) {
    auto& mine = *static_cast<bound_loop*>(arg);
    for (int64_t i = begin; i < end; ++i) {
      if (weft_shepherd_index() != mine.shepherd) ++mine.elsewhere;
      mine.within();
      ++mine.seen.at(static_cast<size_t>(i));
    }
  }
  int start(uint32_t schedule) {
    const weft_loop_t how = loop_on(shepherd, schedule);
    return weft_loop_run(0, static_cast<int64_t>(seen.size()), 1, run, this, &how);
  }
  void expect_each(int times) const {
    for (const auto& c : seen) ASSERT_EQ(c, times);
    EXPECT_EQ(elsewhere, 0);
  }
};

TEST_F(place_spawn, a_loop_bound_to_a_shepherd_runs_there_alone) {
  for (const uint32_t s : {0u, last}) {
    bound_loop loop(s);
    loop.within = [] { weft_task_yield(); };
    int times = 0;
    for (const uint32_t schedule : {WEFT_LOOP_ADAPTIVE, WEFT_LOOP_BALANCED, WEFT_LOOP_FIXED,
                                    WEFT_LOOP_GUIDED, WEFT_LOOP_FACTORED, WEFT_LOOP_EACH}) {
      auto start = [&] { EXPECT_EQ(loop.start(schedule), 0); };
      start();  // by the thread that started Weft
      std::thread(start).join();
      join(spawn(start));                     // by a free task
      join(spawn(start, on_shepherd(0)));     // by one that stays here,
      join(spawn(start, on_shepherd(last)));  // or there
      times += 5;
    }
    loop.expect_each(times);
  }
}

TEST_F(place_spawn, all_workers_of_the_shepherd_take_part_in_its_loop) {
  if (all_sticky()) GTEST_SKIP() << "others get nothing of a caller that does not call the runtime";
  const auto workers = static_cast<uint32_t>(weft_shepherd_workers(last, nullptr));
  std::atomic<uint32_t> here{0};
  struct call {
    std::atomic<uint32_t>& here;
    uint32_t workers;
  } c{here, workers};
  const auto body = [](int64_t, int64_t, void* arg) {
    const call& mine = *static_cast<call*>(arg);
    ++mine.here;
    EXPECT_TRUE(compute_until([&] { return mine.here == mine.workers; }));
  };
  const weft_loop_t how = loop_on(last, WEFT_LOOP_BALANCED);
  EXPECT_EQ(weft_loop_run(0, workers, 1, body, &c, &how), 0);
}

TEST_F(place_spawn, a_loop_within_another_may_be_bound_elsewhere) {
  bound_loop inner(0);
  struct call {
    bound_loop& inner;
    uint32_t last;
  } c{inner, last};
  const auto body = [](int64_t begin, int64_t end, void* arg) {
    const call& mine = *static_cast<call*>(arg);
    for (int64_t i = begin; i < end; ++i) {
      EXPECT_EQ(mine.inner.start(WEFT_LOOP_ADAPTIVE), 0);
      EXPECT_EQ(weft_shepherd_index(), mine.last);
    }
  };
  const weft_loop_t how = loop_on(last, WEFT_LOOP_ADAPTIVE);
  EXPECT_EQ(weft_loop_run(0, 20, 1, body, &c, &how), 0);
  inner.expect_each(20);
}

TEST_F(place_spawn, loops_that_nobody_joins_leave_no_invitation_with_the_shepherd) {
  std::atomic<bool> over{false};
  std::atomic<int> busy{0};
  auto computes = [&] {
    ++busy;
    EXPECT_TRUE(compute_until([&] { return over.load(); }));
  };
  auto loops = [&] {
    EXPECT_EQ(weft_task_set_sticky(1), 0);  // so that a yield does not wait at the end of the list
    bound_loop loop(last);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(loop.start(WEFT_LOOP_FIXED), 0);
    loop.expect_each(100);
    // A hundred invitations would lie before what is spawned now, and a yield comes to one task.
    std::atomic<bool> began{false};
    auto next = [&] { began = true; };
    const weft_task_t t = spawn(next, on_shepherd(last));
    int yields = 0;
    while (!began) {
      weft_task_yield();
      ++yields;
    }
    EXPECT_LT(yields, 50);
    join(t);
    over = true;
  };
  // All workers of the shepherd but one compute.
  const int others = weft_shepherd_workers(last, nullptr) - 1;
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < others; ++i) tasks.push_back(spawn(computes, on_shepherd(last)));
  EXPECT_TRUE(yield_until([&] { return busy == others; }));
  join(spawn(loops, on_shepherd(last)));
  for (const weft_task_t t : tasks) join(t);
}

TEST_F(place_spawn, a_loop_bound_to_what_is_no_shepherd_is_refused) {
  const auto nothing = [](int64_t, int64_t, void*) {};
  weft_loop_t how = loop_on(last + 1, WEFT_LOOP_DEFAULT);
  EXPECT_EQ(weft_loop_run(0, 1, 1, nothing, nullptr, &how), -ERANGE);
  how.where = 1;  // a worker
  EXPECT_EQ(weft_loop_run(0, 1, 1, nothing, nullptr, &how), -EINVAL);
  how.where = 0;
  EXPECT_EQ(weft_loop_run(0, 1, 1, nothing, nullptr, &how), 0);
  if (last == 0) return;  // every caller stays there
  how = loop_on(last, WEFT_LOOP_DEFAULT);
  auto stackless = [&] { EXPECT_EQ(weft_loop_run(0, 1, 1, nothing, nullptr, &how), -EPERM); };
  weft_spawn_t request = on_shepherd(0);
  request.flags = WEFT_SPAWN_STACKLESS;
  join(spawn(stackless, request));
}

}  // namespace
}  // namespace weft::test
