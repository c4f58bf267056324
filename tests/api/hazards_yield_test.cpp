// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Yield, depth first and fair: few stacks for parents that poll, every older task within two
// yields. WEFT_TEST_AT_SYMMETRIC WEFT_TEST_AT_STICKY
#include <random>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

// On one worker, what runs next is decided by the rules alone.
class hazard_yield : public testing::Test {
 protected:
  const runtime weft_{1};
};

// A node of a binary tree whose parents wait by polling a counter and yielding.
struct polled_node {
  int depth;
  std::atomic<int>* done;
  std::atomic<uint64_t>* most_live;

  static void* run(void* arg) {
    auto* n = static_cast<polled_node*>(arg);
    if (n->depth == 0) {
      const uint64_t live = stats().stacks_live;
      if (live > *n->most_live) *n->most_live = live;
    } else {
      std::atomic<int> children_done{0};
      polled_node left{n->depth - 1, &children_done, n->most_live};
      polled_node right = left;
      EXPECT_EQ(weft_task_spawn(run, &left, nullptr), 0);
      EXPECT_EQ(weft_task_spawn(run, &right, nullptr), 0);
      while (children_done < 2) weft_task_yield();
    }
    ++*n->done;
    return nullptr;
  }
};

TEST_F(hazard_yield, a_polling_binary_tree_of_depth_16_needs_at_most_64_stacks) {
  const int depth = tsan ? 8 : sanitized || emulated ? 12 : 16;
  std::atomic<int> done{0};
  std::atomic<uint64_t> most_live{0};
  polled_node root{depth, &done, &most_live};
  ASSERT_EQ(weft_task_spawn(polled_node::run, &root, nullptr), 0);
  while (done == 0) weft_task_yield();
  EXPECT_GT(most_live, 1u);
  EXPECT_LE(most_live, 64u);
}

TEST_F(hazard_yield, the_first_yield_after_a_spawn_comes_back_when_the_children_are_taken) {
  // Older tasks of others wait meanwhile: the yielder is just behind its own children.
  letters order;
  auto older = [&] { order += 'o'; };
  auto child = [&] { order += 'c'; };
  std::vector<weft_task_t> all;
  all.push_back(spawn(older));
  auto parent = [&] {
    order += 'p';
    all.push_back(spawn(child));
    all.push_back(spawn(child));
    weft_task_yield();
    order += 'P';
    weft_task_yield();
    order += 'Q';
  };
  all.push_back(spawn(parent));
  while (order.size() < 6) weft_task_yield();
  EXPECT_EQ(order.text(), "pccPoQ");
  for (weft_task_t t : all) join(t);
}

TEST_F(hazard_yield, two_tasks_that_yield_alternate) {
  letters order;
  auto a = [&] {
    for (int i = 0; i < 1000; ++i) {
      order += 'a';
      weft_task_yield();
    }
  };
  auto b = [&] {
    for (int i = 0; i < 1000; ++i) {
      order += 'b';
      weft_task_yield();
    }
  };
  const weft_task_t first = spawn(a);
  const weft_task_t second = spawn(b);
  join(first);
  join(second);
  int repeated = 0;
  const std::string text = order.text();
  for (std::size_t i = 1; i < text.size(); ++i) repeated += text[i] == text[i - 1] ? 1 : 0;
  EXPECT_EQ(order.size(), 2000u);
  EXPECT_LE(repeated, 1) << order.text().substr(0, 100);
}

// A random program in which every live task is ready at all times, as it only spawns and yields.
// The tasks share it under a lock, which none holds while it yields.
class crowd {
 public:
  explicit crowd(unsigned seed) : random_(seed) {}

  void add() {
    auto* member = new std::pair<crowd*, std::size_t>(this, enter());
    EXPECT_EQ(weft_task_spawn(live, member, nullptr), 0);
  }
  bool lives() const {
    const std::lock_guard held(mutex_);
    return alive_ > 0;
  }
  int overlooked() const {
    const std::lock_guard held(mutex_);
    return overlooked_;
  }

 private:
  static constexpr int64_t ended = -1;

  std::size_t enter() {
    const std::lock_guard held(mutex_);
    --budget_;
    ++alive_;
    last_run_.push_back(0);
    return last_run_.size() - 1;
  }
  void leave(std::size_t me) {
    const std::lock_guard held(mutex_);
    last_run_[me] = ended;
    --alive_;
  }
  int64_t now() const {
    const std::lock_guard held(mutex_);
    return clock_;
  }
  void runs(std::size_t me) {
    const std::lock_guard held(mutex_);
    last_run_[me] = ++clock_;
  }
  unsigned pick(unsigned below) {
    const std::lock_guard held(mutex_);
    return static_cast<unsigned>(random_()) % below;
  }
  bool may_add() const {
    const std::lock_guard held(mutex_);
    return budget_ > 0;
  }
  std::size_t size() const {
    const std::lock_guard held(mutex_);
    return last_run_.size();
  }
  // Whoever had entered before `older` and has not run since `began`.
  void look_for_overlooked(std::size_t me, std::size_t older, int64_t began) {
    const std::lock_guard held(mutex_);
    for (std::size_t i = 0; i < older; ++i)
      if (i != me && last_run_[i] != ended && last_run_[i] <= began) ++overlooked_;
  }

  void yield(std::size_t me) {
    weft_task_yield();
    runs(me);
  }
  void yield_twice(std::size_t me) {
    const int64_t began = now();
    const std::size_t older = size();
    yield(me);
    yield(me);
    look_for_overlooked(me, older, began);
  }

  static void* live(void* arg) {
    auto* member = static_cast<std::pair<crowd*, std::size_t>*>(arg);
    crowd& c = *member->first;
    const std::size_t me = member->second;
    delete member;
    c.runs(me);
    for (unsigned steps = 1 + c.pick(6); steps > 0; --steps) {
      switch (c.pick(4)) {
        case 0:
          c.yield(me);
          break;
        case 1:
          c.yield_twice(me);
          break;
        default:
          for (unsigned n = 1 + c.pick(3); n > 0 && c.may_add(); --n) c.add();
      }
    }
    c.leave(me);
    return nullptr;
  }

  mutable std::mutex mutex_;
  std::mt19937 random_;
  int64_t clock_ = 0;
  int budget_ = scaled(3000);
  int overlooked_ = 0;
  int alive_ = 0;
  std::vector<int64_t> last_run_;  // by task
};

TEST_F(hazard_yield, two_yields_in_a_row_let_every_older_task_run) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    crowd c(seed);
    for (int i = 0; i < 10; ++i) c.add();
    while (c.lives()) weft_task_yield();
    EXPECT_EQ(c.overlooked(), 0);
  }
}

TEST_F(hazard_yield, main_that_yields_twice_has_let_all_its_children_run) {
  std::atomic<int> ran{0};
  auto child = [&] { ++ran; };
  std::vector<weft_task_t> all;
  for (int i = 0; i < 1000; ++i) all.push_back(spawn(child));
  weft_task_yield();
  weft_task_yield();
  EXPECT_EQ(ran, 1000);
  for (weft_task_t t : all) join(t);
}

// How often this OS thread has slept in the kernel.
int64_t sleeps_of_this_thread() {
  rusage used{};
  EXPECT_EQ(::getrusage(RUSAGE_THREAD, &used), 0);
  return used.ru_nvcsw;
}

TEST_F(hazard_yield, a_task_that_is_alone_and_yields_often_is_hardly_ever_put_to_sleep) {
  const int yields = 20'000;
  const int64_t before = sleeps_of_this_thread();
  for (int i = 0; i < yields; ++i) weft_task_yield();
  EXPECT_LT(sleeps_of_this_thread() - before, yields / 100);
}

TEST_F(hazard_yield, nor_is_one_that_polls_shortly_for_one_thing_after_the_other) {
  // Each poll is short of the thousand yields after which the worker would look at the time.
  const int polls = 200;
  std::atomic<int> ran{0};
  auto child = [&] { ++ran; };
  std::vector<weft_task_t> all;
  const int64_t before = sleeps_of_this_thread();
  for (int i = 0; i < polls; ++i) {
    all.push_back(spawn(child));
    for (int k = 0; k < 500; ++k) weft_task_yield();
  }
  EXPECT_LT(sleeps_of_this_thread() - before, 5);
  EXPECT_EQ(ran, polls);
  for (weft_task_t t : all) join(t);
}

}  // namespace
}  // namespace weft::test
