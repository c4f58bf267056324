// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What may be called, sent and given back: what can only be moved, references, what is not
// assigned, what throws. WEFT_TEST_AT_WORKERS
#include <memory>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <weft/weft.hpp>

#include "support.hpp"

namespace weft::test {
namespace {

using cpp_values = at_workers;

int doubled(int n) { return 2 * n; }
int seven() { return 7; }

TEST_F(cpp_values, functions_are_called_by_name_and_by_pointer) {
  EXPECT_EQ(weft::spawn(doubled, 4).join(), 8);
  EXPECT_EQ(weft::spawn(&doubled, 5).join(), 10);
  EXPECT_EQ(weft::async(doubled, 6).get(), 12);
  EXPECT_EQ(weft::async(seven).then(doubled).get(), 14);
  const auto [a, b] = weft::fork_join(seven, &seven);
  EXPECT_EQ(a + b, 14);
  group g;
  g.spawn(seven);
  g.wait();
}

TEST_F(cpp_values, callables_that_can_only_be_moved_are_called_everywhere) {
  const auto owner = [](int n) {
    return [p = std::make_unique<int>(n)]() mutable { return std::exchange(*p, 0); };
  };
  EXPECT_EQ(weft::spawn(owner(1)).join(), 1);
  EXPECT_EQ(weft::async(owner(2)).get(), 2);
  const auto [a, b] = weft::fork_join(owner(3), owner(4));
  EXPECT_EQ(a + b, 7);
  std::atomic<int> sum{0};
  latch ran(1);
  weft::spawn_detached([f = owner(5), &sum, &ran]() mutable {
    sum += f();
    ran.count_down();
  });
  ran.wait();
  {
    group g;
    g.spawn([f = owner(6), &sum]() mutable { sum += f(); });
    g.wait();
  }
  scoped_fork child(owner(7));
  sum += child.join();
  channel<int> one(1);
  one.send(8);
  weft::select(
      on_receive(one, [f = owner(9), &sum](std::optional<int> n) mutable { sum += *n + f(); }));
  EXPECT_EQ(sum, 5 + 6 + 7 + 8 + 9);
}

TEST_F(cpp_values, channels_give_a_range_of_what_can_only_be_moved_or_not_assigned) {
  channel<std::unique_ptr<int>> boxes(2);
  struct fixed {
    const int number;
    std::unique_ptr<int> owned;
  };
  channel<fixed> once(1);
  auto sender = weft::spawn([&] {
    for (int i = 1; i <= 20; ++i) {
      EXPECT_TRUE(boxes.send(std::make_unique<int>(i)));
      EXPECT_TRUE(once.send(fixed{i, std::make_unique<int>(i)}));
    }
    boxes.close();
    once.close();
  });
  int next = 0;
  auto fixed_ones = weft::spawn([&] {
    int sum = 0;
    for (const fixed& f : once) sum += f.number + *f.owned;
    return sum;
  });
  std::vector<std::unique_ptr<int>> kept;
  for (std::unique_ptr<int>& box : boxes) {
    EXPECT_EQ(*box, ++next);
    kept.push_back(std::move(box));
  }
  EXPECT_EQ(kept.size(), 20u);
  EXPECT_EQ(fixed_ones.join(), 420);
  sender.join();
}

static_assert(std::ranges::input_range<channel<int>>);

TEST_F(cpp_values, channels_are_ranges_for_views) {
  channel<int> numbers(3);
  auto sender = weft::spawn([&] {
    for (int i = 1; i <= 10; ++i) EXPECT_TRUE(numbers.send(i));
    numbers.close();
  });
  int sum = 0;
  for (const int n : numbers | std::views::filter([](int i) { return i % 2 == 0; }) |
                         std::views::transform([](int i) { return 10 * i; }))
    sum += n;
  EXPECT_EQ(sum, 300);
  sender.join();
}

template <class... Clause>
concept selected = requires(Clause... clauses) { weft::select(clauses...); };
static_assert(!selected<>, "that would wait for ever");

// Throws where it is copied, or moved, for the n-th time.
struct brittle {
  explicit brittle(int moves) : left(moves) {}
  brittle(const brittle&) { throw std::runtime_error("copied"); }
  brittle(brittle&& other) : left(other.left - 1) {
    if (left < 0) throw std::runtime_error("moved");
  }
  brittle& operator=(brittle&&) = delete;
  ~brittle() = default;
  int left = 0;
};

TEST_F(cpp_values, an_exception_of_a_copy_or_a_move_reaches_who_makes_it) {
  const brittle one(100);
  EXPECT_THROW((void)weft::spawn([one] { return one.left; }), std::runtime_error);
  EXPECT_THROW((void)weft::spawn([](const brittle&) {}, one), std::runtime_error);
  group g;
  const auto holds = [&one] { return std::make_unique<brittle>(one); };
  g.spawn(holds);
  EXPECT_THROW(g.wait(), std::runtime_error);
  // Of the result: the value is built in its place, and moved to the joiner.
  auto given = weft::spawn([] { return brittle(0); });
  EXPECT_THROW((void)given.join(), std::runtime_error);
  EXPECT_FALSE(given.joinable());
  EXPECT_THROW((void)weft::fork_join([] { return brittle(0); }, [] { return 1; }),
               std::runtime_error);
  channel<brittle> values(1);
  EXPECT_THROW((void)values.send(brittle(0)), std::runtime_error);
  EXPECT_EQ(values.size(), 0u);
}

struct alignas(64) wide {
  int number = 0;
  bool aligned() const { return reinterpret_cast<std::uintptr_t>(this) % 64 == 0; }
};

TEST_F(cpp_values, what_is_aligned_more_than_others_stays_so) {
  wide w;
  w.number = 3;
  const auto right = [w] { return w.aligned() ? w : wide{}; };
  EXPECT_EQ(weft::spawn(right).join().number, 3);
  EXPECT_EQ(weft::fork_join(right, [] {}).number, 3);
  channel<wide> some(2);
  EXPECT_EQ(some.try_send(w), channel_status::ok);  // by reference: gcc has notes on passing it
  EXPECT_EQ(some.receive()->number, 3);
  task_local<wide> mine([&w] { return w; });
  weft::spawn([&] { EXPECT_TRUE(mine->aligned()); }).join();
}

TEST_F(cpp_values, loops_run_over_views) {
  std::atomic<int> sum{0};
  EXPECT_TRUE(par::for_each(std::views::iota(0, 1000), [&](int i) { sum += i; }));
  EXPECT_EQ(sum, 499'500);
  std::vector<int> numbers(1000, 1);
  EXPECT_TRUE(par::for_each(numbers | std::views::take(10), [](int& n) { n = 5; }));
  EXPECT_TRUE(par::for_each(numbers | std::views::reverse, [&](const int& n) { sum += n; }));
  EXPECT_EQ(sum, 499'500 + 1040);
}

TEST_F(cpp_values, tasks_are_asked_and_told_to_stop_from_outside) {
  auto t = weft::spawn([](const std::stop_token& stop) {
    while (!stop.stop_requested()) weft::this_task::yield();
  });
  EXPECT_TRUE(t.get_stop_token().stop_possible());
  EXPECT_TRUE(t.request_stop());
  t.join();
  EXPECT_FALSE(t.get_stop_token().stop_possible());
  EXPECT_FALSE(weft::task<void>().request_stop());
}

TEST(cpp_spawn_options, say_who_goes_first) {
  const runtime weft(1);
  letters order;
  weft::spawn([&order] {
    std::vector<task<void>> tasks;
    const auto add = [&](char name, const spawn_options& how) {
      tasks.push_back(weft::spawn(how, [&order, name] { order += name; }));
    };
    add('c', {.priority = priority::low});
    add('b', {.priority = priority::high});
    add('a', {.next = true, .worker = 0});
    for (int i = 0; i < 4; ++i) weft::this_task::yield();
    for (auto& t : tasks) t.join();
  }).join();
  EXPECT_EQ(order.text(), "abc");
  EXPECT_THROW((void)weft::spawn({.next = true}, seven), std::system_error);  // at which worker?
}

}  // namespace
}  // namespace weft::test
