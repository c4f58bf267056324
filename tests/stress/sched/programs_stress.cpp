// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random programs of spawns, joins, yields, waits and moves, checked against the same program run
// serially: which task does what follows from the seed alone, so both compute the same sum.
// WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include <weft/weft.h>

#include "base/build.hpp"

namespace weft::rt {
namespace {

constexpr int programs = build::tsan ? 3 : build::asan ? 6 : 25;
constexpr int tasks_per_program = build::tsan ? 500 : build::asan ? 1500 : 4000;

uint64_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdu;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

// What one task of the program does; its own number decides.
struct plan {
  explicit plan(uint64_t of) : seed(of) {}
  uint64_t seed;
  uint64_t next() { return seed = mix(seed + 0x9e3779b97f4a7c15u); }
  unsigned below(unsigned n) { return static_cast<unsigned>(next() % n); }
};

enum step : unsigned { do_spawn, do_yield, do_sleep, do_migrate, do_stick, do_throw, steps };

struct program {
  bool serial = false;
  std::atomic<uint64_t> detached_sum{0};
  std::atomic<int> detached_left{0};
};

struct node {
  program* in;
  uint64_t seed;
  int budget;  // tasks below this one
};

uint64_t run_node(const node& n);

void* node_task(void* arg) {
  auto* n = static_cast<node*>(arg);
  const uint64_t sum = run_node(*n);
  return reinterpret_cast<void*>(sum);
}

void* detached_task(void* arg) {
  auto* n = static_cast<node*>(arg);
  program& in = *n->in;
  in.detached_sum += run_node(*n);
  --in.detached_left;  // last use of the program
  return nullptr;
}

void* waker_task(void* sleeper) {
  EXPECT_EQ(weft_task_resume(static_cast<weft_task_t>(sleeper)), 0);
  return nullptr;
}

// Parks until a helper wakes it, who runs on some worker.
void sleep_until_woken(plan& p) {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  if (p.below(2) == 0) how.worker = p.below(weft_worker_count());
  weft_task_t waker = nullptr;
  ASSERT_EQ(weft_task_spawn_with(waker_task, weft_task_self(), &how, &waker), 0);
  ASSERT_EQ(weft_task_suspend(), 0);
  ASSERT_EQ(weft_task_join(waker, nullptr), 0);
}

weft_spawn_t way_of(plan& p) {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  switch (p.below(6)) {
    case 0:
      how.flags = WEFT_SPAWN_WORK_FIRST;
      break;
    case 1:
      how.flags = WEFT_SPAWN_STICKY;
      break;
    case 2:
      how.flags = WEFT_SPAWN_SAVE_FP;
      break;
    case 3:
      how.worker = p.below(weft_worker_count());
      break;
    default:
      break;
  }
  return how;
}

uint64_t run_node(const node& n) {  // NOLINT(misc-no-recursion)
  plan p(n.seed);
  uint64_t sum = mix(n.seed);
  int left = n.budget;
  std::vector<weft_task_t> children;
  std::vector<node> nodes;
  nodes.reserve(64);  // addresses are arguments
  const unsigned count = 3 + p.below(8);
  for (unsigned i = 0; i < count; ++i) {
    const step what = p.below(2) == 0 ? do_spawn : static_cast<step>(p.below(steps));
    // A draw for each step, whatever it is: serial and parallel stay alike.
    plan own(p.next());
    if (what == do_spawn && left > 0 && nodes.size() < nodes.capacity()) {
      const int budget = static_cast<int>(own.below(static_cast<unsigned>(left)));
      left -= budget + 1;
      const bool detached = own.below(5) == 0;
      nodes.push_back({n.in, own.next(), budget});
      if (n.in->serial) {
        const uint64_t child = run_node(nodes.back());
        if (detached) {
          n.in->detached_sum += child;
        } else {
          sum += child;
        }
        continue;
      }
      weft_spawn_t how = way_of(own);
      if (detached) {
        how.copy_bytes = sizeof(node);
        ++n.in->detached_left;
        EXPECT_EQ(weft_task_spawn_with(detached_task, &nodes.back(), &how, nullptr), 0);
      } else {
        weft_task_t t = nullptr;
        EXPECT_EQ(weft_task_spawn_with(node_task, &nodes.back(), &how, &t), 0);
        children.push_back(t);
      }
      continue;
    }
    if (n.in->serial) continue;
    switch (what) {
      case do_yield:
        EXPECT_EQ(weft_task_yield(), 0);
        break;
      case do_sleep:
        sleep_until_woken(own);
        break;
      case do_migrate: {
        // Refused where main stands beneath.
        const int r = weft_task_migrate(own.below(weft_worker_count()));
        EXPECT_TRUE(r == 0 || r == -EDEADLK || r == -EPERM) << r;
        break;
      }
      case do_stick:
        (void)weft_task_set_sticky(own.below(2) == 0 ? 1 : 0);
        break;
      case do_throw:
        try {
          throw n.seed;
        } catch (uint64_t caught) {
          if (own.below(2) == 0) {
            EXPECT_EQ(weft_task_yield(), 0);
          }
          EXPECT_EQ(caught, n.seed);
        }
        break;
      default:
        break;
    }
  }
  while (!children.empty()) {
    const std::size_t i = p.below(2) == 0 ? children.size() - 1 : 0;
    void* result = nullptr;
    EXPECT_EQ(weft_task_join(children[i], &result), 0);
    sum += reinterpret_cast<uint64_t>(result);
    children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return sum;
}

uint64_t seed_of_run() {
  const char* given = std::getenv("TEST_SEED");
  const uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
  std::printf("TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

TEST(programs_stress, random_programs_compute_what_a_serial_run_computes) {
  const uint64_t first = seed_of_run();
  for (int i = 0; i < programs; ++i) {
    const uint64_t seed = mix(first + static_cast<uint64_t>(i));
    program serial;
    serial.serial = true;
    const uint64_t expected = run_node({&serial, seed, tasks_per_program});
    ASSERT_EQ(weft_start(nullptr), 0);
    program parallel;
    node root{&parallel, seed, tasks_per_program};
    weft_task_t t = nullptr;
    ASSERT_EQ(weft_task_spawn(node_task, &root, &t), 0);
    if (i % 2 == 0) weft_task_yield();  // else it is called on main's own stack
    void* result = nullptr;
    ASSERT_EQ(weft_task_join(t, &result), 0);
    ASSERT_EQ(weft_stop(), 0);  // runs what is detached
    EXPECT_EQ(parallel.detached_left, 0);
    EXPECT_EQ(reinterpret_cast<uint64_t>(result), expected) << "program " << i;
    EXPECT_EQ(parallel.detached_sum, serial.detached_sum) << "program " << i;
  }
}

}  // namespace
}  // namespace weft::rt
