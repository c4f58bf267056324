// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, reductions and algorithms of weft/par.hpp, beside the standard library's.
// WEFT_TEST_AT_WORKERS
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <weft/par.hpp>
#include <weft/weft.hpp>

#include "support.hpp"
#include "support/build.hpp"
#include "support/started.hpp"

namespace weft::test {
namespace {

constexpr par::schedule schedules[] = {par::schedule::usual,    par::schedule::adaptive,
                                       par::schedule::balanced, par::schedule::fixed,
                                       par::schedule::guided,   par::schedule::factored};
constexpr size_t sizes[] = {0, 1, 2, 63, 64, 1000, 30'000};

par::how with(par::schedule s, uint64_t block = 0) { return {s, 0, block, nullptr}; }

std::vector<uint32_t> numbers(size_t n, uint32_t below) {
  std::mt19937 next(static_cast<uint32_t>(n) + below);  // NOLINT: the same ones each time
  std::vector<uint32_t> v(n);
  for (auto& x : v) x = next() % below;
  return v;
}

TEST(par, calls_the_body_once_for_each_index_or_iterator) {
  for (const auto s : schedules)
    for (const size_t n : sizes) {
      std::vector<int> by_index(n, 0);
      std::vector<int> by_iterator(n, 0);
      EXPECT_TRUE(par::loop(size_t{0}, n, [&](size_t i) { ++by_index[i]; }, with(s, 7)));
      EXPECT_TRUE(
          par::loop(by_iterator.begin(), by_iterator.end(), [](auto i) { ++*i; }, with(s, 7)));
      EXPECT_EQ(by_index, std::vector<int>(n, 1));
      EXPECT_EQ(by_iterator, std::vector<int>(n, 1));
    }
}

TEST(par, steps_up_and_down) {
  const auto up =
      par::reduce(int64_t{0}, int64_t{100}, int64_t{0}, std::plus<>(), [](int64_t i) { return i; });
  EXPECT_EQ(up, 4950);
  std::vector<std::atomic<int>> seen(100);
  EXPECT_TRUE(par::loop(99, -1, -3, [&](int i) { ++seen[static_cast<size_t>(i)]; }));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], i % 3 == 0 ? 1 : 0) << i;
  std::atomic<int> few{0};
  EXPECT_TRUE(par::loop(int8_t{-128}, int8_t{127}, 100,
                        [&](int8_t i) { few += i == -128 || i == -28 || i == 72 ? 1 : 100; }));
  EXPECT_EQ(few, 3);
  EXPECT_TRUE(par::loop(5u, 2u, [](unsigned) { ADD_FAILURE(); }));
  EXPECT_THROW(par::loop(1, 2, 0, [](int) {}), std::invalid_argument);
}

TEST(par, covers_two_and_three_dimensions_by_tiles) {
  std::vector<std::atomic<int>> cells(31 * 47);
  EXPECT_TRUE(par::loop_2d(31, 47, [&](uint64_t i, uint64_t j) { ++cells[i * 47 + j]; }, 4, 5));
  for (const auto& c : cells) EXPECT_EQ(c, 1);
  std::vector<std::atomic<int>> cubes(5 * 7 * 11);
  EXPECT_TRUE(par::loop_3d(
      5, 7, 11, [&](uint64_t i, uint64_t j, uint64_t k) { ++cubes[(i * 7 + j) * 11 + k]; }, 2, 3));
  for (const auto& c : cubes) EXPECT_EQ(c, 1);
  EXPECT_TRUE(par::loop_2d(0, 9, [](uint64_t, uint64_t) { ADD_FAILURE(); }));
  EXPECT_THROW(par::loop_2d(9, 9, [](uint64_t, uint64_t) {}, 0, 1), std::invalid_argument);
  const uint64_t large = uint64_t{1} << 40;
  EXPECT_THROW(par::loop_2d(large, large, [](uint64_t, uint64_t) {}, 1, 1), std::length_error);
}

TEST(par, throws_the_first_exception_and_runs_little_after_it) {
  for (const auto s : schedules) {
    std::atomic<uint64_t> ran{0};
    const auto body = [&](uint64_t i) {
      ran.fetch_add(1, std::memory_order_relaxed);
      if (i == 500) throw std::out_of_range("five hundred");
    };
    EXPECT_THROW(par::loop(uint64_t{0}, uint64_t{10'000'000}, body, with(s, 100)),
                 std::out_of_range);
    EXPECT_LT(ran.load(), 10'000'000u);
  }
}

TEST(par, stops_a_cancelled_loop) {
  uint32_t cancel = 0;
  par::how h;
  h.cancel = &cancel;
  std::atomic<uint64_t> ran{0};
  EXPECT_FALSE(par::loop(
      uint64_t{0}, uint64_t{10'000'000},
      [&](uint64_t i) {
        ran.fetch_add(1, std::memory_order_relaxed);
        if (i == 5) weft_loop_cancel(&cancel);
      },
      h));
  EXPECT_LT(ran.load(), 10'000'000u);
}

// One member, whose body sets the flag in its second thousand.
uint64_t ran_of_cancelled(par::schedule schedule, uint64_t block) {
  uint32_t cancel = 0;
  const par::how h{schedule, 1, block, &cancel};
  uint64_t ran = 0;
  const bool whole = par::loop(
      0, 1'000'000,
      [&](int i) {
        ++ran;
        if (i == 1500) weft_loop_cancel(&cancel);
      },
      h);
  EXPECT_FALSE(whole);
  return ran;
}

TEST(par, looks_within_long_blocks_whether_the_loop_shall_end) {
  EXPECT_EQ(ran_of_cancelled(par::schedule::fixed, 500'000), 2048u);
  EXPECT_EQ(ran_of_cancelled(par::schedule::balanced, 0), 2048u);
  // Its blocks are short in time, so it looks less often in those of many iterations.
  EXPECT_LE(ran_of_cancelled(par::schedule::adaptive, 0), 1501u + 32'768u);
}

TEST(par, reduces_within_a_requested_scope) {
  canceller c;
  c.request();
  const cancel_scope in(c);
  for (int i = 0; i < (sanitized ? 20 : 200); ++i) {
    const auto slow = [](long a, long b) {
      for (int k = 0; k < 300; ++k) asm("" ::: "memory");
      return a + b;
    };
    EXPECT_EQ(par::reduce(0, 2000, 0L, slow, [](int n) { return long{n}; }), 1'999'000);
  }
}

TEST(par, reduces_with_any_operator) {
  for (const auto s : schedules)
    for (const size_t n : sizes) {
      const auto v = numbers(n, 1'000'000);
      const auto sum = par::reduce(
          v.begin(), v.end(), uint64_t{0}, std::plus<>(), [](auto i) { return uint64_t{*i}; },
          with(s, 7));
      EXPECT_EQ(sum, std::accumulate(v.begin(), v.end(), uint64_t{0}));
      EXPECT_EQ(par::min_element(v.begin(), v.end()), std::min_element(v.begin(), v.end()));
      EXPECT_EQ(par::max_element(v.begin(), v.end()), std::max_element(v.begin(), v.end()));
    }
}

// Who moves a value into an operator that throws has it no more.
TEST(par, a_reduction_gives_no_value_to_its_operator_that_was_moved_away) {
  using box = std::unique_ptr<int>;
  std::atomic<int> empty{0};
  for (int round = 0; round < (sanitized ? 5 : 50); ++round) {
    std::atomic<int> joined{0};
    const auto join = [&](box a, box b) {
      if (a == nullptr || b == nullptr) {
        ++empty;
        return std::make_unique<int>(0);
      }
      if (++joined > 10'000) throw std::runtime_error("enough");
      return std::make_unique<int>(*a + *b);
    };
    struct copied : box {  // a value to begin with is copied
      copied() : box(std::make_unique<int>(0)) {}
      copied(const copied& other) : box(std::make_unique<int>(*other)) {}
      copied(copied&&) = default;
      copied& operator=(copied&&) = default;
      explicit copied(box b) : box(std::move(b)) {}
    };
    const auto with = [&](copied a, copied b) {
      return copied(join(std::move(static_cast<box&>(a)), std::move(static_cast<box&>(b))));
    };
    EXPECT_THROW(par::reduce(0, 10'000, copied(), with, [](int) { return copied(); }),
                 std::runtime_error);
  }
  EXPECT_EQ(empty, 0);
}

TEST(par, reduces_in_order_with_operators_that_do_not_commute) {
  for (const auto s : schedules)
    for (const size_t n : {0, 1, 26, 3000}) {
      std::string expected;
      for (size_t i = 0; i < n; ++i) expected += static_cast<char>('a' + i % 26);
      const auto got = par::reduce_in_order(
          size_t{0}, n, std::string(), [](std::string a, std::string b) { return a + b; },
          [](size_t i) { return std::string(1, static_cast<char>('a' + i % 26)); }, with(s, 7));
      EXPECT_EQ(got, expected);
    }
}

// The same at each number of workers that this program is run with.
TEST(par, gives_the_same_bits_for_sums_in_order) {
  const auto term = [](uint64_t i) { return 1.0 / static_cast<double>(i + 1); };
  const double sum = par::reduce_in_order(uint64_t{0}, uint64_t{100'000}, 0.0, std::plus<>(), term);
  double expected = 0;
  for (uint64_t piece = 0; piece < 256; ++piece) {
    double part = 0;
    const auto begin = [](uint64_t p) {
      return 100'000 / 256 * p + std::min<uint64_t>(p, 100'000 % 256);
    };
    for (uint64_t i = begin(piece); i < begin(piece + 1); ++i) part += term(i);
    expected += part;
  }
  EXPECT_EQ(sum, expected);  // each bit
}

TEST(par, finds_the_first_of_several) {
  for (const auto s : schedules)
    for (const size_t n : sizes)
      for (const size_t at : {size_t{0}, n / 3, n}) {
        const auto hit = [&](size_t i) { return i >= at && (i - at) % 50 == 0; };
        EXPECT_EQ(par::find_if(size_t{0}, n, hit, with(s, 7)), std::min(at, n));
        EXPECT_EQ(par::any_of(size_t{0}, n, hit, with(s, 7)), at < n);
        EXPECT_EQ(par::none_of(size_t{0}, n, hit, with(s, 7)), at >= n);
        EXPECT_EQ(
            par::all_of(size_t{0}, n, [&](size_t i) { return i != at; }, with(s, 7)), at >= n);
      }
}

TEST(par, finds_the_end_where_that_is_before_the_begin) {
  EXPECT_EQ(par::find_if(5, 2, [](int) { return true; }), 2);
}

TEST(par, reduces_by_key) {
  const auto v = numbers(30'000, 1000);
  std::vector<uint64_t> bins(10, 5);
  std::vector<uint64_t> expected(10, 5);
  for (const uint32_t x : v) expected[x % 10] += x;
  par::reduce_by_key(v.begin(), v.end(), bins.data(), bins.size(), uint64_t{0}, std::plus<>(),
                     [](auto i) { return std::pair<size_t, uint64_t>(*i % 10, *i); });
  EXPECT_EQ(bins, expected);
}

TEST(par, gives_prefix_sums_in_place_too) {
  for (const size_t n : sizes) {
    const auto v = numbers(n, 1000);
    std::vector<uint32_t> expected(n);
    std::vector<uint32_t> got = v;
    std::inclusive_scan(v.begin(), v.end(), expected.begin(), std::plus<>(), 3u);
    EXPECT_EQ(par::inclusive_scan(got.begin(), got.end(), got.begin(), 3u), got.end());
    EXPECT_EQ(got, expected);
    std::exclusive_scan(v.begin(), v.end(), expected.begin(), 3u);
    par::exclusive_scan(v.begin(), v.end(), got.begin(), 3u);
    EXPECT_EQ(got, expected);
  }
}

TEST(par, transforms_one_range_or_two) {
  const auto v = numbers(30'000, 1000);
  const auto w = numbers(30'000, 500);
  std::vector<uint32_t> got(v.size());
  std::vector<uint32_t> expected(v.size());
  par::transform(v.begin(), v.end(), got.begin(), [](uint32_t x) { return 2 * x; });
  std::transform(v.begin(), v.end(), expected.begin(), [](uint32_t x) { return 2 * x; });
  EXPECT_EQ(got, expected);
  EXPECT_EQ(par::transform(v.begin(), v.end(), w.begin(), got.begin(), std::plus<>()), got.end());
  std::transform(v.begin(), v.end(), w.begin(), expected.begin(), std::plus<>());
  EXPECT_EQ(got, expected);
  EXPECT_TRUE(par::for_each(got, [](uint32_t& x) { x = 1; }));
  EXPECT_EQ(got, std::vector<uint32_t>(v.size(), 1));
}

TEST(par, writes_all_of_a_transform_though_the_cancel_flag_is_set) {
  const uint32_t set = 1;
  par::how h;
  h.cancel = &set;
  const std::vector<int> ones(1000, 1);
  std::vector<int> got(1000);
  const auto twice = [](int x) { return 2 * x; };
  EXPECT_EQ(par::transform(ones.begin(), ones.end(), got.begin(), twice, h), got.end());
  EXPECT_EQ(got, std::vector<int>(1000, 2));
  EXPECT_EQ(par::transform(ones.begin(), ones.end(), got.begin(), got.begin(), std::plus<>(), h),
            got.end());
  EXPECT_EQ(got, std::vector<int>(1000, 3));
}

TEST(par, partitions_and_keeps_the_order) {
  for (const size_t n : sizes) {
    auto got = numbers(n, 1000);
    std::vector<uint32_t> expected;
    std::copy_if(got.begin(), got.end(), std::back_inserter(expected),
                 [](uint32_t x) { return x % 2 == 1; });
    const auto odds = static_cast<ptrdiff_t>(expected.size());
    std::copy_if(got.begin(), got.end(), std::back_inserter(expected),
                 [](uint32_t x) { return x % 2 == 0; });
    const auto odd = [](uint32_t x) { return x % 2 == 1; };
    EXPECT_EQ(par::partition(got.begin(), got.end(), odd) - got.begin(), odds);
    EXPECT_EQ(got, expected);
  }
}

using keyed = std::pair<uint32_t, std::string>;

TEST(par, sorts_and_keeps_the_order_of_equals) {
  const size_t most = tsan ? 40'000 : 200'000;
  for (const size_t n : {size_t{0}, size_t{1}, size_t{5000}, most + 1})
    for (const uint32_t below : {1u, 30u, UINT32_MAX}) {
      auto got = numbers(n, below);
      auto expected = got;
      par::sort(got.begin(), got.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(got, expected);
      par::sort(got.begin(), got.end(), std::greater<>());
      std::reverse(expected.begin(), expected.end());
      EXPECT_EQ(got, expected);
    }
  std::vector<keyed> pairs;
  for (const uint32_t key : numbers(most / 4, 50))
    pairs.emplace_back(key, std::to_string(pairs.size()));
  auto expected = pairs;
  const auto by_key = [](const keyed& a, const keyed& b) { return a.first < b.first; };
  par::stable_sort(pairs.begin(), pairs.end(), by_key);
  std::sort(expected.begin(), expected.end(), [](const keyed& a, const keyed& b) {
    return a.first != b.first ? a.first < b.first : std::stoi(a.second) < std::stoi(b.second);
  });
  EXPECT_EQ(pairs, expected);
}

TEST(par, sorts_what_a_move_empties) {
  const size_t n = tsan ? 20'000 : 60'000;
  std::vector<std::string> texts;
  for (const uint32_t key : numbers(n, 100'000))
    texts.push_back("a text that is long enough for the heap " + std::to_string(key));
  auto expected = texts;
  std::sort(expected.begin(), expected.end());
  for (const bool stable : {false, true}) {
    auto got = texts;
    stable ? par::stable_sort(got.begin(), got.end()) : par::sort(got.begin(), got.end());
    EXPECT_TRUE(got == expected) << stable;
  }
  std::vector<std::unique_ptr<uint32_t>> boxes;
  for (const uint32_t key : numbers(n, 1000)) boxes.push_back(std::make_unique<uint32_t>(key));
  par::sort(boxes.begin(), boxes.end(), [](auto& a, auto& b) { return *a < *b; });
  EXPECT_TRUE(std::is_sorted(boxes.begin(), boxes.end(),
                             [](const auto& a, const auto& b) { return *a < *b; }));
}

TEST(par, sorts_by_a_comparison_that_takes_copies) {
  for (const size_t n : {size_t{100}, size_t{20'000}}) {
    std::vector<std::string> texts;
    for (const uint32_t key : numbers(n, 1000))
      texts.push_back("a text that is long enough for the heap " + std::to_string(key));
    auto expected = texts;
    std::sort(expected.begin(), expected.end());
    const auto less = [](std::string a, std::string b) {
      return a < b;
    };  // NOLINT: that is the point
    auto got = texts;
    par::stable_sort(got.begin(), got.end(), less);
    EXPECT_TRUE(got == expected) << n;
    got = texts;
    par::sort(got.begin(), got.end(), less);
    EXPECT_TRUE(got == expected) << n;
  }
}

TEST(par, passes_on_what_a_comparison_throws) {
  auto v = numbers(200'000, 1000);
  std::atomic<int> left{300'000};
  EXPECT_THROW(par::sort(v.begin(), v.end(),
                         [&](uint32_t a, uint32_t b) {
                           if (left.fetch_sub(1, std::memory_order_relaxed) == 1)
                             throw std::runtime_error("enough");
                           return a < b;
                         }),
               std::runtime_error);
}

TEST(par, binds_loops_and_reductions_to_a_shepherd) {
  const uint32_t last = weft_shepherd_count() - 1;
  par::how there;
  there.where = WEFT_SHEPHERD(last);
  std::atomic<int> elsewhere{0};
  std::atomic<int> ran{0};
  const auto body = [&](int) {
    ++ran;
    if (weft_shepherd_index() != last) ++elsewhere;
  };
  EXPECT_TRUE(par::loop(0, 1000, body, there));
  EXPECT_EQ(ran, 1000);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(par::reduce(0, 1000, 0, std::plus<>(), [](int i) { return i; }, there), 499'500);
  there.where = WEFT_SHEPHERD(last + 1);
  EXPECT_THROW(par::loop(0, 1000, body, there), std::system_error);
  EXPECT_EQ(ran, 1000);
}

std::atomic<int> members_of_function{0};
void member_function(par::team_member& me) {
  ++members_of_function;
  me.wait();
}

TEST(par, runs_a_team_of_a_plain_function) {
  members_of_function = 0;
  par::team(3, member_function);
  EXPECT_EQ(members_of_function, 3);
}

TEST(par, lets_teams_share_barriers_values_and_loops) {
  std::vector<int> cells(1000, 0);  // plain: the barriers order it
  std::atomic<uint32_t> ranks{0};
  std::atomic<int> claimed{0};
  par::team(5, [&](par::team_member& me) {
    EXPECT_EQ(me.size(), 5u);
    ranks += 1u << me.rank();
    for (int round = 0; round < 10; ++round) {
      int add = me.rank() == 3 ? round : -1;
      me.broadcast(3, add);
      EXPECT_EQ(add, round);
      EXPECT_TRUE(me.loop(0, 1000, [&](int i) { cells[static_cast<size_t>(i)] += add; }));
      me.wait();
      if (me.claim()) ++claimed;
    }
  });
  EXPECT_EQ(ranks, 31u);
  EXPECT_EQ(claimed, 10);
  EXPECT_EQ(cells, std::vector<int>(1000, 45));
}

// A block of the caller's counts elements, not the pieces that some algorithms make of them.
TEST(par, pieces_are_shared_whatever_the_block) {
  if (weft_worker_count() < 2) GTEST_SKIP() << "for two workers";
  std::atomic<int> others{0};
  bool together = false;
  const auto add = [](int a, int b) { return a + b; };
  const auto meets = [&](int i) {
    if (i % 64 == 0 && i != 0) ++others;
    if (i == 0) together = compute_until([&] { return others > 0; });
    return 1;
  };
  const int sum = par::reduce_in_order(0, 256, 0, add, meets, with(par::schedule::fixed, 1 << 20));
  EXPECT_EQ(sum, 256);
  EXPECT_TRUE(together);
}

TEST(par, few_elements_are_sorted_by_as_many_as_they_are_enough_for) {
  EXPECT_EQ(par::detail::runs_for(10'000, {}), weft_worker_count() > 1 ? 2u : 1u);
}

// In a child of fork() the other member is not there, nor its turn at the sum.
TEST(par, a_reduction_comes_back_in_the_child_of_who_takes_part) {
  if (weft_worker_count() < 2) GTEST_SKIP() << "for two workers";
  const pid_t parent = getpid();
  weft_task_t const caller = weft_task_self();
  std::atomic<int> calls{0};
  std::atomic<bool> caller_has_one{false};
  std::atomic<bool> over{false};
  int status = -1;
  const auto add = [&](int a, int b) {
    // The helper's first is of its iteration, its second is its turn.
    if (getpid() == parent && weft_task_self() != caller && ++calls == 2) {
      EXPECT_TRUE(compute_until([&] { return over.load(); }));
    }
    return a + b;
  };
  const auto value = [&](int) {
    if (weft_task_self() != caller) {
      EXPECT_TRUE(compute_until([&] { return caller_has_one.load(); }));
      return 1;
    }
    caller_has_one = true;
    if (!compute_until([&] { return calls >= 2; })) return 1;
    const pid_t child = fork();
    if (child == 0) {
      alarm(40);
      return 1;
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    over = true;
    return 1;
  };
  const int sum = par::reduce(0, 2, 0, add, value, with(par::schedule::balanced));
  if (getpid() != parent) _exit(42);
  EXPECT_EQ(sum, 2);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << status;
}

}  // namespace
}  // namespace weft::test
