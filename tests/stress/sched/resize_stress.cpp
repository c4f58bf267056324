// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers and shepherds are disabled, enabled, removed, added and moved at random while tasks of
// every kind run: each runs once, where it may, and ends.
// WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

#include <weft/weft.h>

#include "base/build.hpp"

namespace weft::rt {
namespace {

using random_source = std::minstd_rand;

constexpr int actors = 10;
constexpr int outside_actors = 2;
constexpr int resizers = 2;
constexpr int steps = build::tsan ? 60 : build::asan ? 300 : 3'000;
constexpr int64_t patience_ns = 200'000;  // of a removal

struct world {
  std::atomic<int64_t> begun{0};
  std::atomic<int64_t> ended{0};
  std::atomic<int64_t> refused{0};    // by a worker that had gone
  std::atomic<int64_t> misplaced{0};  // tasks that ran where they may not
  std::atomic<bool> over{false};
  weft_mutex_t mutex = WEFT_MUTEX_INIT;
  int64_t under_mutex = 0;
  std::atomic<int64_t> locked{0};
  weft_pool_t pool = 0;
  weft_pool_t by_key = 0;
};

uint32_t below(random_source& random, uint32_t n) { return static_cast<uint32_t>(random() % n); }

// A task that calls f, which is copied.
struct packet {
  world* w;
  std::function<void(world&)> f;
};
void* unpack(void* arg) {
  auto* p = static_cast<packet*>(arg);
  p->f(*p->w);
  ++p->w->ended;
  return nullptr;
}

// 0 or -ERANGE.
void run(world& w, const weft_spawn_t& how, int copies, const std::function<void(world&)>& f) {
  packet p{&w, f};
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < copies; ++i) {
    weft_task_t t = nullptr;
    ++w.begun;
    const int spawned = weft_task_spawn_with(unpack, &p, &how, &t);
    if (spawned == 0) {
      tasks.push_back(t);
      continue;
    }
    EXPECT_EQ(spawned, -ERANGE);
    ++w.refused;
    ++w.ended;
  }
  for (const weft_task_t t : tasks) EXPECT_EQ(weft_task_join(t, nullptr), 0);
}

void tree(world& w, int depth) {
  if (depth == 0) return;
  run(w, WEFT_SPAWN_INIT, 2, [depth](world& world) { tree(world, depth - 1); });
}

void stays(world& w, uint32_t where) {
  for (int i = 0; i < 3; ++i) {
    if (weft_worker_index() != where) ++w.misplaced;
    if (i % 2 == 0) {
      weft_task_yield();
    } else {
      weft_task_sleep_for(20'000);
    }
  }
}

void step(world& w, random_source& random) {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  const uint32_t worker = below(random, weft_worker_count());
  const uint64_t key = below(random, 10);
  switch (below(random, 10)) {
    case 0:
      tree(w, 4);
      break;
    case 1:  // pinned
      how.worker = worker;
      run(w, how, 4, [worker](world& world) { stays(world, worker); });
      break;
    case 2:  // sticky
      how.flags = WEFT_SPAWN_STICKY;
      run(w, how, 4, [](world& world) { stays(world, weft_worker_index()); });
      break;
    case 3:  // of a shepherd, whose heir may change
      how.worker = WEFT_SHEPHERD(below(random, weft_shepherd_count()));
      run(w, how, 8, [](world&) { weft_task_yield(); });
      break;
    case 4:
      how.flags = below(random, 2) == 0 ? WEFT_SPAWN_HIGH : WEFT_SPAWN_LOW;
      run(w, how, 8, [](world&) { weft_task_yield(); });
      break;
    case 5:
      how.worker = w.pool;
      run(w, how, 8, [](world&) { weft_task_yield(); });
      break;
    case 6:
      how.worker = w.by_key;
      how.key = &key;
      how.key_words = 1;
      run(w, how, 4, [](world&) { weft_task_sleep_for(10'000); });
      break;
    case 7:  // a lock, which its holder gives away while others wait
      run(w, how, 6, [](world& world) {
        for (int i = 0; i < 3; ++i) {
          EXPECT_EQ(weft_mutex_lock(&world.mutex), 0);
          ++world.under_mutex;
          ++world.locked;
          if (i == 1) weft_task_yield();
          EXPECT_EQ(weft_mutex_unlock(&world.mutex), 0);
        }
      });
      break;
    case 8: {  // a latch
      weft_latch_t latch;
      EXPECT_EQ(weft_latch_init(&latch, 5), 0);
      run(w, how, 5, [&latch](world&) {
        EXPECT_EQ(weft_latch_count_down(&latch, 1), 0);
        EXPECT_EQ(weft_latch_wait(&latch), 0);
      });
      break;
    }
    default:  // one that moves
      run(w, how, 4, [worker](world& world) {
        const int moved = weft_task_migrate(worker);
        if (moved == 0 && weft_worker_index() != worker) ++world.misplaced;
        EXPECT_TRUE(moved == 0 || moved == -ERANGE || moved == -EDEADLK) << moved;
        weft_task_yield();
      });
      break;
  }
}

void resize(random_source& random) {
  const uint32_t worker = below(random, weft_worker_count());
  const uint32_t shepherd = below(random, weft_shepherd_count());
  int result = 0;
  const auto processor = [&random] {
    return static_cast<uint32_t>(weft_worker_processor(below(random, weft_worker_count())));
  };
  switch (below(random, 14)) {
    case 0:
    case 1:
      result = weft_worker_disable(worker);
      break;
    case 2:
      EXPECT_EQ(weft_worker_enable(worker), 0);
      break;
    case 3:
      result = weft_shepherd_disable(shepherd);
      break;
    case 4:
      EXPECT_EQ(weft_shepherd_enable(shepherd), 0);
      break;
    case 5:
      result = weft_worker_remove(worker, 0);
      break;
    case 6:
      result = weft_worker_remove(worker, weft_time_now_ns() + patience_ns);
      break;
    case 7:
      EXPECT_EQ(weft_worker_add(worker), 0);
      break;
    case 8:
      EXPECT_EQ(weft_worker_bind(worker, below(random, 2) == 0 ? WEFT_ANYWHERE : processor()), 0);
      break;
    case 9:
      result = weft_shepherd_remove(shepherd, 0);
      break;
    case 10:
      result = weft_shepherd_remove(shepherd, weft_time_now_ns() + patience_ns);
      break;
    case 11:
    case 12:
      EXPECT_EQ(weft_shepherd_add(shepherd), 0);
      break;
    default: {
      const uint32_t to[] = {processor(), processor()};
      EXPECT_EQ(weft_shepherd_bind(shepherd, to, below(random, 3)), 0);
    }
  }
  EXPECT_TRUE(result == 0 || result == -EBUSY || result == -EPERM || result == -EALREADY) << result;
}

weft_pool_t make_pool(weft_pool_order order) {
  weft_pool_config_t config{};
  config.size = sizeof config;
  config.order = static_cast<uint32_t>(order);
  weft_pool_t p = 0;
  EXPECT_EQ(weft_pool_create(&config, &p), 0);
  return p;
}

class resize_stress : public testing::Test {
 protected:
  void SetUp() override {
    setenv("WEFT_TOPOLOGY", "flat", 1);
    setenv("WEFT_SHEPHERD", "core", 1);
    setenv("WEFT_BIND", "none", 1);
    ASSERT_EQ(weft_start(nullptr), 0);
    w_.pool = make_pool(WEFT_POOL_FIFO);
    w_.by_key = make_pool(WEFT_POOL_KEY_FIFO);
    const weft_pool_t pools[] = {w_.pool, w_.by_key};
    weft_scheduler_config_t config{};
    config.size = sizeof config;
    config.pools = pools;
    config.count = 2;
    ASSERT_EQ(weft_scheduler_create(&config, &scheduler_), 0);
    for (uint32_t i = 0; i < weft_worker_count(); ++i)
      EXPECT_EQ(weft_worker_set_scheduler(i, scheduler_), 0);
  }
  void TearDown() override {
    EXPECT_EQ(weft_scheduler_free(scheduler_), 0);
    EXPECT_EQ(weft_stop(), 0);
    for (const char* name : {"WEFT_TOPOLOGY", "WEFT_SHEPHERD", "WEFT_BIND"}) unsetenv(name);
  }

  world w_;
  weft_scheduler_t scheduler_ = nullptr;
};

TEST_F(resize_stress, nothing_is_lost_run_twice_or_run_elsewhere) {
  const uint32_t seed = std::random_device{}();
  RecordProperty("seed", static_cast<int>(seed));
  SCOPED_TRACE(seed);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < resizers; ++i)
    threads.emplace_back([this, i, seed] {
      random_source random(seed + i);
      while (!w_.over) {
        resize(random);
        std::this_thread::yield();
      }
    });
  std::vector<std::thread> outside;
  std::atomic<int> outside_left{outside_actors};
  for (uint32_t i = 0; i < outside_actors; ++i)
    outside.emplace_back([this, i, seed, &outside_left] {
      random_source random(seed + 100 + i);
      for (int k = 0; k < steps; ++k) step(w_, random);
      --outside_left;
    });
  const weft_spawn_t how = WEFT_SPAWN_INIT;
  std::atomic<uint32_t> number{seed + 200};
  run(w_, how, actors, [&number](world& w) {
    random_source random(++number);
    for (int k = 0; k < steps; ++k) {
      step(w, random);
      if (k % 16 == 0) resize(random);
    }
  });
  while (outside_left > 0) weft_task_yield();  // tasks of theirs are bound to this thread's worker
  for (std::thread& t : outside) t.join();
  w_.over = true;
  for (std::thread& t : threads) t.join();
  for (uint32_t i = 0; i < weft_worker_count(); ++i) EXPECT_EQ(weft_worker_add(i), 0);
  EXPECT_EQ(w_.begun, w_.ended);
  EXPECT_EQ(w_.misplaced, 0);
  EXPECT_EQ(w_.under_mutex, w_.locked);
  EXPECT_EQ(weft_pool_size(w_.pool), 0);
  EXPECT_EQ(weft_pool_size(w_.by_key), 0);
}

}  // namespace
}  // namespace weft::rt
