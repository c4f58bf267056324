// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address space that runs out while an algorithm has elements in its hands: none is lost.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <weft/par.hpp>

#include "support.hpp"
#include "support/famine.hpp"

namespace weft::test {
namespace {

// From the first call of begin() on there is no task to be had: one that ends leaves its place to
// another.
class no_tasks {
 public:
  no_tasks() {
    taker_ = std::thread([this] {
      while (step_ == 0) std::this_thread::yield();
      for (; step_ != 3; std::this_thread::yield()) {
        weft_task_t t = nullptr;
        while (taken_ < tasks_.size() && weft_task_spawn(nothing, nullptr, &t) == 0)
          tasks_[taken_++] = t;
        if (step_ == 1) step_ = 2;
      }
    });
  }
  no_tasks(const no_tasks&) = delete;
  no_tasks& operator=(const no_tasks&) = delete;
  ~no_tasks() {
    EXPECT_EQ(step_, 2);
    step_ = 3;
    taker_.join();
    hunger_.reset();
    EXPECT_LT(taken_, tasks_.size());
    while (taken_ > 0) join(tasks_[--taken_]);
  }

  void begin() {
    if (!begun_.exchange(true)) {
      hunger_.emplace();
      step_ = 1;
    }
    while (step_ == 1) std::this_thread::yield();
  }

 private:
  static void* nothing(void*) { return nullptr; }

  std::vector<weft_task_t> tasks_ = std::vector<weft_task_t>(100'000);
  std::size_t taken_ = 0;
  std::atomic<bool> begun_{false};
  std::atomic<int> step_{0};  // 1: begun, 2: there is none, 3: over
  std::optional<famine> hunger_;
  std::thread taker_;
};

// Has a thread outside Weft run go(elements, no_tasks&), which is to have them sorted, in a child.
template <class Go>
void sorts_all(Go go) {
  if (sanitized) GTEST_SKIP() << "a sanitizer's shadow memory counts as address space";
  if (!famine_works()) GTEST_SKIP() << "RLIMIT_AS has no effect here";
  for (int round = 0; round < 5; ++round) {  // a task that ends may be had again before it is taken
    const outcome o = in_child([&] {
      {
        const runtime weft{2};
        std::vector<std::string> elements;
        for (unsigned i = 0; i < 20'000; ++i)
          elements.push_back("an element that has memory " + std::to_string(i * 7919 % 20'000));
        std::vector<std::string> expected = elements;
        std::sort(expected.begin(), expected.end());
        std::thread outside([&] {
          no_tasks none;
          go(elements, none);
        });
        outside.join();
        EXPECT_EQ(elements, expected);
      }
      _exit(testing::Test::HasFailure() ? 1 : 0);
    });
    ASSERT_TRUE(o.exited_with(0)) << o.status << "\n" << o.errors;
  }
}

TEST(cpp_no_memory, a_sort_loses_no_element) {
  sorts_all([](std::vector<std::string>& all, no_tasks& none) {
    EXPECT_NO_THROW(
        par::sort(all.begin(), all.end(), [&](const std::string& a, const std::string& b) {
          none.begin();
          return a < b;
        }));
  });
}

TEST(cpp_no_memory, a_stable_sort_loses_no_element) {
  sorts_all([](std::vector<std::string>& all, no_tasks& none) {
    EXPECT_NO_THROW(
        par::stable_sort(all.begin(), all.end(), [&](const std::string& a, const std::string& b) {
          none.begin();
          return a < b;
        }));
  });
}

TEST(cpp_no_memory, a_partition_that_is_refused_has_moved_nothing) {
  sorts_all([](std::vector<std::string>& all, no_tasks& none) {
    par::sort(all.begin(), all.end());
    try {
      par::stable_partition(all.begin(), all.end(), [&](const std::string&) {
        none.begin();
        return true;
      });
    } catch (const std::system_error&) {  // as a rule
    }
  });
}

}  // namespace
}  // namespace weft::test
