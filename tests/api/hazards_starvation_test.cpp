// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No starvation: two tasks that keep a worker busy for ever leave room for every other kind of
// work. WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <cerrno>
#include <string>
#include <thread>
#include <tuple>

#include "support.hpp"

namespace weft::test {
namespace {

// How the two keep the only worker busy.
enum class storm { wake_each_other, yield, spawn_and_yield };
// Who must run all the same.
enum class victim {
  fresh,
  yielding,
  fresh_from_outside,
  mail_to_a_sticky,
  woken_from_outside,
  main
};

// Turns of the storm after the victim was ready; reached only if something starves.
constexpr int64_t in_vain = 1'000'000;

class no_starvation : public testing::TestWithParam<std::tuple<storm, victim>> {
 protected:
  struct member {
    no_starvation* self;
    std::atomic<weft_task_t> partner;

    void operator()() {
      while (!self->stop_) {
        switch (std::get<0>(self->GetParam())) {
          case storm::wake_each_other:
            EXPECT_EQ(weft_task_resume(partner), 0);
            EXPECT_EQ(weft_task_suspend(), 0);
            break;
          case storm::yield:
            EXPECT_EQ(weft_task_yield(), 0);
            break;
          case storm::spawn_and_yield:
            EXPECT_EQ(weft_task_spawn([](void*) -> void* { return nullptr; }, nullptr, nullptr), 0);
            EXPECT_EQ(weft_task_yield(), 0);
        }
        if (self->ready_ && ++self->turns_ == in_vain) {
          self->starved_ = true;
          self->stop_ = true;
        }
      }
      // The partner may wait for the last time; on one worker it cannot have been released yet.
      if (self->left_++ == 0) {
        EXPECT_EQ(weft_task_resume(partner), 0);
      }
    }
  };

  void begin_storm() {
    tasks_[0] = spawn(members_[0]);
    tasks_[1] = spawn(members_[1]);
    members_[0].partner = tasks_[1];
    members_[1].partner = tasks_[0];
  }
  // Parks main: neither is the newest, or both have started.
  void end_storm() {
    for (weft_task_t t : tasks_) join(t);
    EXPECT_FALSE(starved_);
  }
  void done() { stop_ = true; }
  void is_ready() { ready_ = true; }

 private:
  const runtime weft_{1};
  std::atomic<bool> stop_{false};
  std::atomic<bool> ready_{false};
  std::atomic<int64_t> turns_{0};
  std::atomic<int> left_{0};
  std::atomic<bool> starved_{false};
  member members_[2]{{this, nullptr}, {this, nullptr}};
  weft_task_t tasks_[2]{};
};

TEST_P(no_starvation, of_it) {
  if (tsan && std::get<0>(GetParam()) == storm::spawn_and_yield)
    GTEST_SKIP() << "turns come after 125,000 picks, and here each pick makes a fiber";
  switch (std::get<1>(GetParam())) {
    case victim::fresh: {
      auto runs = [this] { done(); };
      const weft_task_t t = spawn(runs);  // at the far end of the deque
      is_ready();
      begin_storm();
      end_storm();
      join(t);
      break;
    }
    case victim::yielding: {
      auto yields = [this] {
        is_ready();
        for (int i = 0; i < 4; ++i) weft_task_yield();
        done();
      };
      const weft_task_t t = spawn(yields);
      begin_storm();
      end_storm();
      join(t);
      break;
    }
    case victim::fresh_from_outside: {
      auto runs = [this] { done(); };
      begin_storm();
      std::thread foreign([&] {
        const weft_task_t t = spawn(runs);
        is_ready();
        join(t);
      });
      end_storm();
      foreign.join();
      break;
    }
    case victim::mail_to_a_sticky: {
      auto runs = [this] { done(); };
      begin_storm();
      std::thread foreign([&] {
        const weft_task_t t = spawn(runs, on_worker(0));
        is_ready();
        join(t);
      });
      end_storm();
      foreign.join();
      break;
    }
    case victim::woken_from_outside: {
      std::atomic<bool> waits{false};
      auto sleeps = [&] {
        waits = true;
        for (int i = 0; i < 10; ++i) EXPECT_EQ(weft_task_suspend(), 0);
        done();
      };
      const weft_task_t t = spawn(sleeps);
      EXPECT_TRUE(yield_until([&] { return waits.load(); }));
      begin_storm();
      std::thread foreign([&] {
        for (;;) {
          const int r = weft_task_resume(t);
          if (r == -ESRCH) break;
          EXPECT_EQ(r, 0);
          std::this_thread::yield();
        }
      });
      end_storm();
      foreign.join();
      join(t);
      break;
    }
    case victim::main:
      begin_storm();
      is_ready();
      for (int i = 0; i < 4; ++i) weft_task_yield();
      done();
      end_storm();
  }
}

std::string name_of(const testing::TestParamInfo<std::tuple<storm, victim>>& i) {
  constexpr const char* storms[] = {"two_that_wake_each_other", "two_that_yield",
                                    "two_that_spawn_and_yield"};
  constexpr const char* victims[] = {
      "a_fresh_task",          "a_yielding_task",           "a_task_from_outside",
      "mail_to_a_sticky_task", "a_task_woken_from_outside", "main"};
  return std::string(storms[static_cast<int>(std::get<0>(i.param))]) + "_beside_" +
         victims[static_cast<int>(std::get<1>(i.param))];
}

INSTANTIATE_TEST_SUITE_P(
    by, no_starvation,
    testing::Combine(testing::Values(storm::wake_each_other, storm::yield, storm::spawn_and_yield),
                     testing::Values(victim::fresh, victim::yielding, victim::fresh_from_outside,
                                     victim::mail_to_a_sticky, victim::woken_from_outside,
                                     victim::main)),
    name_of);

}  // namespace
}  // namespace weft::test
