// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flows of every kind that a program can have, at the same time and at random: tasks of all sorts
// and in pools of all orders, called by their joiner or not, threads outside, in the scope of a
// canceller or of a shield, while workers come and go, under options of all sorts.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <weft/weft.h>

namespace weft::test {

class dice {
 public:
  explicit dice(uint32_t seed) : source_(seed) {}
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(source_() >> 8) % n; }
  bool one_in(uint32_t n) { return below(n) == 0; }
  uint32_t seed() { return static_cast<uint32_t>(source_()); }

 private:
  std::mt19937 source_;
};

// The presence of a flow in the scope of a canceller, or, without one, in a shield.
class scope {
 public:
  explicit scope(weft_cancel_t* cancel) { EXPECT_EQ(weft_cancel_enter(cancel, &scope_), 0); }
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope() { EXPECT_EQ(weft_cancel_leave(&scope_), 0); }

 private:
  weft_cancel_scope_t scope_{};
};

// One that takes part. A wait of its own may end without what it waited for.
class flow {
 public:
  flow(uint32_t seed, weft_cancel_t* cancel) : random(seed), cancel_(cancel) {}

  dice random;

  // Whether a wait gave up, for a reason that there was.
  bool gave_up(int result) const {
    if (result == -ECANCELED) {
      EXPECT_TRUE(cancel_ != nullptr && weft_cancel_is_requested(cancel_) == 1);
      return true;
    }
    return result == -ETIMEDOUT || result == -EBUSY;
  }
  // Up to 60 us from now, or just before.
  int64_t soon() { return weft_time_now_ns() + int64_t{random.below(60'000)} - 2'000; }

 private:
  weft_cancel_t* cancel_;
};

// A runtime with options, pools and a scheduler that are drawn.
class crowd {
 public:
  using body = std::function<void(flow&)>;

  explicit crowd(uint32_t seed) : random_(seed) {
    for (const option& o : options) {
      const char* const value = o.values[random_.below(std::size(o.values))];
      if (value != nullptr) setenv(o.name, value, 1);
    }
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = 1 + random_.below(8);
    config.main_mode = random_.one_in(3) ? WEFT_MAIN_GUEST : WEFT_MAIN_WORKER;
    EXPECT_EQ(weft_start(&config), 0);
    resizes_ = random_.one_in(2);
    make_pools();
  }
  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;
  ~crowd() {
    EXPECT_EQ(weft_scheduler_free(scheduler_), 0);
    EXPECT_EQ(weft_stop(), 0);
    for (const option& o : options) unsetenv(o.name);
  }

  // Has `count` tasks, and perhaps a thread outside, call f so many times each.
  void run(uint32_t count, int times, const body& f) {
    weft_cancel_t cancel = WEFT_CANCEL_INIT;
    work shared{this, &f, random_.one_in(2) ? &cancel : nullptr, times};
    std::vector<member> members(count + 1);
    for (member& m : members) m = {&shared, random_.seed()};
    std::vector<weft_task_t> tasks;
    for (uint32_t i = 0; i < count; ++i) tasks.push_back(spawn(members[i]));
    if (random_.one_in(3)) run_outside(members[count]);
    while (!tasks.empty()) {
      const uint32_t i = random_.below(static_cast<uint32_t>(tasks.size()));
      EXPECT_EQ(weft_task_join(tasks[i], nullptr), 0);
      tasks.erase(tasks.begin() + i);
    }
    for (uint32_t i = 0; i < weft_worker_count(); ++i) EXPECT_EQ(weft_worker_add(i), 0);
  }

 private:
  struct option {
    const char* name;
    const char* values[4];
  };
  static constexpr option options[] = {
      {"WEFT_SPIN_US", {nullptr, "0", "0", "50"}},
      {"WEFT_STACK_CACHE", {nullptr, "0", "1", "0"}},
      {"WEFT_GUARD", {nullptr, "madvise", "mprotect", "canary"}},
      {"WEFT_MEMBARRIER", {nullptr, nullptr, nullptr, "off"}},
      {"WEFT_STICKY", {nullptr, nullptr, nullptr, "1"}},
      {"WEFT_TOPOLOGY", {nullptr, "flat", "flat", "pack:2 core:2 pu:2"}},
      {"WEFT_SHEPHERD", {nullptr, "core", "core", "machine"}},
      {"WEFT_BIND", {"none", "none", "none", "none"}},
  };
  static constexpr weft_pool_order orders[] = {WEFT_POOL_FIFO, WEFT_POOL_LIFO, WEFT_POOL_KEY_FIFO,
                                               WEFT_POOL_KEY_LIFO};

  // What the members of a run share.
  struct work {
    crowd* in;
    const body* f;
    weft_cancel_t* cancel;  // that is requested at some time; or NULL
    int times;
  };
  struct member {
    work* of;
    uint32_t seed;
  };

  void make_pools() {
    for (const weft_pool_order order : orders) {
      weft_pool_config_t config{};
      config.size = sizeof config;
      config.order = static_cast<uint32_t>(order);
      pools_.emplace_back();
      EXPECT_EQ(weft_pool_create(&config, &pools_.back()), 0);
    }
    weft_pool_config_t deques{};
    deques.size = sizeof deques;
    deques.access = WEFT_POOL_DEQUES;
    pools_.emplace_back();
    EXPECT_EQ(weft_pool_create(&deques, &pools_.back()), 0);
    weft_scheduler_config_t config{};
    config.size = sizeof config;
    config.pools = pools_.data();
    config.count = pools_.size();
    EXPECT_EQ(weft_scheduler_create(&config, &scheduler_), 0);
    for (uint32_t i = 0; i < weft_worker_count(); ++i)
      EXPECT_EQ(weft_worker_set_scheduler(i, scheduler_), 0);
  }
  weft_pool_t some_pool(dice& random) const {
    return pools_[random.below(static_cast<uint32_t>(pools_.size()))];
  }

  weft_task_t spawn(member& m) {
    weft_spawn_t how = WEFT_SPAWN_INIT;
    const uint64_t key = random_.below(3);
    switch (random_.below(8)) {
      case 0:
        how.flags = WEFT_SPAWN_WORK_FIRST;
        break;
      case 1:
        how.flags = WEFT_SPAWN_STICKY;
        break;
      case 2:
        how.flags = random_.one_in(2) ? WEFT_SPAWN_HIGH : WEFT_SPAWN_LOW;
        break;
      case 3:
        how.worker = random_.below(weft_worker_count());
        break;
      case 4:
        how.worker = WEFT_SHEPHERD(random_.below(weft_shepherd_count()));
        break;
      case 5:
      case 6:
        how.worker = some_pool(random_);
        how.key = &key;
        how.key_words = 1;
        break;
      default:
        break;
    }
    weft_task_t t = nullptr;
    int result = weft_task_spawn_with(take_part, &m, &how, &t);
    if (result == -ERANGE) result = weft_task_spawn(take_part, &m, &t);  // that worker is gone
    EXPECT_EQ(result, 0);
    return t;
  }

  // The caller may be the worker that the thread needs: so not by std::thread::join alone.
  static void run_outside(member& m) {
    weft_latch_t over = WEFT_LATCH_INIT(1);
    std::thread outside([&] {
      (void)take_part(&m);
      EXPECT_EQ(weft_latch_count_down(&over, 1), 0);
    });
    EXPECT_EQ(weft_latch_wait(&over), 0);
    outside.join();
  }

  static void* take_part(void* arg) {
    const member& m = *static_cast<member*>(arg);
    dice random(m.seed);
    if (weft_task_self() != nullptr && random.one_in(3)) {  // in a child that its join calls
      member child{m.of, random.seed()};
      weft_task_t t = nullptr;
      EXPECT_EQ(weft_task_spawn(act, &child, &t), 0);
      EXPECT_EQ(weft_task_join(t, nullptr), 0);
      return nullptr;
    }
    return act(arg);
  }

  static void* act(void* arg) {
    const member& m = *static_cast<member*>(arg);
    dice random(m.seed);
    weft_cancel_t* const cancel = m.of->cancel;
    std::optional<scope> inside;
    std::optional<scope> shield;
    if (cancel != nullptr && random.one_in(2)) inside.emplace(cancel);
    if (random.one_in(6)) shield.emplace(nullptr);
    flow me(random.seed(), inside && !shield ? cancel : nullptr);
    for (int i = 0; i < m.of->times; ++i) {
      if (cancel != nullptr && random.one_in(20)) {
        EXPECT_EQ(weft_cancel_request(cancel), 0);
      }
      (*m.of->f)(me);
      m.of->in->stir(random);
    }
    return nullptr;
  }

  void stir(dice& random) const {
    switch (random.below(16)) {
      case 0:
        (void)weft_task_yield();
        break;
      case 1:  // refused to a thread outside, on the first thread's stack, to what is gone
        (void)weft_task_migrate(random.below(weft_worker_count()));
        break;
      case 2:
        (void)weft_task_migrate(some_pool(random));
        break;
      case 3:
        (void)weft_task_migrate(WEFT_ANYWHERE);
        break;
      case 4:
        if (resizes_) resize(random);
        break;
      default:
        break;
    }
  }
  static void resize(dice& random) {
    const uint32_t worker = random.below(weft_worker_count());
    int result = 0;
    switch (random.below(4)) {
      case 0:
        result = weft_worker_disable(worker);
        break;
      case 1:
        result = weft_worker_enable(worker);
        break;
      case 2:
        result = weft_worker_remove(worker, 0);
        break;
      default:
        result = weft_worker_add(worker);
    }
    EXPECT_TRUE(result == 0 || result == -EBUSY || result == -EPERM) << result;
  }

  dice random_;
  bool resizes_ = false;
  std::vector<weft_pool_t> pools_;
  weft_scheduler_t scheduler_ = nullptr;
};

}  // namespace weft::test
