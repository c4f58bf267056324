// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix of all waits: primitive x caller x who ends the wait, with a test for each form.
//
// A file of tests describes its primitives (class primitive), lists them in a table, and says
// INSTANTIATE_TEST_SUITE_P(<name>, waits, testing::ConvertGenerator<...>) as sync_matrix_test.cpp
// does.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {

// One object to wait for. All but closed_during() is called by the flow that waits.
class primitive {
 public:
  virtual ~primitive() = default;

  // Runs f while a wait would have to wait, then lets one waiter through, or all.
  virtual void closed_during(const std::function<void()>& f) = 0;

  virtual int wait() = 0;
  virtual int wait_until(int64_t deadline_ns) = 0;
  virtual bool has_try() const { return true; }
  virtual int try_wait() { return -ENOSYS; }
  // After a wait that gave 0 or more: lets the next one through.
  virtual void leave() {}
  // Whether a wait after closed_during() needs nobody else.
  virtual bool stays_open() const { return true; }
};

struct primitive_row {
  const char* name;
  std::unique_ptr<primitive> (*make)();
};

template <class T>
primitive_row row(const char* name) {
  return {name, []() -> std::unique_ptr<primitive> { return std::make_unique<T>(); }};
}

enum class caller { running_task, inlined_task, foreign_thread, before_start };
enum class opener { task, thread };

struct cell {
  primitive_row what;
  caller who;
  opener by;
};

inline std::vector<cell> matrix(std::initializer_list<primitive_row> rows) {
  std::vector<cell> all;
  for (const primitive_row& r : rows)
    for (const caller who :
         {caller::running_task, caller::inlined_task, caller::foreign_thread, caller::before_start})
      for (const opener by : {opener::task, opener::thread})
        if (who != caller::before_start || by == opener::thread) all.push_back({r, who, by});
  return all;
}

inline std::string name_of(const testing::TestParamInfo<cell>& info) {
  static const char* const callers[] = {"running_task", "inlined_task", "foreign_thread",
                                        "before_start"};
  static const char* const openers[] = {"by_task", "by_thread"};
  return std::string(info.param.what.name) + "_in_" + callers[static_cast<int>(info.param.who)] +
         "_ended_" + openers[static_cast<int>(info.param.by)];
}

inline void PrintTo(const cell& c, std::ostream* out) { *out << c.what.name; }

inline int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
inline int64_t in_an_hour() { return now_ns() + 3'600'000'000'000; }

// Lets other flows run, whatever the caller is.
inline void let_run() {
  if (weft_task_self() == nullptr || weft_task_yield() != 0) std::this_thread::yield();
}
// False: in vain.
inline bool run_until(const std::function<bool()>& done) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    let_run();
    if (std::chrono::steady_clock::now() > until) return false;
  }
  return true;
}

class waits : public testing::TestWithParam<cell> {
 protected:
  void SetUp() override {
    if (GetParam().who != caller::before_start) {
      ASSERT_EQ(weft_start(nullptr), 0);
    }
    object_ = GetParam().what.make();
  }
  void TearDown() override {
    object_.reset();
    if (GetParam().who != caller::before_start) {
      EXPECT_EQ(weft_stop(), 0);
    }
  }

  primitive& object() { return *object_; }

  // Runs body as the caller of this cell.
  void as_caller(std::function<void()> body, uint32_t flags = 0) {
    switch (GetParam().who) {
      case caller::running_task:
        run_apart(body, flags);
        break;
      case caller::inlined_task:
        join(spawn(body, with_flags(flags)));
        break;
      case caller::foreign_thread: {
        // The thread that started Weft goes on running tasks.
        std::atomic<bool> done{false};
        std::thread thread([&] {
          body();
          done = true;
        });
        EXPECT_TRUE(run_until([&] { return done.load(); }));
        thread.join();
        break;
      }
      case caller::before_start:
        body();
        break;
    }
  }

  // Runs `during` in the caller while the object is closed; it says open_() when it is about to
  // wait.
  void while_closed(const std::function<void()>& during, uint32_t flags = 0) {
    std::function<void()> holds = [&] {
      object().closed_during([&] {
        closed_ = true;
        EXPECT_TRUE(run_until([&] { return may_open_.load(); }));
        // Most likely the caller waits by now; the answer is the same if it does not yet.
        for (int i = 0; i < 10; ++i) let_run();
      });
    };
    weft_task_t task = nullptr;
    std::thread thread;
    if (GetParam().by == opener::task) {
      task = spawn(holds);
    } else {
      thread = std::thread(holds);
    }
    as_caller(
        [&] {
          EXPECT_TRUE(run_until([&] { return closed_.load(); }));
          during();
          may_open_ = true;
        },
        flags);
    if (task != nullptr) join(task);
    if (thread.joinable()) thread.join();
  }
  // By the caller: from now on the object may be opened.
  void open() { may_open_ = true; }

 private:
  std::unique_ptr<primitive> object_;
  std::atomic<bool> closed_{false};
  std::atomic<bool> may_open_{false};
};

TEST_P(waits, plain_returns_when_the_wait_is_ended) {
  while_closed([&] {
    open();
    EXPECT_GE(object().wait(), 0);
    object().leave();
  });
}

TEST_P(waits, try_says_busy_until_there_is_nothing_to_wait_for) {
  if (!object().has_try()) return;
  while_closed([&] {
    EXPECT_EQ(object().try_wait(), -EBUSY);
    open();
    int last = -EBUSY;
    EXPECT_TRUE(run_until([&] { return (last = object().try_wait()) != -EBUSY; }));
    EXPECT_GE(last, 0);
    object().leave();
  });
}

TEST_P(waits, by_deadline_gives_up_and_can_wait_again) {
  while_closed([&] {
    EXPECT_EQ(object().wait_until(INT64_MIN), -ETIMEDOUT);
    EXPECT_EQ(object().wait_until(0), -ETIMEDOUT);
    EXPECT_EQ(object().wait_until(now_ns() + 1'000'000), -ETIMEDOUT);
    if (object().has_try()) {
      EXPECT_EQ(object().try_wait(), -EBUSY);
    }
    open();
    EXPECT_GE(object().wait_until(in_an_hour()), 0);
    object().leave();
  });
}

TEST_P(waits, cancelled_gives_up_and_can_wait_again) {
  while_closed([&] {
    weft_cancel_t cancel = WEFT_CANCEL_INIT;
    weft_cancel_scope_t scope;
    ASSERT_EQ(weft_cancel_enter(&cancel, &scope), 0);
    std::thread canceller([&] {
      for (int i = 0; i < 20; ++i)
        std::this_thread::yield();  // most often the caller waits by then
      EXPECT_EQ(weft_cancel_request(&cancel), 0);
    });
    EXPECT_EQ(object().wait(), -ECANCELED);
    canceller.join();
    EXPECT_EQ(object().wait(), -ECANCELED);
    EXPECT_EQ(object().wait_until(in_an_hour()), -ECANCELED);
    if (object().has_try()) {
      EXPECT_EQ(object().try_wait(), -EBUSY);
    }
    EXPECT_EQ(weft_cancel_leave(&scope), 0);
    open();
    EXPECT_GE(object().wait(), 0);
    object().leave();
  });
}

TEST_P(waits, no_deadline_is_the_latest_deadline) {
  while_closed([&] {
    open();
    EXPECT_GE(object().wait_until(INT64_MAX), 0);
    object().leave();
  });
}

TEST_P(waits, nothing_to_wait_for_makes_every_form_return_at_once) {
  if (!object().stays_open()) return;
  while_closed([&] {
    open();
    EXPECT_GE(object().wait(), 0);
    object().leave();
    EXPECT_GE(object().wait_until(INT64_MIN), 0);
    object().leave();
    EXPECT_GE(object().wait_until(INT64_MAX), 0);
    object().leave();
    if (!object().has_try()) return;
    EXPECT_GE(object().try_wait(), 0);
    object().leave();
  });
}

TEST_P(waits, a_stackless_task_is_refused) {
  if (GetParam().who != caller::running_task && GetParam().who != caller::inlined_task) return;
  if (GetParam().by == opener::task) return;  // it could not run while the caller polls
  while_closed(
      [&] {
        EXPECT_EQ(object().wait(), -EPERM);
        EXPECT_EQ(object().wait_until(in_an_hour()), -EPERM);
        EXPECT_EQ(object().wait_until(INT64_MIN), -EPERM);
        if (!object().has_try()) return;
        EXPECT_EQ(object().try_wait(), -EBUSY);
        open();
        EXPECT_TRUE(run_until([&] { return object().try_wait() >= 0; }));
        object().leave();
      },
      WEFT_SPAWN_STACKLESS);
}

TEST_P(waits, many_waiters_all_go_on) {
  if (GetParam().who == caller::before_start) return;
  constexpr int count = scaled(200) + 2;
  std::atomic<int> passed{0};
  while_closed([&] {
    auto body = [&] {
      EXPECT_GE(object().wait(), 0);
      object().leave();
      ++passed;
    };
    std::vector<weft_task_t> tasks(object().stays_open() ? count : 1);
    for (weft_task_t& t : tasks) t = spawn(body);
    for (int i = 0; i < 3; ++i) let_run();
    open();
    for (const weft_task_t t : tasks) join(t);
    EXPECT_EQ(passed, static_cast<int>(tasks.size()));
  });
}

}  // namespace weft::test
