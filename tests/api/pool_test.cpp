// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools and schedulers of the program's own: order, access, who runs what, schedulers in each
// other. WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

weft_pool_t make_pool(weft_pool_order order = WEFT_POOL_FIFO,
                      weft_pool_access access = WEFT_POOL_SHARED) {
  weft_pool_config_t config{};
  config.size = sizeof config;
  config.access = static_cast<uint32_t>(access);
  config.order = static_cast<uint32_t>(order);
  weft_pool_t p = 0;
  EXPECT_EQ(weft_pool_create(&config, &p), 0);
  return p;
}

weft_scheduler_config_t over(const std::vector<weft_pool_t>& pools) {
  weft_scheduler_config_t config{};
  config.size = sizeof config;
  config.pools = pools.data();
  config.count = pools.size();
  return config;
}

weft_scheduler_t make_scheduler(const weft_scheduler_config_t& config) {
  weft_scheduler_t s = nullptr;
  EXPECT_EQ(weft_scheduler_create(&config, &s), 0);
  return s;
}
weft_scheduler_t serving(const std::vector<weft_pool_t>& pools) {
  return make_scheduler(over(pools));
}

// Lets this worker be without a scheduler again, and waits until nobody has it.
void release(weft_scheduler_t s) { EXPECT_EQ(weft_scheduler_free(s), 0); }

struct keyed {
  uint64_t key;
  weft_spawn_t to(weft_pool_t p) const {
    weft_spawn_t how = on_worker(p);
    how.key = &key;
    how.key_words = 1;
    return how;
  }
};

// One worker, which is the test's own: while the test does not wait, nothing runs.
class pool_alone : public testing::Test {
  const runtime one_worker_{1};

 protected:
  // Spawns a task for each letter, with these keys if any, and gives the order in which they ran.
  std::string run(weft_pool_t p, const std::string& text, const std::vector<uint64_t>& keys = {}) {
    struct writer {
      letters* to;
      char c;
      void operator()() const { *to += c; }
    };
    letters order;
    std::vector<writer> writers;
    for (const char c : text) writers.push_back({&order, c});
    std::vector<weft_task_t> tasks;
    for (std::size_t i = 0; i < text.size(); ++i)
      tasks.push_back(spawn(writers[i], keys.empty() ? on_worker(p) : keyed{keys[i]}.to(p)));
    EXPECT_EQ(weft_pool_size(p), static_cast<int64_t>(text.size()));
    EXPECT_EQ(order.text(), "") << "nobody serves the pool";
    const weft_scheduler_t s = serving({p});
    EXPECT_EQ(weft_worker_set_scheduler(0, s), 0);
    for (const weft_task_t t : tasks) join(t);
    EXPECT_EQ(weft_worker_set_scheduler(0, nullptr), 0);
    release(s);
    weft_task_yield();
    EXPECT_EQ(weft_pool_size(p), 0);
    EXPECT_EQ(weft_pool_free(p), 0) << "the scheduler is gone";
    return order.text();
  }
};

TEST_F(pool_alone, each_order_is_as_it_says) {
  EXPECT_EQ(run(make_pool(WEFT_POOL_FIFO), "abcde"), "abcde");
  EXPECT_EQ(run(make_pool(WEFT_POOL_LIFO), "abcde"), "edcba");
  const std::vector<uint64_t> keys{3, 1, 3, 2, 1, 0};
  EXPECT_EQ(run(make_pool(WEFT_POOL_KEY_FIFO), "abcdef", keys), "fbedac");
  EXPECT_EQ(run(make_pool(WEFT_POOL_KEY_LIFO), "abcdef", keys), "febdca");
  for (const weft_pool_access access : {WEFT_POOL_ONE_CONSUMER, WEFT_POOL_SHARED}) {
    EXPECT_EQ(run(make_pool(WEFT_POOL_FIFO, access), "xyz"), "xyz");
    EXPECT_EQ(run(make_pool(WEFT_POOL_KEY_FIFO, access), "abcdef", keys), "fbedac");
  }
}

TEST_F(pool_alone, keys_of_several_words_are_compared_word_by_word) {
  letters order;
  const weft_pool_t p = make_pool(WEFT_POOL_KEY_FIFO);
  struct writer {
    letters* to;
    char c;
    void operator()() const { *to += c; }
  };
  const std::vector<std::vector<uint64_t>> keys{{1, 2}, {1, 1, 9}, {1}, {0, 7}, {1, 1}, {}};
  std::vector<writer> writers;
  for (std::size_t i = 0; i < keys.size(); ++i)
    writers.push_back({&order, static_cast<char>('a' + i)});
  std::vector<weft_task_t> tasks;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    weft_spawn_t how = on_worker(p);
    how.key = keys[i].data();
    how.key_words = static_cast<uint32_t>(keys[i].size());
    tasks.push_back(spawn(writers[i], how));
  }
  const weft_scheduler_t s = serving({p});
  EXPECT_EQ(weft_worker_set_scheduler(0, s), 0);
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(order.text(), "fdceba");
}

TEST_F(pool_alone, a_thousand_random_keys_come_out_in_order) {
  struct list {
    std::mutex lock;  // tasks on one worker take turns, but that is no order
    std::vector<uint64_t> keys;
  } out;
  struct writer {
    list* to;
    uint64_t key;
    void operator()() const {
      const std::lock_guard held(to->lock);
      to->keys.push_back(key);
    }
  };
  std::vector<writer> writers;
  uint64_t x = 88172645463325252;
  for (int i = 0; i < 1000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    writers.push_back({&out, x % 512});
  }
  const weft_pool_t p = make_pool(WEFT_POOL_KEY_FIFO);
  const weft_spawn_t stackless = with_flags(WEFT_SPAWN_STACKLESS);
  std::vector<weft_task_t> tasks;
  for (writer& w : writers) {
    weft_spawn_t how = on_worker(p);
    how.key = &w.key;
    how.key_words = 1;
    how.flags = stackless.flags;
    tasks.push_back(spawn(w, how));
  }
  EXPECT_EQ(weft_worker_set_scheduler(0, serving({p})), 0);
  for (const weft_task_t t : tasks) join(t);
  const std::lock_guard held(out.lock);
  ASSERT_EQ(out.keys.size(), 1000u);
  for (std::size_t i = 1; i < out.keys.size(); ++i) EXPECT_LE(out.keys[i - 1], out.keys[i]);
}

TEST_F(pool_alone, a_task_that_yields_or_waits_comes_back_to_its_pool) {
  const weft_pool_t p = make_pool();
  weft_semaphore_t go;
  weft_semaphore_init(&go, 0);
  std::atomic<int> back{0};
  auto body = [&] {
    weft_task_yield();
    EXPECT_EQ(weft_semaphore_wait(&go), 0);
    ++back;
  };
  const weft_scheduler_t s = serving({p});
  EXPECT_EQ(weft_worker_set_scheduler(0, s), 0);
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(spawn(body, on_worker(p)));
  for (int i = 0; i < 400; ++i) weft_task_yield();
  EXPECT_EQ(weft_worker_set_scheduler(0, nullptr), 0);
  weft_task_yield();
  weft_semaphore_post(&go, 4);
  for (int i = 0; i < 400; ++i) weft_task_yield();
  if (!all_sticky()) {
    EXPECT_EQ(back, 0);
    EXPECT_EQ(weft_pool_size(p), 4);
  }
  EXPECT_EQ(weft_worker_set_scheduler(0, s), 0);
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(back, 4);
}

// Tasks a, b, c are sent to a pool, by keys 3, 2, 1. The child of each is called on its parent's
// stack, waits there and writes the parent's name.
TEST(pool_death, a_task_whose_pool_was_released_comes_to_no_other) {
  if (all_sticky()) GTEST_SKIP() << "it does not come back to the pool";
  GTEST_FLAG_SET(death_test_style, death_test_style);
  const auto released = [] {
    const runtime one_worker{1};
    const weft_pool_t p = make_pool();
    weft_semaphore_t sem;
    weft_semaphore_init(&sem, 0);
    std::atomic<bool> begun{false};
    auto wait = [&] {
      begun = true;
      weft_semaphore_wait(&sem);
    };
    const weft_task_t t = spawn(wait, on_worker(p));
    const weft_scheduler_t s = serving({p});
    weft_worker_set_scheduler(0, s);
    if (!yield_until([&] { return begun.load(); })) return;
    weft_worker_set_scheduler(0, nullptr);
    release(s);
    if (!yield_until([&] { return weft_pool_free(p) == 0; })) return;
    for (int i = 0; i < 50; ++i) weft_pool_free(make_pool(WEFT_POOL_KEY_FIFO));
    make_pool(WEFT_POOL_KEY_FIFO);
    weft_semaphore_post(&sem, 1);
    join(t);
  };
  EXPECT_DEATH(released(), "a task became ready whose pool was released by weft_pool_free");
}

class pool_with_children : public pool_alone {
  struct family {
    letters* to;
    weft_semaphore_t* go;
    char name;
    void operator()() const {
      auto child = [this] {
        EXPECT_EQ(weft_semaphore_wait(go), 0);
        *to += name;
      };
      join(spawn(child));
    }
  };

 protected:
  // s serves p. before_they_go: when all children wait.
  template <class What>
  std::string run_in(weft_pool_t p, weft_scheduler_t s, What&& before_they_go) {
    letters order;
    weft_semaphore_t go = WEFT_SEMAPHORE_INIT(0);
    EXPECT_EQ(weft_worker_set_scheduler(0, s), 0);
    std::array<family, 3> families{{{&order, &go, 'a'}, {&order, &go, 'b'}, {&order, &go, 'c'}}};
    std::vector<weft_task_t> tasks;
    for (std::size_t i = 0; i < families.size(); ++i)
      tasks.push_back(spawn(families[i], keyed{families.size() - i}.to(p)));
    EXPECT_TRUE(yield_until([&] { return weft_pool_size(p) == 0; }));
    for (int i = 0; i < 10; ++i) weft_task_yield();
    before_they_go();
    EXPECT_EQ(weft_semaphore_post(&go, 3), 0);
    for (const weft_task_t t : tasks) join(t);
    return order.text();
  }
};

TEST_F(pool_with_children, a_child_that_a_task_calls_waits_in_its_place_and_by_its_key) {
  const weft_pool_t p = make_pool(WEFT_POOL_KEY_FIFO);
  const std::string order = run_in(p, serving({p}), [] {});
  if (!all_sticky()) {
    EXPECT_EQ(order, "cba");
  }
}

TEST_F(pool_with_children, a_child_that_a_pick_moves_keeps_its_parent_s_key) {
  struct both {
    weft_pool_t from;
    weft_pool_t to;
    std::atomic<bool> moves{false};
    static weft_task_t pick(weft_scheduler_t, void* state) {
      auto& b = *static_cast<both*>(state);
      if (b.moves && weft_pool_size(b.from) == 3) {
        b.moves = false;
        weft_task_t first = weft_pool_pop(b.from);
        weft_task_t second = weft_pool_pop(b.from);
        weft_task_t third = weft_pool_pop(b.from);
        for (weft_task_t t : {second, third, first}) EXPECT_EQ(weft_pool_push(b.to, t), 0);
      }
      weft_task_t t = weft_pool_pop(b.to);
      return t != nullptr ? t : weft_pool_pop(b.from);
    }
  };
  const weft_pool_t p = make_pool(WEFT_POOL_KEY_FIFO);
  for (const weft_pool_t to : {p, make_pool(WEFT_POOL_KEY_LIFO)}) {
    both state{p, to, {}};
    const std::vector<weft_pool_t> pools =
        to == p ? std::vector<weft_pool_t>{p} : std::vector<weft_pool_t>{p, to};
    weft_scheduler_config_t config = over(pools);
    config.pick = both::pick;
    config.state = &state;
    const weft_scheduler_t s = make_scheduler(config);
    const std::string order = run_in(p, s, [&] { state.moves = true; });
    if (!all_sticky()) {
      EXPECT_FALSE(state.moves);
      EXPECT_EQ(order, "cba");
    }
    EXPECT_EQ(weft_worker_set_scheduler(0, nullptr), 0);
    release(s);
    weft_task_yield();
  }
}

TEST_F(pool_alone, an_order_of_the_program_s_own_needs_no_memory) {
  // Every second one goes to the front.
  struct list {
    weft_task_t first = nullptr;
    weft_task_t last = nullptr;
    int pushed = 0;
    static void push(void* state, weft_task_t t, const uint64_t*, uint32_t) {
      auto& l = *static_cast<list*>(state);
      *weft_pool_link(t) = nullptr;
      if (l.first == nullptr) {
        l.first = l.last = t;
      } else if (++l.pushed % 2 == 0) {
        *weft_pool_link(t) = l.first;
        l.first = t;
      } else {
        *weft_pool_link(l.last) = t;
        l.last = t;
      }
    }
    static weft_task_t pop(void* state) {
      auto& l = *static_cast<list*>(state);
      weft_task_t t = l.first;
      if (t != nullptr) l.first = static_cast<weft_task_t>(*weft_pool_link(t));
      return t;
    }
  } state;
  const weft_pool_ops_t ops{list::push, list::pop};
  weft_pool_config_t config{};
  config.size = sizeof config;
  config.ops = &ops;
  config.state = &state;
  weft_pool_t p = 0;
  ASSERT_EQ(weft_pool_create(&config, &p), 0);
  EXPECT_EQ(run(p, "abcde"), "ecabd");
}

TEST_F(pool_alone, schedulers_run_in_each_other_and_leave_again) {
  letters order;
  const weft_pool_t outer = make_pool();
  const weft_pool_t inner = make_pool();
  const weft_pool_t innermost = make_pool();
  const weft_scheduler_t s = serving({outer});
  const weft_scheduler_t t = serving({inner});
  const weft_scheduler_t u = serving({innermost});
  auto deepest = [&] {
    order += 'c';
    EXPECT_EQ(weft_scheduler_finish(u), 0);
  };
  auto deep = [&] {
    order += 'b';
    const weft_task_t task = spawn(deepest, on_worker(innermost));
    EXPECT_EQ(weft_scheduler_run(u), 0);
    order += 'd';
    join(task);
    EXPECT_EQ(weft_scheduler_finish(t), 0);
  };
  auto shallow = [&] {
    order += 'a';
    const weft_task_t task = spawn(deep, on_worker(inner));
    EXPECT_EQ(weft_scheduler_run(t), 0);
    order += 'e';
    join(task);
  };
  EXPECT_EQ(weft_worker_set_scheduler(0, s), 0);
  for (int i = 0; i < scaled(50); ++i) {
    join(spawn(shallow, on_worker(outer)));
    EXPECT_EQ(order.text().substr(order.size() - 5), "abcde");
  }
  EXPECT_EQ(weft_pool_size(inner), 0);
}

TEST_F(pool_alone, a_pick_chooses_and_moves_tasks) {
  struct both {
    weft_pool_t in;
    weft_pool_t out;
    std::atomic<int> picks{0};
    static weft_task_t pick(weft_scheduler_t, void* state) {
      auto& b = *static_cast<both*>(state);
      ++b.picks;
      while (weft_task_t t = weft_pool_pop(b.in)) EXPECT_EQ(weft_pool_push(b.out, t), 0);
      return weft_pool_pop(b.out);
    }
  } state{make_pool(), make_pool(WEFT_POOL_LIFO), {}};
  weft_scheduler_config_t config = over({state.in, state.out});
  const std::vector<weft_pool_t> pools{state.in, state.out};
  config.pools = pools.data();
  config.pick = both::pick;
  config.state = &state;
  static int released = 0;
  released = 0;
  config.released = [](void*) { ++released; };
  letters order;
  struct writer {
    letters* to;
    char c;
    void operator()() const { *to += c; }
  };
  std::vector<writer> writers;
  for (const char c : {'a', 'b', 'c'}) writers.push_back({&order, c});
  std::vector<weft_task_t> tasks;
  for (writer& w : writers) tasks.push_back(spawn(w, on_worker(state.in)));
  const weft_scheduler_t s = make_scheduler(config);
  EXPECT_EQ(weft_worker_set_scheduler(0, s), 0);
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(order.text(), "cba");
  EXPECT_GT(state.picks, 0);
  release(s);
  EXPECT_EQ(released, 0) << "the worker has it";
  EXPECT_EQ(weft_worker_set_scheduler(0, nullptr), 0);
  weft_task_yield();
  EXPECT_EQ(released, 1);
  EXPECT_EQ(weft_pool_pop(state.in), nullptr) << "no pick";
}

TEST_F(pool_alone, neither_the_pool_nor_other_tasks_starve) {
  const weft_pool_t p = make_pool();
  EXPECT_EQ(weft_worker_set_scheduler(0, serving({p})), 0);
  std::atomic<bool> stop{false};
  std::atomic<int> here{0};
  std::atomic<int> there{0};
  auto in_pool = [&] {
    while (!stop) {
      ++there;
      weft_task_yield();
    }
  };
  auto outside = [&] {
    while (!stop) {
      ++here;
      weft_task_yield();
    }
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 3; ++i) tasks.push_back(spawn(in_pool, on_worker(p)));
  for (int i = 0; i < 3; ++i) tasks.push_back(spawn(outside));
  EXPECT_TRUE(yield_until([&] { return here >= 5 && there >= 5; }));
  stop = true;
  for (const weft_task_t t : tasks)
    while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
}

TEST_F(pool_alone, what_is_wrong_is_refused) {
  weft_pool_t p = make_pool();
  weft_pool_t stale = make_pool();
  EXPECT_EQ(weft_pool_free(stale), 0);
  EXPECT_EQ(weft_pool_free(stale), -EINVAL);
  EXPECT_EQ(weft_pool_size(stale), -EINVAL);
  EXPECT_EQ(weft_pool_ask_again(stale), -EINVAL);
  EXPECT_EQ(weft_pool_create(nullptr, nullptr), -EINVAL);
  weft_pool_config_t config{};
  EXPECT_EQ(weft_pool_create(&config, &stale), -EINVAL);
  config.size = sizeof config;
  config.access = 4;
  EXPECT_EQ(weft_pool_create(&config, &stale), -EINVAL);
  config.access = 0;
  config.admit = [](void*, const weft_candidate_t*) { return 1; };
  EXPECT_EQ(weft_pool_create(&config, &stale), -EINVAL) << "a test is for deques";
  config.admit = nullptr;
  config.access = WEFT_POOL_DEQUES;
  config.order = WEFT_POOL_LIFO;
  EXPECT_EQ(weft_pool_create(&config, &stale), -EINVAL);
  config.access = 0;
  config.order = 4;
  EXPECT_EQ(weft_pool_create(&config, &stale), -EINVAL);
  weft_scheduler_t s = nullptr;
  const std::vector<weft_pool_t> twice{p, p};
  weft_scheduler_config_t bad = over(twice);
  EXPECT_EQ(weft_scheduler_create(&bad, &s), -EINVAL);
  bad.count = 0;
  EXPECT_EQ(weft_scheduler_create(&bad, &s), -EINVAL);
  bad.count = 1;
  bad.flags = 2;
  EXPECT_EQ(weft_scheduler_create(&bad, &s), -EINVAL);
  EXPECT_EQ(weft_scheduler_create(nullptr, &s), -EINVAL);
  s = serving({p});
  EXPECT_EQ(weft_pool_free(p), -EBUSY);
  EXPECT_EQ(weft_worker_set_scheduler(1, s), -ERANGE);
  EXPECT_EQ(weft_scheduler_run(nullptr), -EINVAL);
  EXPECT_EQ(weft_scheduler_finish(nullptr), -EINVAL);
  EXPECT_EQ(weft_scheduler_free(nullptr), -EINVAL);
  std::thread([&] { EXPECT_EQ(weft_scheduler_run(s), -EPERM); }).join();
  auto nothing = [] {};
  weft_task_t t = nullptr;
  for (const uint32_t where : {p + (1u << 12), uint32_t{1} << 30 | 4095u}) {
    const weft_spawn_t how = on_worker(where);
    EXPECT_EQ(weft_task_spawn_with(call<decltype(nothing)>, &nothing, &how, &t), -ERANGE);
  }
  weft_spawn_t how = on_worker(p);
  how.key_words = 1;
  EXPECT_EQ(weft_task_spawn_with(call<decltype(nothing)>, &nothing, &how, &t), -EINVAL);
  how = on_worker(make_pool(WEFT_POOL_FIFO, WEFT_POOL_PRIVATE));
  EXPECT_EQ(weft_task_spawn_with(call<decltype(nothing)>, &nothing, &how, &t), -EPERM)
      << "nobody's private pool";
}

class pool_among : public testing::Test {
 protected:
  explicit pool_among(uint32_t workers = 4) : workers_(workers) {}
  void SetUp() override {
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = workers_;
    ASSERT_EQ(weft_start(&config), 0);
  }
  void TearDown() override { EXPECT_EQ(weft_stop(), 0); }

 private:
  const uint32_t workers_;
};

class pools_of_each : public pool_among, public testing::WithParamInterface<uint32_t> {
 protected:
  pools_of_each() : pool_among(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(workers, pools_of_each, testing::Values(2u, 4u));

TEST_F(pool_alone, there_are_so_many_pools_and_no_more) {
  constexpr std::size_t most = 4096;
  std::vector<weft_pool_t> pools;
  for (std::size_t i = 0; i < most; ++i) pools.push_back(make_pool());
  weft_pool_t more = 0;
  EXPECT_EQ(weft_pool_create(nullptr, &more), -EAGAIN);
  EXPECT_EQ(more, 0u) << "a failed call changes nothing";
  const weft_pool_t old = pools[most / 2];
  EXPECT_EQ(weft_pool_free(old), 0);
  EXPECT_EQ(weft_pool_create(nullptr, &more), 0) << "a pool that is released makes room";
  EXPECT_NE(more, old) << "its handle is another one";
  EXPECT_EQ(weft_pool_size(old), -EINVAL);
  EXPECT_EQ(weft_pool_create(nullptr, &pools[most / 2]), -EAGAIN);
  EXPECT_EQ(run(more, "abc"), "abc");
  EXPECT_EQ(run(pools.back(), "abc"), "abc") << "the last one is as good as the first";
}

TEST_F(pool_among, only_workers_that_serve_a_pool_run_its_tasks) {
  const weft_pool_t p = make_pool();
  const weft_scheduler_t s = serving({p});
  for (const uint32_t w : {1u, 2u}) EXPECT_EQ(weft_worker_set_scheduler(w, s), 0);
  const int count = scaled(400);
  std::atomic<int> elsewhere{0};
  weft_latch_t done;
  weft_latch_init(&done, static_cast<uint32_t>(count));
  auto body = [&] {
    const auto look = [&] {
      if (weft_worker_index() != 1 && weft_worker_index() != 2) ++elsewhere;
    };
    look();
    weft_task_yield();
    look();
    weft_task_sleep_for(1000);
    look();
    weft_latch_count_down(&done, 1);
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < count; ++i) tasks.push_back(spawn(body, on_worker(p)));
  EXPECT_EQ(weft_latch_wait(&done), 0);
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(elsewhere, 0);
  // A free task joins the pool, and leaves it.
  auto wanders = [&] {
    for (int i = 0; i < scaled(100); ++i) {
      EXPECT_EQ(weft_task_migrate(p), 0);
      EXPECT_TRUE(weft_worker_index() == 1 || weft_worker_index() == 2);
      EXPECT_EQ(weft_task_migrate(3), 0);
      EXPECT_EQ(weft_worker_index(), 3u);
    }
  };
  run_apart(wanders);
}

TEST_F(pool_among, a_disabled_server_is_not_called_in_place_of_another) {
  const weft_pool_t p = make_pool();
  const weft_scheduler_t s = serving({p});
  for (const uint32_t w : {1u, 2u}) EXPECT_EQ(weft_worker_set_scheduler(w, s), 0);
  auto nothing = [] {};
  for (int i = 0; i < scaled(20); ++i) {
    const uint32_t disabled = 1 + static_cast<uint32_t>(i) % 2;
    EXPECT_EQ(weft_worker_disable(disabled), 0);
    join(spawn(nothing, on_worker(disabled)));  // it has followed the order
    weft_task_sleep_for(1000000);               // all are idle, perhaps
    auto here = [&] { EXPECT_EQ(weft_worker_index(), 3 - disabled); };
    const weft_task_t t = spawn(here, on_worker(p));
    EXPECT_TRUE(yield_until([&] { return weft_task_try_join(t, nullptr) == 0; }));
    EXPECT_EQ(weft_worker_enable(disabled), 0);
  }
}

// Workers that serve a pool and are called before the others, but do not take what it holds now.
class pool_calls : public pool_among {
 protected:
  // From now on these serve the pool.
  void serve(const std::vector<uint32_t>& workers, const weft_scheduler_config_t& config) {
    s_ = make_scheduler(config);
    for (const uint32_t w : workers) EXPECT_EQ(weft_worker_set_scheduler(w, s_), 0);
    for (const uint32_t w : workers) follows(w);
  }
  static void follows(uint32_t worker) {
    auto nothing = [] {};
    join(spawn(nothing, on_worker(worker)));
  }
  // What is spawned there while all sleep, perhaps, runs at that worker.
  void expect_runs_at(uint32_t worker) {
    weft_task_sleep_for(1000000);
    auto here = [&] { EXPECT_EQ(weft_worker_index(), worker); };
    const weft_task_t t = spawn(here, on_worker(p_));
    EXPECT_TRUE(yield_until([&] { return weft_task_try_join(t, nullptr) == 0; }));
  }

  const weft_pool_t& pool() {
    if (p_ == 0) p_ = make_pool();
    return p_;
  }
  weft_scheduler_t s_ = nullptr;

 private:
  weft_pool_t p_ = 0;
};

TEST_F(pool_calls, go_to_who_asks_the_pool_now) {
  const std::vector<weft_pool_t> outer{pool()};
  serve({1, 2, 3}, over(outer));
  const std::vector<weft_pool_t> inner{make_pool()};
  weft_scheduler_config_t config = over(inner);
  config.flags = WEFT_SCHEDULER_ALONE;
  const weft_scheduler_t alone = make_scheduler(config);
  auto runner = [&] { EXPECT_EQ(weft_scheduler_run(alone), 0); };
  std::vector<weft_task_t> runners;
  for (const uint32_t w : {1u, 2u}) runners.push_back(spawn(runner, on_worker(w)));
  for (int i = 0; i < scaled(20) && !HasFailure(); ++i) expect_runs_at(3);
  EXPECT_EQ(weft_scheduler_finish(alone), 0);
  for (const weft_task_t t : runners) join(t);
}

TEST_F(pool_calls, are_passed_on_by_who_is_given_another_scheduler) {
  const std::vector<weft_pool_t> one{pool()};
  serve({1, 2}, over(one));
  for (int i = 0; i < scaled(100) && !HasFailure(); ++i) {
    std::atomic<bool> ran{false};
    auto run = [&] { ran = true; };
    weft_task_sleep_for(1000000);
    const weft_task_t t = spawn(run, on_worker(pool()));
    EXPECT_EQ(weft_worker_set_scheduler(1, nullptr), 0);
    EXPECT_TRUE(yield_until([&] { return ran.load(); }));
    join(t);
    EXPECT_EQ(weft_worker_set_scheduler(1, s_), 0);
    follows(1);
  }
}

TEST_F(pool_calls, are_passed_on_by_who_picks_nothing) {
  static weft_pool_t picked;
  picked = pool();
  const std::vector<weft_pool_t> one{pool()};
  weft_scheduler_config_t config = over(one);
  config.pick = [](weft_scheduler_t, void*) {
    return weft_worker_index() < 3 ? nullptr : weft_pool_pop(picked);
  };
  serve({1, 2, 3}, config);
  for (int i = 0; i < scaled(20) && !HasFailure(); ++i) expect_runs_at(3);
}

// There no task is current.
TEST_F(pool_among, weft_stop_is_refused_in_a_pick) {
  static weft_pool_t from;
  static std::atomic<int> said;
  from = make_pool();
  said = 0;
  const std::vector<weft_pool_t> one{from};
  weft_scheduler_config_t config = over(one);
  config.pick = [](weft_scheduler_t, void*) {
    said = weft_stop();
    return weft_pool_pop(from);
  };
  EXPECT_EQ(weft_worker_set_scheduler(1, make_scheduler(config)), 0);
  auto nothing = [] {};
  join(spawn(nothing, on_worker(from)));
  EXPECT_EQ(said, -EPERM);
}

TEST_F(pool_among, a_scheduler_that_ends_leaves_a_worker_that_is_disabled) {
  const weft_pool_t p = make_pool();
  const weft_scheduler_t s = serving({p});
  std::atomic<bool> runs{false};
  auto runner = [&] {
    runs = true;
    EXPECT_EQ(weft_scheduler_run(s), 0);
  };
  const weft_task_t t = spawn(runner, on_worker(1));
  EXPECT_TRUE(yield_until([&] { return runs.load(); }));
  EXPECT_EQ(weft_worker_disable(1), 0);
  auto nothing = [] {};
  join(spawn(nothing, on_worker(1)));  // it has followed the order
  EXPECT_EQ(weft_scheduler_finish(s), 0);
  EXPECT_TRUE(yield_until([&] { return weft_task_try_join(t, nullptr) == 0; }));
  EXPECT_EQ(weft_worker_enable(1), 0);
}

TEST_F(pool_among, a_worker_whose_task_runs_a_scheduler_stays_until_that_is_left) {
  constexpr int64_t an_hour_ns = 3'600'000'000'000;
  const weft_pool_t outer = make_pool();
  const weft_pool_t inner = make_pool();
  EXPECT_EQ(weft_worker_set_scheduler(1, serving({outer})), 0);
  const weft_scheduler_t s = serving({inner});
  auto runner = [&] { EXPECT_EQ(weft_scheduler_run(s), 0); };
  auto nothing = [] {};
  const weft_task_t t = spawn(runner, on_worker(outer));
  join(spawn(nothing, on_worker(inner)));  // which none but s serves
  for (const int64_t patience_ns : {0, 2'000'000}) {
    EXPECT_EQ(weft_worker_remove(1, patience_ns == 0 ? 0 : weft_time_now_ns() + patience_ns),
              -EBUSY);
    EXPECT_EQ(weft_worker_is_enabled(1), 1);
  }
  std::thread remover([] { EXPECT_EQ(weft_worker_remove(1, weft_time_now_ns() + an_hour_ns), 0); });
  EXPECT_TRUE(yield_until([] { return weft_worker_is_enabled(1) == 0; }));
  EXPECT_EQ(weft_scheduler_finish(s), 0);
  remover.join();
  EXPECT_EQ(weft_worker_add(1), 0);
  join(t);
}

// A task on worker 1 that may leave it runs a scheduler after the worker was told to take nothing:
// it is let run there to its next wait, which is this one.
class pool_whose_runner_leaves : public pool_among {
 protected:
  void SetUp() override {
    if (all_sticky()) GTEST_SKIP() << "nothing may leave";
    pool_among::SetUp();
  }
  void TearDown() override {
    if (!all_sticky()) pool_among::TearDown();
  }

  // place: where the task waits, a pool that worker 1 serves, or 0: it is free. tell: while it
  // computes there.
  template <class What>
  void run_elsewhere(weft_pool_t place, What&& tell) {
    const weft_pool_t p = make_pool();
    const weft_scheduler_t s = serving({p});
    std::atomic<bool> here{false};
    std::atomic<bool> told{false};
    auto finishes = [&] { EXPECT_EQ(weft_scheduler_finish(s), 0); };
    auto serves = [&] {
      if (place == 0) {
        EXPECT_EQ(weft_task_migrate(1), 0);
        EXPECT_EQ(weft_task_set_sticky(0), 0);
      }
      EXPECT_EQ(weft_worker_index(), 1u);
      here = true;
      EXPECT_TRUE(compute_until([&] { return told.load(); }));
      const weft_task_t t = spawn(finishes, on_worker(p));
      EXPECT_EQ(weft_scheduler_run(s), 0);
      EXPECT_NE(weft_worker_index(), 1u);
      join(t);
    };
    const weft_task_t t = place == 0 ? spawn(serves) : spawn(serves, on_worker(place));
    EXPECT_TRUE(yield_until([&] { return here.load(); }));
    tell();
    told = true;
    EXPECT_TRUE(yield_until([&] { return weft_task_try_join(t, nullptr) == 0; }));
    EXPECT_EQ(weft_scheduler_free(s), 0);
  }
};

TEST_F(pool_whose_runner_leaves, it_runs_the_scheduler_where_its_worker_does_not_go) {
  run_elsewhere(0, [] { EXPECT_EQ(weft_worker_remove(1, 0), 0); });
  EXPECT_EQ(weft_worker_add(1), 0);
}

TEST_F(pool_whose_runner_leaves, a_removal_that_still_waits_for_others_does_not_keep_it) {
  constexpr int64_t an_hour_ns = 3'600'000'000'000;
  weft_semaphore_t go = WEFT_SEMAPHORE_INIT(0);
  auto stays = [&] { EXPECT_EQ(weft_semaphore_wait(&go), 0); };
  const weft_task_t t = spawn(stays, on_worker(1));
  std::thread remover;
  run_elsewhere(0, [&] {
    remover =
        std::thread([] { EXPECT_EQ(weft_worker_remove(1, weft_time_now_ns() + an_hour_ns), 0); });
    EXPECT_TRUE(yield_until([] { return weft_worker_is_enabled(1) == 0; }));
  });
  EXPECT_EQ(weft_semaphore_post(&go, 1), 0);
  remover.join();
  join(t);
  EXPECT_EQ(weft_worker_add(1), 0);
}

TEST_F(pool_whose_runner_leaves, it_does_not_serve_with_a_worker_that_is_disabled) {
  run_elsewhere(0, [] { EXPECT_EQ(weft_worker_disable(1), 0); });
  EXPECT_EQ(weft_worker_enable(1), 0);
}

TEST_F(pool_whose_runner_leaves, out_of_a_pool_it_goes_to_another_server) {
  const weft_pool_t p = make_pool();
  const weft_scheduler_t s = serving({p});
  EXPECT_EQ(weft_worker_set_scheduler(1, s), 0);
  run_elsewhere(p, [&] {
    EXPECT_EQ(weft_worker_set_scheduler(2, s), 0);
    auto nothing = [] {};
    join(spawn(nothing, on_worker(2)));  // it has followed the order
    EXPECT_EQ(weft_worker_disable(1), 0);
  });
  EXPECT_EQ(weft_worker_enable(1), 0);
}

TEST_F(pool_whose_runner_leaves, out_of_a_pool_without_one_it_serves_when_its_worker_is_enabled) {
  const weft_pool_t outer = make_pool();
  const weft_pool_t inner = make_pool();
  EXPECT_EQ(weft_worker_set_scheduler(1, serving({outer})), 0);
  const weft_scheduler_t s = serving({inner});
  std::atomic<bool> here{false};
  std::atomic<bool> told{false};
  auto finishes = [&] { EXPECT_EQ(weft_scheduler_finish(s), 0); };
  auto serves = [&] {
    here = true;
    EXPECT_TRUE(compute_until([&] { return told.load(); }));
    const weft_task_t t = spawn(finishes, on_worker(inner));
    EXPECT_EQ(weft_scheduler_run(s), 0);
    EXPECT_EQ(weft_worker_index(), 1u);
    join(t);
  };
  const weft_task_t t = spawn(serves, on_worker(outer));
  EXPECT_TRUE(yield_until([&] { return here.load(); }));
  EXPECT_EQ(weft_worker_disable(1), 0);
  told = true;
  EXPECT_TRUE(yield_until([&] { return weft_pool_size(inner) == 1; }));
  EXPECT_EQ(weft_worker_enable(1), 0);
  join(t);
}

TEST_F(pool_among, is_freed_as_soon_as_its_last_task_has_ended) {
  // Who wakes that task may still be about to tell the pool's servers.
  constexpr int pools = 4;
  struct post {
    weft_semaphore_t go = WEFT_SEMAPHORE_INIT(0);
    std::atomic<int> asked{0};
  };
  std::array<post, pools> posts;
  std::atomic<bool> over{false};
  std::thread poster([&] {
    std::array<int, pools> done{};
    while (!over)
      for (std::size_t i = 0; i < pools; ++i)
        if (posts[i].asked != done[i]) {
          ++done[i];
          EXPECT_EQ(weft_semaphore_post(&posts[i].go, 1), 0);
        }
  });
  for (int round = 0; round < scaled(500); ++round) {
    std::vector<weft_pool_t> mine;
    for (int i = 0; i < pools; ++i) mine.push_back(make_pool());
    const weft_scheduler_t s = serving(mine);
    EXPECT_EQ(weft_worker_set_scheduler(1, s), 0);
    struct waits {
      weft_semaphore_t* at;
      void operator()() const { EXPECT_EQ(weft_semaphore_wait(at), 0); }
    };
    std::vector<waits> bodies;
    for (post& p : posts) bodies.push_back({&p.go});
    std::vector<weft_task_t> tasks;
    for (std::size_t i = 0; i < pools; ++i) tasks.push_back(spawn(bodies[i], on_worker(mine[i])));
    for (post& p : posts) ++p.asked;
    for (const weft_task_t t : tasks) join(t);
    EXPECT_EQ(weft_worker_set_scheduler(1, nullptr), 0);
    release(s);
    for (const weft_pool_t p : mine)
      EXPECT_TRUE(yield_until([&] { return weft_pool_free(p) == 0; }));
  }
  over = true;
  poster.join();
}

TEST_F(pool_among, stop_does_not_wait_for_a_server_that_is_disabled) {
  const weft_pool_t p = make_pool();
  EXPECT_EQ(weft_worker_set_scheduler(1, serving({p})), 0);
  auto nothing = [] {};
  EXPECT_EQ(weft_worker_disable(1), 0);
  join(spawn(nothing, on_worker(1)));
  const weft_spawn_t how = on_worker(p);
  EXPECT_EQ(weft_task_spawn_with(call<decltype(nothing)>, &nothing, &how, nullptr), 0);
  EXPECT_EQ(weft_stop(), 0);
  SetUp();
}

TEST_F(pool_among, all_servers_are_called_for_a_burst) {
  const weft_pool_t p = make_pool();
  const weft_scheduler_t s = serving({p});
  for (uint32_t w = 1; w < 4; ++w) EXPECT_EQ(weft_worker_set_scheduler(w, s), 0);
  for (int i = 0; i < scaled(50); ++i) {
    std::atomic<int> met{0};
    auto meet = [&] {
      ++met;
      EXPECT_TRUE(compute_until([&] { return met == 3; }));
    };
    std::vector<weft_task_t> tasks;
    for (int k = 0; k < 3; ++k) tasks.push_back(spawn(meet, on_worker(p)));
    EXPECT_TRUE(compute_until([&] { return met == 3; }));
    for (const weft_task_t t : tasks) join(t);
  }
}

TEST_P(pools_of_each, workers_that_are_alone_run_what_has_a_priority_and_no_place) {
  const uint32_t workers = GetParam();
  for (uint32_t w = 0; w < workers; ++w) {
    const std::vector<weft_pool_t> one{make_pool()};
    weft_scheduler_config_t config = over(one);
    config.flags = WEFT_SCHEDULER_ALONE;
    EXPECT_EQ(weft_worker_set_scheduler(w, make_scheduler(config)), 0);
  }
  auto nothing = [] {};
  for (const uint32_t level : {WEFT_SPAWN_LOW, WEFT_SPAWN_HIGH})
    for (int i = 0; i < 10; ++i) join(spawn(nothing, with_flags(level)));
}

TEST_P(pools_of_each, workers_that_are_alone_steal_nothing) {
  // Shared nothing: each worker a private pool, whose tasks spawn there and wait there.
  struct cell {
    weft_pool_t pool = 0;
    uint32_t worker = 0;
    std::atomic<int> ran{0};
    std::atomic<int> elsewhere{0};
  };
  const uint32_t workers = GetParam();
  std::vector<cell> cells(workers);
  for (uint32_t w = 0; w < workers; ++w) {
    cells[w].worker = w;
    cells[w].pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_PRIVATE);
    const std::vector<weft_pool_t> one{cells[w].pool};
    weft_scheduler_config_t config = over(one);
    config.flags = WEFT_SCHEDULER_ALONE;
    EXPECT_EQ(weft_worker_set_scheduler(w, make_scheduler(config)), 0);
  }
  auto nothing = [] {};
  for (uint32_t w = 0; w < workers; ++w) {  // until all have followed
    const weft_task_t t = spawn(nothing, on_worker(w));
    while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
  }
  const uint64_t stolen = stats().steals;
  struct root {
    cell& c;
    void operator()() const {
      auto leaf = [this] {
        weft_task_yield();
        if (weft_worker_index() != c.worker) ++c.elsewhere;
        ++c.ran;
      };
      std::vector<weft_task_t> tasks;
      for (int i = 0; i < 100; ++i) tasks.push_back(spawn(leaf, on_worker(c.pool)));
      for (int i = 0; i < 100; ++i) tasks.push_back(spawn(leaf));  // the worker's own queue
      for (const weft_task_t t : tasks) join(t);
    }
  };
  std::vector<root> roots;
  for (cell& c : cells) roots.push_back(root{c});
  std::vector<weft_task_t> tasks;
  for (uint32_t w = 0; w < workers; ++w) tasks.push_back(spawn(roots[w], on_worker(w)));
  for (const weft_task_t t : tasks) join(t);
  for (const cell& c : cells) {
    EXPECT_EQ(c.ran, 200);
    EXPECT_EQ(c.elsewhere, 0);
  }
  EXPECT_EQ(stats().steals, stolen);
  // What comes from outside is run all the same.
  std::atomic<int> ran{0};
  auto one = [&] { ++ran; };
  std::thread([&] {
    for (int i = 0; i < 50; ++i) join(spawn(one));
  }).join();
  EXPECT_EQ(ran, 50);
}

TEST_F(pool_among, a_pool_with_one_consumer_has_one) {
  const weft_pool_t p = make_pool(WEFT_POOL_LIFO, WEFT_POOL_ONE_CONSUMER);
  const weft_scheduler_t s = serving({p});
  EXPECT_EQ(weft_worker_set_scheduler(1, s), 0);
  EXPECT_EQ(weft_worker_set_scheduler(2, s), -EBUSY);
  EXPECT_EQ(weft_worker_set_scheduler(1, s), 0) << "again";
  std::atomic<int> ran{0};
  auto one = [&] {
    EXPECT_EQ(weft_worker_index(), 1u);
    weft_task_yield();
    ++ran;
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < scaled(500); ++i) tasks.push_back(spawn(one, on_worker(p)));
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(weft_worker_set_scheduler(1, nullptr), 0);
  EXPECT_TRUE(yield_until([&] { return weft_worker_set_scheduler(2, s) == 0; }));
  auto two = [&] { EXPECT_EQ(weft_worker_index(), 2u); };
  for (int i = 0; i < 20; ++i) join(spawn(two, on_worker(p)));
}

// A worker's task spawns there and makes no pick, so it takes up nothing that it is given.
TEST_F(pool_among, a_pool_with_one_consumer_has_one_while_schedulers_are_replaced) {
  for (const weft_pool_order order : {WEFT_POOL_FIFO, WEFT_POOL_LIFO}) {
    const weft_pool_t p = make_pool(order, WEFT_POOL_ONE_CONSUMER);
    const weft_scheduler_t s = serving({p});
    const weft_scheduler_t other = serving({make_pool()});
    std::atomic<int> sent{0};
    std::atomic<int> ran{0};
    std::atomic<bool> over{false};
    auto leaf = [&] { ++ran; };
    auto spawns = [&] {
      const weft_spawn_t how = on_worker(p);
      constexpr int most = 10000;
      while (!over) {
        if (sent - ran > most) continue;
        ++sent;
        EXPECT_EQ(weft_task_spawn_with(call<decltype(leaf)>, &leaf, &how, nullptr), 0);
      }
    };
    const weft_task_t t = spawn(spawns, on_worker(1));
    EXPECT_TRUE(yield_until([&] { return sent > 0; }));
    auto change = [&] {
      for (int i = 0; i < scaled(3000); ++i) {
        EXPECT_TRUE(compute_until([&] { return weft_worker_set_scheduler(1, s) == 0; }));
        EXPECT_EQ(weft_worker_set_scheduler(1, other), 0);
        EXPECT_EQ(weft_worker_set_scheduler(2, s), 0);
        for (int k = 0; k < i % 8; ++k) std::this_thread::yield();
        EXPECT_EQ(weft_worker_set_scheduler(2, nullptr), 0);
      }
      over = true;
    };
    std::thread(change).join();
    join(t);
    EXPECT_TRUE(yield_until([&] { return weft_worker_set_scheduler(3, s) == 0; }));
    EXPECT_TRUE(yield_until([&] { return ran == sent; })) << ran << " of " << sent;
    EXPECT_EQ(weft_worker_set_scheduler(3, nullptr), 0);
    release(s);
    release(other);
  }
}

TEST_F(pool_among, a_worker_that_is_removed_lets_go_of_its_pools) {
  static std::atomic<int> released;
  released = 0;
  const weft_pool_t p = make_pool(WEFT_POOL_FIFO, WEFT_POOL_ONE_CONSUMER);
  const std::vector<weft_pool_t> one{p};
  weft_scheduler_config_t config = over(one);
  config.released = [](void*) {
    EXPECT_EQ(weft_worker_is_enabled(1), 0) << "no lock is held";
    ++released;
  };
  const weft_scheduler_t s = make_scheduler(config);
  const weft_scheduler_t other = serving({p});
  for (int i = 0; i < scaled(20); ++i) {
    EXPECT_EQ(weft_worker_set_scheduler(1, i == 0 ? s : other), 0);
    EXPECT_TRUE(yield_until([] { return weft_worker_remove(1, 0) == 0; }));
    if (i % 2 == 0) weft_task_sleep_for(1000000);  // it is gone, perhaps
    EXPECT_EQ(weft_worker_set_scheduler(1, other), 0) << "it has the pool, and keeps it";
    EXPECT_EQ(weft_worker_set_scheduler(1, nullptr), 0);
    EXPECT_TRUE(yield_until([&] { return weft_worker_set_scheduler(2, other) == 0; }));
    if (i == 0) {
      release(s);
      EXPECT_TRUE(yield_until([&] { return released == 1; }));
    }
    auto here = [] { EXPECT_EQ(weft_worker_index(), 2u); };
    join(spawn(here, on_worker(p)));
    // What it is given meanwhile it has when it is there again.
    EXPECT_EQ(weft_worker_set_scheduler(2, nullptr), 0);
    EXPECT_TRUE(yield_until([&] { return weft_worker_set_scheduler(1, other) == 0; }));
    auto there = [] { EXPECT_EQ(weft_worker_index(), 1u); };
    const weft_task_t t = spawn(there, on_worker(p));
    EXPECT_EQ(weft_worker_add(1), 0);
    join(t);
  }
}

TEST_F(pool_among, schedulers_are_replaced_while_tasks_run) {
  const weft_pool_t a = make_pool();
  const weft_pool_t b = make_pool(WEFT_POOL_LIFO);
  static std::atomic<int> released;  // some are released as late as at the stop
  released = 0;
  std::atomic<bool> stop{false};
  const std::vector<weft_pool_t> pools{a, b};
  auto changes = [&] {
    for (uint32_t i = 0; !stop; ++i) {
      weft_scheduler_config_t config = over(pools);
      config.state = &released;
      config.released = [](void* n) { ++*static_cast<std::atomic<int>*>(n); };
      const weft_scheduler_t s = make_scheduler(config);
      EXPECT_EQ(weft_worker_set_scheduler(i % 4, s), 0);
      release(s);
      if (i % 3 == 0) {
        EXPECT_EQ(weft_worker_set_scheduler((i + 1) % 4, nullptr), 0);
      }
      if (i % 7 == 0) {
        EXPECT_EQ(weft_worker_disable(3), 0);
      }
      std::this_thread::yield();
      EXPECT_EQ(weft_worker_enable(3), 0);
    }
    for (uint32_t w = 0; w < 4; ++w) EXPECT_EQ(weft_worker_set_scheduler(w, serving(pools)), 0);
  };
  std::thread changer(changes);
  std::atomic<int> ran{0};
  auto body = [&] {
    weft_task_yield();
    ++ran;
  };
  const int rounds = scaled(300);
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < rounds; ++i) {
    for (const weft_pool_t p : pools)
      for (int k = 0; k < 4; ++k) tasks.push_back(spawn(body, on_worker(p)));
    weft_task_yield();
  }
  stop = true;
  changer.join();
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(ran, rounds * 8);
}

TEST_F(pool_among, stop_waits_for_pools_that_are_served_and_drops_others) {
  static std::atomic<int> ran{0};
  ran = 0;
  const weft_pool_t served = make_pool();
  const weft_pool_t forgotten = make_pool();
  EXPECT_EQ(weft_worker_set_scheduler(2, serving({served})), 0);
  auto* const body = +[](void*) -> void* {
    weft_task_sleep_for(100000);
    ++ran;
    return nullptr;
  };
  for (const weft_pool_t p : {served, forgotten})
    for (int i = 0; i < 20; ++i) {
      const weft_spawn_t how = on_worker(p);
      EXPECT_EQ(weft_task_spawn_with(body, nullptr, &how, nullptr), 0);
    }
  EXPECT_EQ(weft_stop(), 0);
  EXPECT_EQ(ran, 20);
  EXPECT_EQ(weft_pool_size(served), -ENOTCONN);
  ASSERT_EQ(weft_start(nullptr), 0);
  EXPECT_EQ(weft_pool_size(served), -EINVAL) << "of the runtime before";
}

}  // namespace
}  // namespace weft::test
