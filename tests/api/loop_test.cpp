// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops: each iteration exactly once, at every schedule, range and number of workers.
// WEFT_TEST_AT_WORKERS
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <sched.h>
#include <thread>
#include <utility>
#include <vector>

#include <weft/loop.h>

#include "support.hpp"
#include "support/started.hpp"

namespace weft::test {
namespace {

constexpr uint32_t schedules[] = {WEFT_LOOP_DEFAULT, WEFT_LOOP_ADAPTIVE, WEFT_LOOP_BALANCED,
                                  WEFT_LOOP_FIXED,   WEFT_LOOP_GUIDED,   WEFT_LOOP_FACTORED};

weft_loop_t with_schedule(uint32_t schedule, uint64_t block = 0) {
  weft_loop_t how = WEFT_LOOP_INIT;
  how.schedule = schedule;
  how.block = block;
  return how;
}

// How often each iteration of 0..n-1 ran.
class visits {
 public:
  explicit visits(size_t n) : n_(n), seen_(std::make_unique<std::atomic<uint8_t>[]>(n)) {}
  void add(size_t i) { seen_[i].fetch_add(1, std::memory_order_relaxed); }
  ::testing::AssertionResult once_each() const {
    for (size_t i = 0; i < n_; ++i)
      if (seen_[i].load() != 1)
        return ::testing::AssertionFailure() << i << " ran " << int{seen_[i].load()} << " times";
    return ::testing::AssertionSuccess();
  }
  size_t total() const {
    size_t sum = 0;
    for (size_t i = 0; i < n_; ++i) sum += seen_[i].load();
    return sum;
  }

 private:
  size_t n_;
  std::unique_ptr<std::atomic<uint8_t>[]> seen_;
};

void work_for(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) asm volatile("" : "+r"(i));
}

struct bodies {
  visits* seen;
  uint64_t (*cost)(uint64_t i);
};

void visit_block(uint64_t begin, uint64_t end, void* arg) {
  const bodies& b = *static_cast<bodies*>(arg);
  for (uint64_t i = begin; i < end; ++i) {
    work_for(b.cost(i));
    b.seen->add(i);
  }
}

TEST(loop, runs_each_iteration_once_at_any_schedule_size_and_cost) {
  uint64_t (*const costs[])(uint64_t) = {
      [](uint64_t) -> uint64_t { return 0; }, [](uint64_t) -> uint64_t { return 300; },
      [](uint64_t i) -> uint64_t { return i / 4; },
      [](uint64_t i) -> uint64_t { return i == 7 ? 300'000 : 0; },
      [](uint64_t i) -> uint64_t { return i * 2654435761u % 1000 == 3 ? 20'000 : 10; }};
  for (const uint32_t schedule : schedules)
    for (const size_t n : {1, 2, 3, 63, 64, 65, 1000, 20'000})
      for (const auto cost : costs) {
        visits seen(n);
        bodies b{&seen, cost};
        const weft_loop_t how = with_schedule(schedule, schedule == WEFT_LOOP_FIXED ? 3 : 0);
        ASSERT_EQ(weft_loop_run_unsigned(0, n, 1, visit_block, &b, &how), 0);
        ASSERT_TRUE(seen.once_each()) << "schedule " << schedule << ", " << n << " iterations";
      }
}

TEST(loop, is_begun_again_and_again_without_leaving_anything) {
  for (int round = 0; round < scaled(3000); ++round) {
    visits seen(300);
    bodies b{&seen, [](uint64_t) -> uint64_t { return 40; }};
    const weft_loop_t how = with_schedule(round % 2 == 0 ? WEFT_LOOP_BALANCED : WEFT_LOOP_ADAPTIVE);
    ASSERT_EQ(weft_loop_run_unsigned(0, 300, 1, visit_block, &b, &how), 0);
    ASSERT_TRUE(seen.once_each());
  }
}

// 0 + 1 + ... + (n - 1), modulo 2^64.
uint64_t triangle(uint64_t n) { return n % 2 == 0 ? n / 2 * (n - 1) : n * ((n - 1) / 2); }

struct blocks_seen {
  std::atomic<uint64_t> values{0};
  std::atomic<uint64_t> sum{0};
  std::atomic<uint64_t> blocks{0};
  uint64_t begin, step;
  uint64_t last_end;
  std::atomic<bool> bad{false};
  void add(uint64_t b, uint64_t e, bool down) {
    blocks.fetch_add(1);
    const uint64_t far = down ? b - e : e - b;
    if (far == 0) bad = true;
    const uint64_t stride = down ? 0 - step : step;
    const uint64_t n = (far - 1) / stride + 1;
    values.fetch_add(n);
    const uint64_t first = (down ? begin - b : b - begin) / stride;
    if ((down ? begin - b : b - begin) % stride != 0) bad = true;
    // The sum of the numbers of the iterations, modulo 2^64: blocks that overlap or leave a gap
    // show.
    sum.fetch_add(n * first + triangle(n));
    if (e == last_end) return;
    if ((down ? begin - e : e - begin) % stride != 0) bad = true;
  }
};

template <class Value>
void count_block(Value b, Value e, void* arg) {
  auto& seen = *static_cast<blocks_seen*>(arg);
  seen.add(static_cast<uint64_t>(b), static_cast<uint64_t>(e), b > e);
}

int run(int64_t b, int64_t e, int64_t s, blocks_seen& seen, const weft_loop_t& how) {
  return weft_loop_run(b, e, s, count_block<int64_t>, &seen, &how);
}
int run(uint64_t b, uint64_t e, int64_t s, blocks_seen& seen, const weft_loop_t& how) {
  return weft_loop_run_unsigned(b, e, s, count_block<uint64_t>, &seen, &how);
}

template <class Value>
void expect_covered(Value begin, Value end, int64_t step, uint64_t count) {
  for (const uint32_t schedule : schedules) {
    blocks_seen seen;
    seen.begin = static_cast<uint64_t>(begin);
    seen.step = static_cast<uint64_t>(step);
    seen.last_end = static_cast<uint64_t>(end);
    // Blocks of an eighth, or there would be too many.
    const uint64_t block = schedule == WEFT_LOOP_FIXED ? count / 8 + 1 : 0;
    ASSERT_EQ(run(begin, end, step, seen, with_schedule(schedule, block)), 0);
    EXPECT_EQ(seen.values.load(), count) << "schedule " << schedule;
    EXPECT_EQ(seen.sum.load(), count == 0 ? 0 : triangle(count)) << "schedule " << schedule;
    EXPECT_FALSE(seen.bad.load()) << "schedule " << schedule;
  }
}

TEST(loop, covers_ranges_up_to_all_of_64_bits) {
  constexpr int64_t low = INT64_MIN;
  constexpr int64_t high = INT64_MAX;
  expect_covered<int64_t>(0, 0, 1, 0);
  expect_covered<int64_t>(5, 3, 1, 0);
  expect_covered<int64_t>(3, 5, -1, 0);
  expect_covered<int64_t>(low, high, 1, UINT64_MAX);
  expect_covered<int64_t>(high, low, -1, UINT64_MAX);
  expect_covered<int64_t>(low, high, high, 3);
  expect_covered<int64_t>(high, low, low, 2);
  expect_covered<int64_t>(high - 1, high, 5, 1);
  expect_covered<int64_t>(-10, 11, 3, 7);
  expect_covered<int64_t>(10, -11, -3, 7);
  expect_covered<uint64_t>(0, UINT64_MAX, 1, UINT64_MAX);
  expect_covered<uint64_t>(UINT64_MAX, 0, -1, UINT64_MAX);
  expect_covered<uint64_t>(UINT64_MAX, 0, -2, UINT64_MAX / 2 + 1);
  expect_covered<uint64_t>(1, UINT64_MAX, 2, UINT64_MAX / 2);
  expect_covered<uint64_t>(0, (uint64_t{1} << 32) + 1, 1, (uint64_t{1} << 32) + 1);
  expect_covered<uint64_t>(0, UINT32_MAX, 1, UINT32_MAX);
}

TEST(loop, refuses_what_makes_no_sense_and_runs_nothing) {
  blocks_seen seen;
  weft_loop_t how = WEFT_LOOP_INIT;
  EXPECT_EQ(weft_loop_run(0, 9, 0, count_block<int64_t>, &seen, nullptr), -EINVAL);
  EXPECT_EQ(weft_loop_run(0, 9, 1, nullptr, &seen, nullptr), -EINVAL);
  how.schedule = WEFT_LOOP_EACH + 1;
  EXPECT_EQ(run(int64_t{0}, int64_t{9}, 1, seen, how), -EINVAL);
  how = WEFT_LOOP_INIT;
  how.size = 0;
  EXPECT_EQ(run(int64_t{0}, int64_t{9}, 1, seen, how), -EINVAL);
  how = with_schedule(WEFT_LOOP_EACH);
  EXPECT_EQ(weft_loop_share(9, [](weft_loop_member_t*, void*) {}, nullptr, &how), -EINVAL);
  EXPECT_EQ(weft_loop_share(9, nullptr, nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_loop_share(0, [](weft_loop_member_t*, void*) {}, nullptr, nullptr), 0);
  EXPECT_EQ(weft_loop_cancel(nullptr), -EINVAL);
  EXPECT_EQ(seen.blocks.load(), 0u);
}

TEST(loop, keeps_to_the_size_of_fixed_blocks) {
  struct sizes {
    std::atomic<int> whole{0}, rest{0}, other{0};
  } s;
  const weft_loop_t how = with_schedule(WEFT_LOOP_FIXED, 7);
  const auto body = [](int64_t b, int64_t e, void* arg) {
    auto& seen = *static_cast<sizes*>(arg);
    (e - b == 7 ? seen.whole : e - b == 2 ? seen.rest : seen.other).fetch_add(1);
  };
  EXPECT_EQ(weft_loop_run(0, 7 * 100 + 2, 1, body, &s, &how), 0);
  EXPECT_EQ(s.whole.load(), 100);
  EXPECT_EQ(s.rest.load(), 1);
  EXPECT_EQ(s.other.load(), 0);
}

TEST(loop, keeps_to_the_size_of_more_fixed_blocks_than_a_span_counts) {
  struct blocks {
    std::atomic<int> begun{0}, other{0};
    uint32_t stop = 0;
  } seen;
  weft_loop_t how = with_schedule(WEFT_LOOP_FIXED, 3);
  how.cancel = &seen.stop;
  const auto body = [](int64_t b, int64_t e, void* arg) {
    auto& s = *static_cast<blocks*>(arg);
    if (e - b != 3) ++s.other;
    if (++s.begun >= 1000) __atomic_store_n(&s.stop, 1, __ATOMIC_RELAXED);
  };
  EXPECT_EQ(weft_loop_run(0, INT64_MAX, 1, body, &seen, &how), -ECANCELED);
  EXPECT_GE(seen.begun.load(), 1000);
  EXPECT_EQ(seen.other.load(), 0);
}

TEST(loop, divides_a_balanced_loop_into_a_part_for_each_member) {
  std::atomic<int> parts{0};
  weft_loop_t how = with_schedule(WEFT_LOOP_BALANCED);
  const auto body = [](int64_t b, int64_t e, void* arg) {
    EXPECT_GE(e - b, 3);
    EXPECT_LE(e - b, 4);
    static_cast<std::atomic<int>*>(arg)->fetch_add(1);
  };
  const auto n = static_cast<int64_t>(weft_worker_count());
  EXPECT_EQ(weft_loop_run(0, 4 * n - 1, 1, body, &parts, &how), 0);
  EXPECT_EQ(parts.load(), n);
}

// Which worker began which part of a loop that all workers came to; nothing can be stolen before
// that.
TEST(loop, run_again_begins_with_the_same_parts_on_the_same_workers) {
  if (all_sticky()) GTEST_SKIP() << "others get nothing of a caller that does not call the runtime";
  struct call {
    uint32_t workers = weft_worker_count();
    std::atomic<uint32_t> here{0};
    std::vector<std::atomic<int64_t>> first = std::vector<std::atomic<int64_t>>(workers);
  };
  const int64_t part = 1000;
  for (const uint32_t schedule : {WEFT_LOOP_ADAPTIVE, WEFT_LOOP_BALANCED}) {
    for (int round = 0; round < 3; ++round) {
      call c;
      for (auto& f : c.first) f = -1;
      const auto body = [](int64_t begin, int64_t, void* arg) {
        call& mine = *static_cast<call*>(arg);
        std::atomic<int64_t>& first = mine.first.at(weft_worker_index());
        if (first != -1) return;  // what is left, and what was stolen
        first = begin;
        ++mine.here;
        EXPECT_TRUE(compute_until([&] {
          sched_yield();  // 64 workers that compute would get here one time slice after the other
          return mine.here == mine.workers;
        }));
        // A loop that was short the last time begins alone, and would wait here for workers not
        // asked.
        const int64_t long_enough = weft_time_now_ns() + 1'000'000;
        EXPECT_TRUE(compute_until([&] { return weft_time_now_ns() >= long_enough; }));
      };
      const weft_loop_t how = with_schedule(schedule);
      // From a task that any worker may run: who it is does not matter.
      auto start = [&] { EXPECT_EQ(weft_loop_run(0, part * c.workers, 1, body, &c, &how), 0); };
      join(spawn(start));
      for (uint32_t w = 0; w < c.workers; ++w) EXPECT_EQ(c.first[w], part * w) << schedule;
    }
  }
}

TEST(loop, with_one_member_stays_with_its_caller) {
  weft_loop_t how = WEFT_LOOP_INIT;
  how.members = 1;
  struct seen {
    weft_task_t caller = weft_task_self();
    int64_t next = 0;  // plain: one after the other
  } s;
  const auto body = [](int64_t b, int64_t e, void* arg) {
    auto& mine = *static_cast<seen*>(arg);
    EXPECT_EQ(weft_task_self(), mine.caller);
    EXPECT_EQ(b, mine.next);
    mine.next = e;
  };
  for (const uint32_t schedule : schedules) {
    how.schedule = schedule;
    s.next = 0;
    EXPECT_EQ(weft_loop_run(0, 1000, 1, body, &s, &how), 0);
    EXPECT_EQ(s.next, 1000);
  }
}

TEST(loop, gives_each_iteration_a_task_that_may_wait_for_any_other) {
  constexpr int64_t n = 600;
  struct meeting {
    weft_barrier_t all;
    visits seen{n};
  } m;
  ASSERT_EQ(weft_barrier_init(&m.all, n), 0);
  const weft_loop_t how = with_schedule(WEFT_LOOP_EACH);
  const auto body = [](int64_t b, int64_t e, void* arg) {
    auto& mine = *static_cast<meeting*>(arg);
    EXPECT_EQ(e, b + 2);
    EXPECT_GE(weft_barrier_wait(&mine.all), 0);
    mine.seen.add(static_cast<size_t>(b / 2));
  };
  EXPECT_EQ(weft_loop_run(0, 2 * n, 2, body, &m, &how), 0);
  EXPECT_TRUE(m.seen.once_each());
}

struct nest {
  std::vector<visits>* rows;
  uint32_t schedule;
};
struct row {
  visits* seen;
};

TEST(loop, runs_nested_in_another) {
  constexpr int64_t n = 60;
  for (const uint32_t outer : schedules)
    for (const uint32_t inner : {schedules[1], schedules[2], uint32_t{WEFT_LOOP_EACH}}) {
      std::vector<visits> rows;
      for (int i = 0; i < n; ++i) rows.emplace_back(n);
      nest both{&rows, inner};
      const weft_loop_t how = with_schedule(outer);
      const auto body = [](int64_t b, int64_t e, void* arg) {
        const nest& mine = *static_cast<nest*>(arg);
        const weft_loop_t within = with_schedule(mine.schedule);
        for (int64_t i = b; i < e; ++i) {
          row r{&(*mine.rows)[static_cast<size_t>(i)]};
          const auto cells = [](int64_t first, int64_t last, void* a) {
            for (int64_t k = first; k < last; ++k) {
              work_for(static_cast<uint64_t>(k));
              static_cast<row*>(a)->seen->add(static_cast<size_t>(k));
            }
          };
          EXPECT_EQ(weft_loop_run(0, n, 1, cells, &r, &within), 0);
        }
      };
      ASSERT_EQ(weft_loop_run(0, n, 1, body, &both, &how), 0);
      for (const visits& r : rows) ASSERT_TRUE(r.once_each()) << outer << " over " << inner;
    }
}

TEST(loop, may_park_in_its_body) {
  struct shared {
    weft_mutex_t lock = WEFT_MUTEX_INIT;
    visits seen{400};
    int plain = 0;
  } s;
  for (const uint32_t schedule : {WEFT_LOOP_ADAPTIVE, WEFT_LOOP_BALANCED, WEFT_LOOP_EACH}) {
    s.plain = 0;
    const weft_loop_t how = with_schedule(schedule);
    const auto body = [](int64_t b, int64_t e, void* arg) {
      auto& mine = *static_cast<shared*>(arg);
      for (int64_t i = b; i < e; ++i) {
        EXPECT_EQ(weft_mutex_lock(&mine.lock), 0);
        EXPECT_EQ(weft_task_yield(), 0);
        ++mine.plain;
        EXPECT_EQ(weft_mutex_unlock(&mine.lock), 0);
      }
    };
    EXPECT_EQ(weft_loop_run(0, 400, 1, body, &s, &how), 0);
    EXPECT_EQ(s.plain, 400);
  }
}

TEST(loop, lets_others_run_what_a_long_iteration_keeps_its_worker_from) {
  if (weft_worker_count() == 1 || all_sticky()) GTEST_SKIP() << "nobody else";
  for (const uint32_t schedule : {WEFT_LOOP_ADAPTIVE, WEFT_LOOP_FIXED}) {
    std::atomic<int> others{0};
    weft_loop_t how = with_schedule(schedule, 1);
    how.key = &others;  // nothing is known of it
    // The first iteration computes until all others are over.
    const auto body = [](int64_t b, int64_t e, void* arg) {
      auto& left = *static_cast<std::atomic<int>*>(arg);
      for (int64_t i = b; i < e; ++i) {
        if (i == 0) {
          EXPECT_TRUE(compute_until([&] { return left.load() == 199; }));
        } else {
          left.fetch_add(1);
        }
      }
    };
    EXPECT_EQ(weft_loop_run(0, 200, 1, body, &others, &how), 0);
  }
}

TEST(loop, begins_no_block_after_it_was_cancelled) {
  for (uint32_t schedule = WEFT_LOOP_ADAPTIVE; schedule <= WEFT_LOOP_EACH; ++schedule) {
    struct state {
      uint32_t cancel = 0;
      std::atomic<bool> told{false};
      std::atomic<uint64_t> late{0};
      std::atomic<uint64_t> ran{0};
    } s;
    weft_loop_t how = with_schedule(schedule, 1);
    how.cancel = &s.cancel;
    const auto body = [](int64_t b, int64_t e, void* arg) {
      auto& mine = *static_cast<state*>(arg);
      if (mine.told.load()) mine.late.fetch_add(1);
      mine.ran.fetch_add(static_cast<uint64_t>(e - b));
      if (b <= 500 && 500 < e) {
        EXPECT_EQ(weft_loop_cancel(&mine.cancel), 0);
        mine.told = true;
      }
    };
    constexpr int64_t n = 600 + scaled(100'000);
    const int result = weft_loop_run(0, n, 1, body, &s, &how);
    EXPECT_EQ(result, s.ran.load() < n ? -ECANCELED : 0) << schedule;
    // One that each other worker was about to begin.
    EXPECT_LT(s.late.load(), weft_worker_count()) << schedule;
    s.ran = 0;
    EXPECT_EQ(weft_loop_run(0, n, 1, body, &s, &how), -ECANCELED);
    EXPECT_EQ(s.ran.load(), 0u) << schedule;
  }
}

struct summing {
  std::atomic<uint64_t> sum{0};
  std::atomic<int> members{0};
};

TEST(loop, lets_members_take_blocks_by_themselves) {
  for (const uint32_t schedule : schedules) {
    summing s;
    const weft_loop_t how = with_schedule(schedule);
    const auto member = [](weft_loop_member_t* me, void* arg) {
      uint64_t first = 0;
      uint64_t last = 0;
      uint64_t mine = 0;
      while (weft_loop_next(me, &first, &last) == 1)
        for (uint64_t i = first; i < last; ++i) mine += i;
      static_cast<summing*>(arg)->sum.fetch_add(mine);
      static_cast<summing*>(arg)->members.fetch_add(1);
    };
    EXPECT_EQ(weft_loop_share(100'000, member, &s, &how), 0);
    EXPECT_EQ(s.sum.load(), triangle(100'000));
    EXPECT_GE(s.members.load(), 1);
  }
}

TEST(loop, wants_to_be_asked_for_its_end_less_often_where_it_adapts) {
  for (const uint32_t schedule : schedules) {
    std::atomic<uint64_t> wanted{0};
    const weft_loop_t how = with_schedule(schedule);
    const auto member = [](weft_loop_member_t* me, void* arg) {
      static_cast<std::atomic<uint64_t>*>(arg)->store(weft_loop_stop_interval(me));
      uint64_t first = 0;
      uint64_t last = 0;
      while (weft_loop_next(me, &first, &last) == 1) continue;
    };
    EXPECT_EQ(weft_loop_share(100, member, &wanted, &how), 0);
    const bool adapts = schedule == WEFT_LOOP_DEFAULT || schedule == WEFT_LOOP_ADAPTIVE;
    EXPECT_GE(wanted.load(), adapts ? 10'240u : 1024u) << schedule;
    EXPECT_LE(wanted.load(), adapts ? UINT64_MAX : 1024u) << schedule;
  }
}

struct wide {
  uint64_t sum[100];  // too large for a member's stack
};

TEST(loop, reduces_to_one_value_of_any_size) {
  for (const uint32_t schedule : schedules)
    for (const uint32_t in_order : {0u, 1u}) {
      const weft_loop_t how = with_schedule(schedule, 10);
      const uint64_t zero = 0;
      const auto add = [](void* into, const void* value) {
        *static_cast<uint64_t*>(into) += *static_cast<const uint64_t*>(value);
      };
      const weft_reduction_t r{sizeof(weft_reduction_t), sizeof zero, &zero, add, in_order};
      const auto block = [](int64_t b, int64_t e, void* into, void* arg) {
        for (int64_t i = b; i > e; i -= *static_cast<int64_t*>(arg))
          *static_cast<uint64_t*>(into) += static_cast<uint64_t>(i);
      };
      int64_t stride = 3;
      uint64_t sum = 7;
      EXPECT_EQ(weft_loop_reduce(30'000, 0, -3, block, &stride, &r, &sum, &how), 0);
      EXPECT_EQ(sum, 3 * triangle(10'001));
      EXPECT_EQ(weft_loop_reduce(0, 0, 1, block, &stride, &r, &sum, &how), 0);
      EXPECT_EQ(sum, 0u);
      const wide none{};
      const auto add_wide = [](void* into, const void* value) {
        for (size_t k = 0; k < 100; ++k)
          static_cast<wide*>(into)->sum[k] += static_cast<const wide*>(value)->sum[k];
      };
      const weft_reduction_t by_key{sizeof(weft_reduction_t), sizeof none, &none, add_wide,
                                    in_order};
      const auto count = [](int64_t b, int64_t e, void* into, void*) {
        for (int64_t i = b; i < e; ++i) ++static_cast<wide*>(into)->sum[i % 100];
      };
      wide bins;
      EXPECT_EQ(weft_loop_reduce(0, 20'000, 1, count, nullptr, &by_key, &bins, &how), 0);
      for (const uint64_t n : bins.sum) EXPECT_EQ(n, 200u);
    }
}

TEST(loop, reduces_in_order_what_does_not_commute) {
  // The product of 2 x 2 matrices, modulo 2^64.
  struct matrix {
    uint64_t a, b, c, d;
  };
  const auto times = [](matrix x, matrix y) {
    return matrix{x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                  x.c * y.b + x.d * y.d};
  };
  const auto at = [](int64_t i) { return matrix{static_cast<uint64_t>(i), 1, 1, 0}; };
  matrix expected{1, 0, 0, 1};
  for (int64_t i = 0; i < 5000; ++i) expected = times(expected, at(i));
  const matrix one{1, 0, 0, 1};
  const auto reduce = [](void* into, const void* value) {
    matrix& x = *static_cast<matrix*>(into);
    const matrix y = *static_cast<const matrix*>(value);
    x = matrix{x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
               x.c * y.b + x.d * y.d};
  };
  const weft_reduction_t r{sizeof(weft_reduction_t), sizeof one, &one, reduce, 1};
  const auto block = [](int64_t b, int64_t e, void* into, void*) {
    matrix& x = *static_cast<matrix*>(into);
    for (int64_t i = b; i < e; ++i)
      x = matrix{x.a * static_cast<uint64_t>(i) + x.b, x.a, x.c * static_cast<uint64_t>(i) + x.d,
                 x.c};
  };
  for (const uint32_t schedule : schedules) {
    const weft_loop_t how = with_schedule(schedule);
    matrix got{};
    EXPECT_EQ(weft_loop_reduce(0, 5000, 1, block, nullptr, &r, &got, &how), 0);
    EXPECT_EQ(got.a, expected.a);
    EXPECT_EQ(got.d, expected.d);
  }
}

TEST(loop, refuses_a_reduction_that_makes_no_sense) {
  uint64_t result = 7;
  const uint64_t zero = 0;
  const auto add = [](void*, const void*) {};
  const auto block = [](int64_t, int64_t, void*, void*) { ADD_FAILURE(); };
  const weft_reduction_t good{sizeof(weft_reduction_t), sizeof zero, &zero, add, 0};
  const auto with = [&](weft_reduction_t r) {
    return weft_loop_reduce(0, 9, 1, block, nullptr, &r, &result, nullptr);
  };
  weft_reduction_t bad = good;
  bad.size = 0;
  EXPECT_EQ(with(bad), -EINVAL);
  bad = good;
  bad.value_bytes = 0;
  EXPECT_EQ(with(bad), -EINVAL);
  bad.value_bytes = (size_t{16} << 20) + 1;
  EXPECT_EQ(with(bad), -EINVAL);
  bad = good;
  bad.identity = nullptr;
  EXPECT_EQ(with(bad), -EINVAL);
  bad = good;
  bad.reduce = nullptr;
  EXPECT_EQ(with(bad), -EINVAL);
  bad = good;
  bad.in_order = 2;
  EXPECT_EQ(with(bad), -EINVAL);
  EXPECT_EQ(weft_loop_reduce(0, 9, 1, block, nullptr, nullptr, &result, nullptr), -EINVAL);
  EXPECT_EQ(weft_loop_reduce(0, 9, 1, nullptr, nullptr, &good, &result, nullptr), -EINVAL);
  EXPECT_EQ(weft_loop_reduce(0, 9, 1, block, nullptr, &good, nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_loop_reduce(0, 9, 0, block, nullptr, &good, &result, nullptr), -EINVAL);
  EXPECT_EQ(result, 7u);
}

// Each part holds its worker until all have begun, so that none can take a second one.
TEST(loop, gives_the_same_parts_to_the_same_workers_each_time) {
  if (all_sticky()) GTEST_SKIP() << "the caller is not moved, but its place is another's";
  const auto n = weft_worker_count();
  if (n > 7) GTEST_SKIP() << "as many workers on a few processors take long to come";
  struct state {
    std::atomic<uint32_t> begun{0};
    std::vector<std::atomic<uint32_t>> worker;
    explicit state(size_t parts) : worker(parts) {}
  };
  const weft_loop_t how = with_schedule(WEFT_LOOP_BALANCED);
  for (int round = 0; round < 5; ++round) {
    state s(n);
    const auto body = [](int64_t b, int64_t e, void* arg) {
      auto& mine = *static_cast<state*>(arg);
      EXPECT_EQ(e - b, 100);
      mine.worker[static_cast<size_t>(b / 100)] = weft_worker_index();
      mine.begun.fetch_add(1);
      EXPECT_TRUE(compute_until([&] {
        std::this_thread::yield();  // of the system's: the others need the processor
        return mine.begun.load() == mine.worker.size();
      }));
    };
    ASSERT_EQ(weft_loop_run(0, 100 * static_cast<int64_t>(n), 1, body, &s, &how), 0);
    for (uint32_t part = 0; part < n; ++part) EXPECT_EQ(s.worker[part].load(), part);
  }
}

TEST(loop, ends_for_all_when_a_member_returns_early) {
  for (const uint32_t schedule : schedules) {
    std::atomic<uint64_t> ran{0};
    const weft_loop_t how = with_schedule(schedule, 10);
    const auto member = [](weft_loop_member_t* me, void* arg) {
      uint64_t first = 0;
      uint64_t last = 0;
      if (weft_loop_next(me, &first, &last) == 1)
        static_cast<std::atomic<uint64_t>*>(arg)->fetch_add(last - first);
    };
    const int result = weft_loop_share(1'000'000, member, &ran, &how);
    EXPECT_EQ(result, ran.load() < 1'000'000 ? -ECANCELED : 0) << schedule;
  }
}

// Each has its half before one returns; the other returns after that, and has not asked whether it
// shall stop.
TEST(loop, that_members_leave_when_each_has_run_its_part_is_whole) {
  if (all_sticky()) GTEST_SKIP() << "the caller is not moved, but its place is another's";
  struct state {
    std::atomic<uint64_t> ran{0};
    std::atomic<int> began{0};
    std::atomic<bool> one_returns{false};
  };
  for (int round = 0; round < scaled(20); ++round) {
    state s;
    weft_loop_t how = with_schedule(WEFT_LOOP_BALANCED);
    how.members = 2;
    const auto member = [](weft_loop_member_t* me, void* arg) {
      auto& mine = *static_cast<state*>(arg);
      uint64_t first = 0;
      uint64_t last = 0;
      if (weft_loop_next(me, &first, &last) != 1) return;
      mine.ran.fetch_add(last - first);
      mine.began.fetch_add(1);
      if (weft_worker_count() > 1) {
        EXPECT_TRUE(compute_until([&] { return mine.began.load() == 2; }));
      }
      if (mine.one_returns.exchange(true))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    const int result = weft_loop_share(1'000'000, member, &s, &how);
    EXPECT_EQ(result, s.ran.load() < 1'000'000 ? -ECANCELED : 0);
  }
}

// A member that stops in a block, and one that returns with a block it never asked for.
TEST(loop, that_a_member_left_in_its_last_block_says_so) {
  struct state {
    std::atomic<uint64_t> ran{0};
    std::atomic<int> members{0};
    uint32_t cancel = 0;
  };
  for (const uint32_t schedule : schedules)
    for (uint32_t members = 1; members <= 2; ++members)
      for (int round = 0; round < scaled(50); ++round) {
        state s;
        weft_loop_t how = with_schedule(schedule, schedule == WEFT_LOOP_FIXED ? 100'000 : 0);
        how.members = members;
        how.cancel = &s.cancel;
        const auto stops = [](weft_loop_member_t* me, void* arg) {
          auto& mine = *static_cast<state*>(arg);
          uint64_t first = 0;
          uint64_t last = 0;
          while (weft_loop_next(me, &first, &last) == 1)
            for (; first < last; ++first) {
              if (first == 50'000) {
                EXPECT_EQ(weft_loop_cancel(&mine.cancel), 0);
              }
              if (weft_loop_is_stopped(me) == 1) return;
              ++mine.ran;
            }
        };
        EXPECT_EQ(weft_loop_share(100'000, stops, &s, &how), -ECANCELED) << schedule;
        EXPECT_LT(s.ran, 100'000u);
      }
  for (int round = 0; round < scaled(200); ++round) {
    state s;
    const weft_loop_t how = with_schedule(WEFT_LOOP_BALANCED);
    const auto leaves = [](weft_loop_member_t* me, void* arg) {
      auto& mine = *static_cast<state*>(arg);
      if (mine.members.fetch_add(1) > 0) return;
      uint64_t first = 0;
      uint64_t last = 0;
      while (weft_loop_next(me, &first, &last) == 1)
        for (; first < last; ++first) {
          const int64_t until = weft_time_now_ns() + 50'000;
          while (weft_time_now_ns() < until) {
          }
          ++mine.ran;
        }
    };
    const int result = weft_loop_share(2, leaves, &s, &how);
    EXPECT_EQ(result, s.ran == 2 ? 0 : -ECANCELED);
  }
}

TEST(loop, runs_for_a_thread_outside_and_for_a_stackless_task) {
  visits seen(5000);
  bodies b{&seen, [](uint64_t) -> uint64_t { return 20; }};
  std::atomic<bool> over{false};
  std::thread outside([&] {
    EXPECT_EQ(weft_loop_run_unsigned(0, 2500, 1, visit_block, &b, nullptr), 0);
    over = true;
  });
  EXPECT_TRUE(
      yield_until([&] { return over.load(); }));  // with one worker it is needed for the loop
  outside.join();
  auto rest = [&] {
    EXPECT_EQ(weft_loop_run_unsigned(2500, 5000, 1, visit_block, &b, nullptr), 0);
  };
  join(spawn(rest, with_flags(WEFT_SPAWN_STACKLESS)));
  EXPECT_TRUE(seen.once_each());
}

// From the first one on, of which nothing is known. By one member, from whom nobody takes a part.
TEST(loop, adaptive_makes_no_block_smaller_than_the_least) {
  static std::atomic<int64_t> smallest;
  const auto body = [](int64_t begin, int64_t end, void*) {
    if (end != 1'000'000 && end - begin < smallest) smallest = end - begin;
  };
  const uint32_t cancel = 0;  // so that there are blocks
  static const char key = 0;
  weft_loop_t how = with_schedule(WEFT_LOOP_ADAPTIVE, 1000);
  how.members = 1;
  how.cancel = &cancel;
  how.key = &key;
  for (int round = 0; round < 3; ++round) {
    smallest = 1'000'000;
    ASSERT_EQ(weft_loop_run(0, 1'000'000, 1, body, nullptr, &how), 0);
    EXPECT_GE(smallest, 1000) << round;
  }
}

}  // namespace
}  // namespace weft::test
