// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Yield, depth first and fair: few stacks for parents that poll, every older task within two yields.
#include <random>
#include <string>
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
  int* done;
  uint64_t* most_live;

  static void* run(void* arg) {
    auto* n = static_cast<polled_node*>(arg);
    if (n->depth == 0) {
      const uint64_t live = stats().stacks_live;
      if (live > *n->most_live) *n->most_live = live;
    } else {
      int children_done = 0;
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
  int done = 0;
  uint64_t most_live = 0;
  polled_node root{depth, &done, &most_live};
  ASSERT_EQ(weft_task_spawn(polled_node::run, &root, nullptr), 0);
  while (done == 0) weft_task_yield();
  EXPECT_GT(most_live, 1u);
  EXPECT_LE(most_live, 64u);
}

TEST_F(hazard_yield, the_first_yield_after_a_spawn_comes_back_when_the_children_are_taken) {
  // Older tasks of others wait meanwhile: the yielder is just behind its own children.
  std::string order;
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
  EXPECT_EQ(order, "pccPoQ");
  for (weft_task_t t : all) join(t);
}

TEST_F(hazard_yield, two_tasks_that_yield_alternate) {
  std::string order;
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
  for (std::size_t i = 1; i < order.size(); ++i) repeated += order[i] == order[i - 1] ? 1 : 0;
  EXPECT_EQ(order.size(), 2000u);
  EXPECT_LE(repeated, 1) << order.substr(0, 100);
}

// A random program in which every live task is ready at all times, as it only spawns and yields.
struct crowd {
  explicit crowd(unsigned seed) : random(seed) {}

  std::mt19937 random;
  int64_t clock = 0;
  int budget = scaled(3000);
  int overlooked = 0;
  int alive = 0;
  std::vector<int64_t> last_run;  // by task; -1: ended

  int pick(int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); }

  void yield(std::size_t me) {
    weft_task_yield();
    last_run[me] = ++clock;
  }

  // Whoever was ready before the two yields has run when they are over.
  void yield_twice(std::size_t me) {
    const int64_t began = clock;
    const std::size_t older = last_run.size();
    yield(me);
    yield(me);
    for (std::size_t i = 0; i < older; ++i)
      if (i != me && last_run[i] != -1 && last_run[i] <= began) ++overlooked;
  }

  void add() {
    --budget;
    ++alive;
    last_run.push_back(0);
    auto* member = new std::pair<crowd*, std::size_t>(this, last_run.size() - 1);
    EXPECT_EQ(weft_task_spawn(live, member, nullptr), 0);
  }

  static void* live(void* arg) {
    auto* member = static_cast<std::pair<crowd*, std::size_t>*>(arg);
    crowd& c = *member->first;
    const std::size_t me = member->second;
    delete member;
    c.last_run[me] = ++c.clock;
    for (int steps = 1 + c.pick(6); steps > 0; --steps) {
      switch (c.pick(4)) {
        case 0:
          c.yield(me);
          break;
        case 1:
          c.yield_twice(me);
          break;
        default:
          for (int n = 1 + c.pick(3); n > 0 && c.budget > 0; --n) c.add();
      }
    }
    c.last_run[me] = -1;
    --c.alive;
    return nullptr;
  }
};

TEST_F(hazard_yield, two_yields_in_a_row_let_every_older_task_run) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    crowd c(seed);
    for (int i = 0; i < 10; ++i) c.add();
    while (c.alive > 0) weft_task_yield();
    EXPECT_EQ(c.overlooked, 0);
  }
}

TEST_F(hazard_yield, main_that_yields_twice_has_let_all_its_children_run) {
  int ran = 0;
  auto child = [&] { ++ran; };
  std::vector<weft_task_t> all;
  for (int i = 0; i < 1000; ++i) all.push_back(spawn(child));
  weft_task_yield();
  weft_task_yield();
  EXPECT_EQ(ran, 1000);
  for (weft_task_t t : all) join(t);
}

}  // namespace
}  // namespace weft::test
