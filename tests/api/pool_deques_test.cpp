// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools of deques: whose they are, in which order they are taken from, what an admission test keeps
// from a worker. WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <thread>
#include <vector>

#include "support.hpp"
#include "support/pools.hpp"

namespace weft::test {
namespace {

using admission = int (*)(void* state, const weft_candidate_t* candidate);

weft_pool_t make_deques(admission admit = nullptr, void* state = nullptr) {
  weft_pool_config_t config{};
  config.size = sizeof config;
  config.access = WEFT_POOL_DEQUES;
  config.admit = admit;
  config.state = state;
  weft_pool_t p = 0;
  EXPECT_EQ(weft_pool_create(&config, &p), 0);
  return p;
}

void serve(weft_pool_t p, const std::vector<uint32_t>& workers) {
  const weft_scheduler_t s = scheduler_of(p);
  for (const uint32_t w : workers) EXPECT_EQ(weft_worker_set_scheduler(w, s), 0);
  EXPECT_EQ(weft_scheduler_free(s), 0);
}

struct writer {
  letters* to;
  char c;
  void operator()() const { *to += c; }
};

TEST(pool_deques, a_worker_takes_its_own_newest_first_and_yields_behind_all) {
  const runtime r(1);
  const weft_pool_t p = make_deques();
  letters order;
  std::vector<writer> writers;
  for (const char c : {'a', 'b', 'c', 'd'}) writers.push_back({&order, c});
  auto yields = [&] {
    order += 'y';
    weft_task_yield();
    order += 'z';
  };
  std::vector<weft_task_t> tasks;
  for (writer& w : writers) tasks.push_back(spawn(w, on_worker(p)));
  tasks.push_back(spawn(yields, on_worker(p)));
  EXPECT_EQ(weft_pool_size(p), 5);
  serve(p, {0});
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(order.text(), "ydcbaz");
  EXPECT_EQ(weft_worker_set_scheduler(0, nullptr), 0);
  weft_task_yield();
  EXPECT_EQ(weft_pool_size(p), 0);
  EXPECT_EQ(weft_pool_free(p), 0);
}

TEST(pool_deques, tasks_that_poll_each_other_and_old_ones_do_not_starve) {
  const runtime r(1);
  const weft_pool_t p = make_deques();
  serve(p, {0});
  std::atomic<bool> stop{false};
  std::atomic<int> turns{0};
  auto old = [&] { stop = true; };
  auto child = [] {};
  auto spawns = [&] {  // there is always a newer one
    while (!stop) {
      ++turns;
      join(spawn(child, on_worker(p)));
    }
  };
  auto polls = [&] {
    while (!stop) weft_task_yield();
  };
  std::vector<weft_task_t> tasks{spawn(old, on_worker(p)), spawn(spawns, on_worker(p)),
                                 spawn(polls, on_worker(p)), spawn(polls, on_worker(p))};
  for (const weft_task_t t : tasks) join(t);
}

TEST(pool_deques, the_group_steals_from_each_other_and_nobody_else_does) {
  const runtime r(4);
  const weft_pool_t p = make_deques();
  serve(p, {1, 2});
  std::atomic<int> elsewhere{0};
  std::atomic<int> ran{0};
  auto leaf = [&] {
    const uint32_t w = weft_worker_index();
    if (w != 1 && w != 2) ++elsewhere;
    ++ran;
  };
  // Its worker computes until the other one has run all that lies in its deque.
  auto root = [&] {
    std::vector<weft_task_t> tasks;
    for (int i = 0; i < 100; ++i) tasks.push_back(spawn(leaf, on_worker(p)));
    EXPECT_TRUE(compute_until([&] { return ran == 100; }));
    for (const weft_task_t t : tasks) join(t);
  };
  for (int i = 0; i < scaled(50); ++i) {
    ran = 0;
    join(spawn(root, on_worker(p)));
  }
  // From outside, and from a worker that does not belong.
  ran = 0;
  std::thread([&] {
    for (int i = 0; i < 50; ++i) join(spawn(leaf, on_worker(p)));
  }).join();
  for (int i = 0; i < 50; ++i) join(spawn(leaf, on_worker(p)));
  EXPECT_EQ(ran, 100);
  EXPECT_EQ(elsewhere, 0);
}

// Refuses what the mark in the argument says.
struct gate {
  std::atomic<uint32_t> closed{0};  // bits: workers that get no marked task
  std::atomic<int> asked{0};
  std::atomic<int> wrong{0};
  weft_pool_t pool = make_deques(admit, this);
  static int admit(void* state, const weft_candidate_t* c) {
    auto& g = *static_cast<gate*>(state);
    ++g.asked;
    if (c->size != sizeof *c || c->task == nullptr || (c->begun == 0) == (c->arg == nullptr))
      ++g.wrong;
    return (g.closed >> c->worker & 1) == 0;
  }
};

TEST(pool_deques, a_refused_worker_gets_nothing_and_sleeps) {
  const runtime r(3);
  gate g;
  g.closed = 1u << 2;
  serve(g.pool, {1, 2});
  std::atomic<int> elsewhere{0};
  std::atomic<bool> go{false};
  auto body = [&] {
    if (weft_worker_index() != 1) ++elsewhere;
    weft_task_yield();
    if (weft_worker_index() != 1) ++elsewhere;
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < scaled(500); ++i) tasks.push_back(spawn(body, on_worker(g.pool)));
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(elsewhere, 0);
  // One computes, more lie behind it that the idle worker may not have: it does not ask again and
  // again.
  auto computes = [&] { EXPECT_TRUE(compute_until([&] { return go.load(); })); };
  const weft_task_t first = spawn(computes, on_worker(g.pool));
  const weft_task_t second = spawn(body, on_worker(g.pool));
  const int before = g.asked;
  weft_task_sleep_for(20'000'000);
  EXPECT_LT(g.asked - before, 2000);
  go = true;
  join(first);
  join(second);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(g.wrong, 0);
}

TEST(pool_deques, who_is_admitted_later_is_told) {
  const runtime r(2);
  gate g;
  serve(g.pool, {1});
  for (int i = 0; i < scaled(200); ++i) {
    g.closed = ~0u;
    std::atomic<bool> ran{false};
    auto body = [&] { ran = true; };
    const weft_task_t t = spawn(body, on_worker(g.pool));
    if (i % 4 == 0) weft_task_sleep_for(200'000);
    EXPECT_FALSE(ran);
    EXPECT_EQ(weft_pool_size(g.pool), 1);
    g.closed = 0;
    EXPECT_EQ(weft_pool_ask_again(g.pool), 0);
    join(t);
    EXPECT_TRUE(ran);
  }
}

TEST(pool_deques, refused_tasks_are_passed_over_wherever_they_lie) {
  const runtime r(1);
  struct odd_first {
    std::atomic<bool> odd_only{true};
    static int admit(void* state, const weft_candidate_t* c) {
      const auto& me = *static_cast<odd_first*>(state);
      return !me.odd_only || static_cast<writer*>(c->arg)->c % 2 != 0;
    }
  } state;
  const weft_pool_t p = make_deques(odd_first::admit, &state);
  letters order;
  std::vector<writer> writers;
  for (const char c : {'b', 'a', 'd', 'f', 'c', 'e', 'h'}) writers.push_back({&order, c});
  std::vector<weft_task_t> tasks;
  for (writer& w : writers) tasks.push_back(spawn(w, on_worker(p)));
  std::thread([&] { tasks.push_back(spawn(writers[2], on_worker(p))); }).join();
  serve(p, {0});
  for (const std::size_t odd : {1u, 4u, 5u}) join(tasks[odd]);
  EXPECT_EQ(order.text(), "eca");
  EXPECT_EQ(weft_pool_size(p), 5);
  state.odd_only = false;
  EXPECT_EQ(weft_pool_ask_again(p), 0);
  for (const std::size_t even : {0u, 2u, 3u, 6u, 7u}) join(tasks[even]);
  EXPECT_EQ(order.text(), "ecahfdbd");
}

// OpenMP's rule for tied tasks: while one is suspended in a worker, that worker begins none but its
// descendants.
struct tied_tree {
  struct node {
    tied_tree* tree;
    node* parent;
    int depth;
    uint32_t worker = WEFT_ANYWHERE;
    void operator()() { tree->run(*this); }
  };
  struct alignas(64) seat {
    std::vector<node*> suspended;  // tied tasks that wait, the innermost last; by its worker
    std::atomic<node*> innermost{nullptr};
  };
  std::array<seat, 4> seats;
  std::atomic<int> ran{0};
  std::atomic<int> broken{0};
  weft_pool_t pool = make_deques(admit, this);

  static bool descends(const node* from, const node* of) {
    while (from != nullptr && from != of) from = from->parent;
    return from == of;
  }
  static int admit(void* state, const weft_candidate_t* c) {
    if (c->begun != 0) return 1;
    const node* innermost = static_cast<tied_tree*>(state)->seats[c->worker].innermost;
    return innermost == nullptr || descends(static_cast<node*>(c->arg), innermost);
  }
  void suspend(node& n) {
    seat& s = seats[n.worker];
    s.suspended.push_back(&n);
    s.innermost = &n;
  }
  void resume(node& n) {
    seat& s = seats[n.worker];
    std::erase(s.suspended, &n);
    s.innermost = s.suspended.empty() ? nullptr : s.suspended.back();
  }
  void run(node& n) {
    EXPECT_EQ(weft_task_set_sticky(1), 0);
    n.worker = weft_worker_index();
    for (const node* waits : seats[n.worker].suspended)
      if (!descends(&n, waits)) ++broken;
    ++ran;
    if (n.depth == 0) return;
    std::array<node, 3> children{
        {{this, &n, n.depth - 1}, {this, &n, n.depth - 1}, {this, &n, n.depth - 1}}};
    std::vector<weft_task_t> tasks;
    for (node& c : children) tasks.push_back(spawn(c, on_worker(pool)));
    suspend(n);
    for (const weft_task_t t : tasks) join(t);
    EXPECT_EQ(weft_worker_index(), n.worker);
    resume(n);
  }
};

TEST(pool_deques, the_task_scheduling_constraint_of_openmp_holds) {
  if (tsan) GTEST_SKIP() << "what one worker's tasks share has no lock here";
  const runtime r(4);
  tied_tree tree;
  serve(tree.pool, {0, 1, 2, 3});
  tied_tree::node root{&tree, nullptr, 6};
  for (int i = 0; i < scaled(20); ++i) {
    tree.ran = 0;
    join(spawn(root, on_worker(tree.pool)));
    EXPECT_EQ(tree.ran, 1093);
    EXPECT_EQ(tree.broken, 0);
  }
}

TEST(pool_deques, nothing_is_lost_while_groups_and_gates_change) {
  const runtime r(4);
  gate g;
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (uint32_t i = 0; !stop; ++i) {
      g.closed = 1u << i % 4;
      EXPECT_EQ(weft_pool_ask_again(g.pool), 0);
      if (i % 3 == 0) serve(g.pool, {i / 3 % 4});
      if (i % 5 == 0) {
        EXPECT_EQ(weft_worker_set_scheduler((i + 1) % 4, nullptr), 0);
      }
      std::this_thread::yield();
    }
    g.closed = 0;
    serve(g.pool, {0, 1, 2, 3});
  });
  std::atomic<int> ran{0};
  auto leaf = [&] {
    weft_task_yield();
    ++ran;
  };
  auto parent = [&] {
    std::array<weft_task_t, 4> tasks;
    for (weft_task_t& t : tasks) t = spawn(leaf, on_worker(g.pool));
    for (const weft_task_t t : tasks) join(t);
    ++ran;
  };
  const int count = scaled(400);
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < count; ++i) tasks.push_back(spawn(parent, on_worker(g.pool)));
  for (const weft_task_t t : tasks) join(t);
  stop = true;
  changer.join();
  EXPECT_EQ(ran, 5 * count);
  EXPECT_EQ(g.wrong, 0);
}

}  // namespace
}  // namespace weft::test
