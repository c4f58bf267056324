// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that start when other tasks are done.
#include <cerrno>
#include <functional>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

// WEFT_TEST_AT_WORKERS
class spawn_after : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(weft_start(nullptr), 0); }
  void TearDown() override { EXPECT_EQ(weft_stop(), 0); }

  // Notes in what order the tasks of a test have run: all that precede it have.
  template <class F>
  weft_task_t after(F& f, std::vector<weft_task_t> before, const weft_spawn_t* how = nullptr) {
    weft_task_t t = nullptr;
    EXPECT_EQ(weft_task_spawn_after(call<F>, &f, how, before.data(), before.size(), &t), 0);
    for (const weft_task_t each : before) EXPECT_EQ(each, nullptr);
    return t;
  }
  template <class F>
  static void* call(void* f) {
    (*static_cast<F*>(f))();
    return f;
  }
};

TEST_F(spawn_after, starts_when_all_are_done) {
  weft_semaphore_t go[3] = {WEFT_SEMAPHORE_INIT(0), WEFT_SEMAPHORE_INIT(0), WEFT_SEMAPHORE_INIT(0)};
  std::atomic<int> done{0};
  std::vector<std::function<void()>> bodies;
  for (weft_semaphore_t& s : go)
    bodies.emplace_back([&] {
      EXPECT_EQ(weft_semaphore_wait(&s), 0);
      ++done;
    });
  std::vector<weft_task_t> before;
  for (auto& body : bodies) before.push_back(spawn(body));
  std::atomic<int> seen{-1};
  auto last = [&] { seen = done.load(); };
  const weft_task_t t = after(last, before);
  for (const int i : {2, 0, 1}) {
    for (int k = 0; k < 3; ++k) weft_task_yield();
    EXPECT_EQ(seen, -1);
    EXPECT_EQ(weft_task_try_join(t, nullptr), -EBUSY);
    EXPECT_EQ(weft_semaphore_post(&go[i], 1), 0);
  }
  void* result = nullptr;
  EXPECT_EQ(weft_task_join(t, &result), 0);
  EXPECT_EQ(result, &last);
  EXPECT_EQ(seen, 3);
}

TEST_F(spawn_after, starts_at_once_when_all_are_done_or_there_are_none) {
  std::atomic<int> ran{0};
  auto counts = [&] { ++ran; };
  const weft_task_t first = after(counts, {});
  ASSERT_TRUE(yield_until([&] { return ran == 1; }));
  join(after(counts, {first}));
  EXPECT_EQ(ran, 2);
}

TEST_F(spawn_after, a_chain_runs_in_its_order) {
  constexpr int length = scaled(2000);
  std::vector<int> order;  // plain: each task follows the one before
  struct link {
    std::vector<int>* order;
    int number;
    void operator()() const { order->push_back(number); }
  };
  std::vector<link> links;
  for (int i = 0; i < length; ++i) links.push_back({&order, i});
  weft_task_t last = spawn(links[0]);
  for (int i = 1; i < length; ++i) last = after(links[i], {last});
  join(last);
  ASSERT_EQ(order.size(), static_cast<std::size_t>(length));
  for (int i = 0; i < length; ++i) ASSERT_EQ(order[i], i);
}

// What each row of a pyramid writes, the next one reads without further ado.
TEST_F(spawn_after, a_task_sees_what_those_before_it_did) {
  constexpr int wide = 64;
  for (int round = 0; round < scaled(20); ++round) {
    std::vector<int> sums(wide, 1);
    struct adder {
      int* into;
      const int* from;
      void operator()() const { *into += *from; }
    };
    auto nothing = [] {};
    std::vector<weft_task_t> row;
    for (int i = 0; i < wide; ++i) row.push_back(spawn(nothing));
    std::vector<adder> adders;
    adders.reserve(2 * wide);
    for (int gap = 1; gap < wide; gap *= 2) {
      std::vector<weft_task_t> next;
      for (int i = 0; i + gap < wide; i += 2 * gap) {
        adders.push_back({&sums[i], &sums[i + gap]});
        next.push_back(after(adders.back(), {row[2 * next.size()], row[2 * next.size() + 1]}));
      }
      row = next;
    }
    join(row.front());
    ASSERT_EQ(sums[0], wide);
  }
}

TEST_F(spawn_after, threads_outside_may_ask_for_it) {
  std::atomic<int> ran{0};
  auto counts = [&] { ++ran; };
  std::atomic<bool> over{false};
  std::thread outside([&] {
    join(after(counts, {spawn(counts), spawn(counts)}));
    over = true;
  });
  EXPECT_TRUE(yield_until([&] { return over.load(); }));  // this thread is a worker
  outside.join();
  EXPECT_EQ(ran, 3);
}

TEST_F(spawn_after, takes_what_a_spawn_takes) {
  weft_spawn_t how = with_flags(WEFT_SPAWN_STACKLESS);
  how.name = "successor";
  auto named = [] { EXPECT_STREQ(weft_task_name(nullptr), "successor"); };
  auto nothing = [] {};
  join(after(named, {spawn(nothing)}, &how));
}

TEST_F(spawn_after, the_handle_may_take_the_place_of_one_of_the_others) {
  std::atomic<int> ran{0};
  auto counts = [&] { ++ran; };
  const auto fn = call<decltype(counts)>;
  weft_task_t last = spawn(counts);
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(weft_task_spawn_after(fn, &counts, nullptr, &last, 1, &last), 0);
    ASSERT_NE(last, nullptr);
  }
  weft_task_t tasks[] = {spawn(counts), last, spawn(counts)};
  ASSERT_EQ(weft_task_spawn_after(fn, &counts, nullptr, tasks, 3, &tasks[1]), 0);
  EXPECT_EQ(tasks[0], nullptr);
  EXPECT_EQ(tasks[2], nullptr);
  ASSERT_NE(tasks[1], nullptr);
  join(tasks[1]);
  EXPECT_EQ(ran, 14);
}

TEST_F(spawn_after, what_cannot_be_is_refused_and_changes_nothing) {
  auto nothing = [] {};
  weft_task_t t = nullptr;
  weft_task_t tasks[] = {spawn(nothing), nullptr};
  const auto fn = call<decltype(nothing)>;
  EXPECT_EQ(weft_task_spawn_after(nullptr, nullptr, nullptr, tasks, 1, &t), -EINVAL);
  EXPECT_EQ(weft_task_spawn_after(fn, &nothing, nullptr, nullptr, 1, &t), -EINVAL);
  EXPECT_EQ(weft_task_spawn_after(fn, &nothing, nullptr, tasks, 2, &t), -EINVAL);
  const weft_spawn_t now = with_flags(WEFT_SPAWN_WORK_FIRST);
  EXPECT_EQ(weft_task_spawn_after(fn, &nothing, &now, tasks, 1, &t), -EINVAL);
  const weft_spawn_t nowhere = on_worker(weft_worker_count());
  EXPECT_EQ(weft_task_spawn_after(fn, &nothing, &nowhere, tasks, 1, &t), -ERANGE);
  EXPECT_EQ(t, nullptr);
  ASSERT_NE(tasks[0], nullptr);
  join(tasks[0]);
}

}  // namespace
}  // namespace weft::test
