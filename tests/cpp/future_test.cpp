// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futures and promises of weft.hpp: async, then, when_all, when_any.
// WEFT_TEST_AT_WORKERS
#include <atomic>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/weft.hpp>

#include "support.hpp"
#include "support/child.hpp"

namespace weft::test {
namespace {

using namespace std::chrono_literals;
using cpp_future = at_workers;

// Throws when it is moved for the so-manieth time.
struct brittle_value {
  explicit brittle_value(int moves) : left(moves) {}
  brittle_value(brittle_value&& other) : left(other.left - 1) {
    if (left < 0) throw std::runtime_error("moved too often");
  }
  int left;
};

TEST_F(cpp_future, an_exception_of_the_move_into_a_continuation_goes_past_it) {
  bool thrown = false;
  for (int moves = 0; moves < 12; ++moves) {
    try {
      async([moves] { return brittle_value(moves); }).then([](brittle_value) {}).get();
    } catch (const std::runtime_error&) {
      thrown = true;
    }
  }
  EXPECT_TRUE(thrown);
}

TEST_F(cpp_future, gives_value_or_exception_once_it_is_set) {
  auto f = async([] {
    weft::this_task::yield();
    return std::string("value");
  });
  EXPECT_TRUE(f.wait_for(1h));
  EXPECT_TRUE(f.ready());
  EXPECT_EQ(f.get(), "value");
  EXPECT_FALSE(f.valid());
  EXPECT_THROW((void)f.get(), std::system_error);
  EXPECT_THROW(async([] { throw std::runtime_error("no value"); }).get(), std::runtime_error);
  future<int> never;
  {
    promise<int> p;
    never = p.get_future();
    EXPECT_FALSE(never.wait_for(1ms));
    EXPECT_THROW((void)p.get_future(), std::system_error);
  }
  EXPECT_THROW((void)never.get(), std::system_error);
  promise<int> twice;
  twice.set_value(1);
  EXPECT_THROW(twice.set_value(2), std::system_error);
  EXPECT_EQ(twice.get_future().get(), 1);
}

TEST_F(cpp_future, may_be_had_while_the_promise_ends) {
  weft::spawn([] {
    for (int i = 0; i < scaled(50'000); ++i) {
      promise<int> p;
      auto f = p.get_future();
      weft::spawn_detached([&p, i] { p.set_value(i); });
      for (int k = 0; k < i % 100 && !f.ready(); ++k) {
      }
      EXPECT_EQ(f.get(), i);
    }
  }).join();
}

TEST_F(cpp_future, of_a_reference_has_what_it_was_set_to) {
  int here = 0;
  promise<int&> p;
  auto f = p.get_future();
  p.set_value(here);
  EXPECT_EQ(&f.get(), &here);
}

TEST_F(cpp_future, goes_on_by_then_before_or_after_it_is_set) {
  for (int i = 0; i < scaled(200); ++i) {
    promise<int> p;
    auto sum = p.get_future()
                   .then([](int n) { return n + 1; })
                   .then([](int n) { return std::make_unique<int>(2 * n); })
                   .then([](std::unique_ptr<int> n) { return *n; });
    auto setter = weft::spawn([&] { p.set_value(i); });
    if (i % 2 == 0) setter.wait();
    auto last = std::move(sum).then([](int n) { EXPECT_EQ(n % 2, 0); }).then([] { return 1; });
    EXPECT_EQ(last.get(), 1);
    setter.join();
  }
  bool called = false;
  auto failed = async([]() -> int {
                  throw std::runtime_error("first");
                }).then([&](int) {
                    called = true;
                  }).then([&] { called = true; });
  EXPECT_THROW(failed.get(), std::runtime_error);
  EXPECT_FALSE(called);
}

TEST_F(cpp_future, when_all_has_all_and_when_any_has_one) {
  auto [a, b, c] = when_all(async([] { return 1; }), async([] { return std::string("two"); }),
                            async([] { throw std::runtime_error("three"); }))
                       .get();
  EXPECT_EQ(a.get(), 1);
  EXPECT_EQ(b.get(), "two");
  EXPECT_THROW(c.get(), std::runtime_error);
  for (int i = 0; i < scaled(50); ++i) {
    std::vector<future<int>> many;
    for (int k = 0; k < 20; ++k) many.push_back(async([k] { return k; }));
    const int sum =
        when_all(std::move(many))
            .then([](std::vector<future<int>> all) {
              return std::accumulate(all.begin(), all.end(), 0, [](int s, future<int>& f) {
                EXPECT_TRUE(f.ready());
                return s + f.get();
              });
            })
            .get();
    EXPECT_EQ(sum, 190);
    promise<int> slow;
    std::vector<future<int>> two;
    two.push_back(slow.get_future());
    two.push_back(async([] { return 4; }));
    auto first = when_any(std::move(two)).get();
    EXPECT_EQ(first.index, 1u);
    EXPECT_EQ(first.futures[1].get(), 4);
    EXPECT_FALSE(first.futures[0].ready());
    slow.set_value(5);
    EXPECT_EQ(first.futures[0].get(), 5);
  }
  EXPECT_TRUE(when_all(std::vector<future<int>>()).get().empty());
  EXPECT_THROW((void)when_any(std::vector<future<int>>()), std::system_error);
}

static_assert(!std::is_copy_constructible_v<future<int>>, "a value is given once");
static_assert(std::is_nothrow_move_constructible_v<future<int>>);
static_assert(std::is_copy_constructible_v<shared_future<int>>);

TEST_F(cpp_future, shared_shows_one_value_to_all) {
  promise<std::string> p;
  shared_future<std::string> all = p.get_future();
  std::vector<task<const std::string*>> tasks;
  for (int i = 0; i < 10; ++i) tasks.push_back(weft::spawn([all] { return &all.get(); }));
  EXPECT_FALSE(all.ready());
  EXPECT_FALSE(all.wait_for(1ms));
  p.set_value("one for all");
  for (auto& t : tasks) EXPECT_EQ(t.join(), &all.get());
  EXPECT_EQ(all.get(), "one for all");
  int told = 0;
  EXPECT_EQ(weft::select(on_set(all, [&] { told = 1; })), 0u);
  EXPECT_EQ(told, 1);
}

TEST_F(cpp_future, shared_throws_the_exception_to_all) {
  auto failed = async([]() -> int { throw std::runtime_error("no value"); });
  const auto all = failed.share();
  EXPECT_FALSE(failed.valid());
  std::vector<task<void>> tasks;
  for (int i = 0; i < 10; ++i)
    tasks.push_back(weft::spawn([all] { EXPECT_THROW((void)all.get(), std::runtime_error); }));
  for (auto& t : tasks) t.join();
  EXPECT_THROW((void)all.get(), std::runtime_error);
  EXPECT_THROW((void)shared_future<int>().get(), std::system_error);
}

TEST_F(cpp_future, shared_may_be_of_a_reference_or_of_nothing) {
  int here = 0;
  promise<int&> p;
  const auto all = p.get_future().share();
  p.set_value(here);
  EXPECT_EQ(&all.get(), &here);
  const shared_future<void> ended = async([] { weft::this_task::yield(); });
  ended.get();
  ended.get();
}

TEST_F(cpp_future, async_hands_its_arguments_on) {
  int here = 1;
  auto sum = async([](int& out, std::unique_ptr<int> more) { return out += *more; }, std::ref(here),
                   std::make_unique<int>(4));
  EXPECT_EQ(sum.get(), 5);
  EXPECT_EQ(here, 5);
  struct counter {
    int by(int n) const { return n + 1; }
  } const c;
  EXPECT_EQ(async(&counter::by, &c, 6).get(), 7);
}

// Counts how often it ends, and how often a future was set by then.
struct looks_at_its_end {
  looks_at_its_end(const future<int>& f, std::atomic<int>& ends, std::atomic<int>& late)
      : f_(&f), ends_(&ends), late_(&late) {}
  looks_at_its_end(looks_at_its_end&& other) noexcept
      : f_(std::exchange(other.f_, nullptr)), ends_(other.ends_), late_(other.late_) {}
  ~looks_at_its_end() {
    if (f_ == nullptr) return;
    ++*ends_;
    if (f_->ready()) ++*late_;
  }

 private:
  const future<int>* f_;
  std::atomic<int>* ends_;
  std::atomic<int>* late_;
};

TEST_F(cpp_future, is_set_when_what_was_called_for_it_has_ended) {
  std::atomic<int> ends{0};
  std::atomic<int> late{0};
  {
    future<int> f;
    latch is_there(1);
    f = async(
        [&is_there, in_it = looks_at_its_end(f, ends, late)](const looks_at_its_end&) {
          is_there.wait();
          return 1;
        },
        looks_at_its_end(f, ends, late));
    is_there.count_down();
    f.wait();
    EXPECT_EQ(ends, 2);
    EXPECT_EQ(f.get(), 1);
  }
  for (const bool fails : {false, true}) {
    ends = 0;
    future<int> f;
    promise<int> p;
    f = p.get_future().then([in_it = looks_at_its_end(f, ends, late)](int n) { return n; });
    if (fails) {
      p.set_exception(std::make_exception_ptr(std::runtime_error("no value")));
      f.wait();
      EXPECT_THROW((void)f.get(), std::runtime_error);
    } else {
      p.set_value(1);
      f.wait();
      EXPECT_EQ(f.get(), 1);
    }
    EXPECT_EQ(ends, 1);
    ends = 0;
    future<int> g;
    promise<void> q;
    g = q.get_future().then([in_it = looks_at_its_end(g, ends, late)] { return 2; });
    q.set_value();
    EXPECT_EQ(g.get(), 2);
    EXPECT_EQ(ends, 1);
  }
  EXPECT_EQ(late, 0);
}

// What is captured as const is copied where its lambda is moved.
TEST_F(cpp_future, is_set_when_what_cannot_be_moved_has_ended) {
  for (int i = 0; i < scaled(50); ++i) {
    const auto shared = std::make_shared<int>(1);
    {
      latch is_there(1);
      future<int> f = async([&is_there, shared] {
        is_there.wait();
        return *shared;
      });
      is_there.count_down();
      f.wait();
      EXPECT_EQ(shared.use_count(), 1);
    }
    promise<int> p;
    future<int> g = p.get_future().then([shared](int n) { return n + *shared; });
    p.set_value(1);
    g.wait();
    EXPECT_EQ(shared.use_count(), 1);
    // The value, too.
    struct holder {
      const std::shared_ptr<int> held;
    };
    future<holder> of_value;
    {
      promise<holder> q;
      of_value = q.get_future();
      q.set_value(holder{shared});
    }
    future<int> h = std::move(of_value).then([](const holder& v) { return *v.held; });
    h.wait();
    EXPECT_EQ(shared.use_count(), 1);
  }
}

TEST_F(cpp_future, goes_on_by_then_with_references_and_what_can_only_be_moved) {
  int here = 3;
  promise<int&> p;
  auto next = p.get_future().then([box = std::make_unique<int>(2)](int& n) -> int& {
    n *= *box;
    return n;
  });
  p.set_value(here);
  EXPECT_EQ(&next.get(), &here);
  EXPECT_EQ(here, 6);
  auto box = async([] { return std::make_unique<int>(9); });
  EXPECT_EQ(*box.get(), 9);
}

TEST_F(cpp_future, when_all_of_none_is_set_at_once) {
  auto none = when_all();
  EXPECT_TRUE(none.ready());
  EXPECT_EQ(none.get(), std::tuple<>());
}

TEST_F(cpp_future, when_any_takes_futures_of_several_types) {
  promise<int> never;
  auto first = when_any(never.get_future(), async([] { return std::string("text"); })).get();
  EXPECT_EQ(first.index, 1u);
  EXPECT_EQ(std::get<1>(first.futures).get(), "text");
  EXPECT_FALSE(std::get<0>(first.futures).ready());
  never.set_value(1);
  EXPECT_EQ(std::get<0>(first.futures).get(), 1);
  EXPECT_THROW((void)when_any(future<int>(), async([] { return 1; })), std::system_error);
}

TEST_F(cpp_future, has_the_exception_of_a_copy_that_failed) {
  struct brittle {
    brittle() = default;
    brittle(const brittle&) { throw std::runtime_error("no copy"); }
    brittle& operator=(const brittle&) = delete;
    ~brittle() = default;
  };
  const brittle one;
  promise<brittle> p;
  auto f = p.get_future();
  p.set_value(one);
  EXPECT_THROW((void)f.get(), std::runtime_error);
  EXPECT_THROW((void)async([one = 1](const brittle&) { return one; }, one), std::runtime_error);
}

TEST_F(cpp_future,
       stays_with_a_promise_that_is_moved_onto_itself_and_knows_the_end_of_one_replaced) {
  promise<int> p;
  auto f = p.get_future();
  promise<int>& same = p;
  p = std::move(same);
  p.set_value(2);
  EXPECT_EQ(f.get(), 2);
  promise<int> old;
  auto broken = old.get_future();
  old = promise<int>();
  EXPECT_THROW((void)broken.get(), std::system_error);
  auto whole = old.get_future();
  old.set_value(3);
  EXPECT_EQ(whole.get(), 3);
}

// Once in this process, and once in a child of fork().
TEST(cpp_future_alone, ends_without_a_value_after_weft_has_stopped_and_starts_nothing) {
  const auto ends = [](bool in_this_process) {
    if (weft_start(nullptr) != 0) return 1;
    promise<int> p;
    bool called = false;
    auto f = p.get_future().then([&called](int) { called = true; }).then([] { return 1; });
    const auto end = [&] {
      p = {};
      if (weft_worker_count() != 0) return 2;
      try {
        (void)f.get();
        return 3;
      } catch (const std::system_error&) {
        return called ? 4 : 42;
      }
    };
    if (!in_this_process) {
      const outcome child = in_child([&] { _exit(end()); });
      if (!child.exited_with(42)) return 5;
    }
    if (weft_stop() != 0) return 6;
    return end();
  };
  EXPECT_EQ(ends(true), 42);
  EXPECT_EQ(ends(false), 42);
}

}  // namespace
}  // namespace weft::test
