// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions: each task starts with none in hand, keeps its own over every wait, and lets none out.
// WEFT_TEST_AT_WORKERS
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

using hazard_exceptions = at_workers;

void expect_none_in_hand() {
  EXPECT_EQ(std::uncaught_exceptions(), 0);
  EXPECT_EQ(std::current_exception(), nullptr);
}

int value_of_current() {
  try {
    throw;
  } catch (int v) {
    return v;
  } catch (...) {
    return -1;
  }
}

TEST_F(hazard_exceptions, a_join_inside_a_catch_does_not_show_the_child_the_exception) {
  for (int i = 0; i < 100; ++i) {
    auto child = [] {
      expect_none_in_hand();
      try {
        throw std::runtime_error("the child's own");
      } catch (const std::runtime_error& e) {
        EXPECT_EQ(std::string(e.what()), "the child's own");
      }
      expect_none_in_hand();
    };
    try {
      throw i;
    } catch (int) {
      const weft_task_t t = spawn(child);
      if (i % 2 != 0) weft_task_yield();
      join(t);
      EXPECT_EQ(value_of_current(), i);
    }
    expect_none_in_hand();
  }
}

TEST_F(hazard_exceptions, a_join_while_unwinding_hides_that_from_the_child) {
  struct joins_when_destroyed {
    int* ran;
    ~joins_when_destroyed() {
      EXPECT_EQ(std::uncaught_exceptions(), 1);
      auto child = [this] {
        expect_none_in_hand();
        weft_task_yield();
        expect_none_in_hand();
        ++*ran;
      };
      join(spawn(child));
      EXPECT_EQ(std::uncaught_exceptions(), 1);
    }
  };
  int ran = 0;
  for (int i = 0; i < 50; ++i) {
    try {
      const joins_when_destroyed at_the_end{&ran};
      throw i;
    } catch (int v) {
      EXPECT_EQ(v, i);
    }
  }
  expect_none_in_hand();
  EXPECT_EQ(ran, 50);
}

TEST_F(hazard_exceptions, tasks_that_wait_inside_a_catch_keep_their_own_exception) {
  struct nest {
    static void* run(void* arg) {
      const auto id = static_cast<int>(reinterpret_cast<intptr_t>(arg));
      try {
        throw id;
      } catch (int) {
        weft_task_yield();
        EXPECT_EQ(value_of_current(), id);
        try {
          throw id + 1000;
        } catch (int inner) {
          weft_task_yield();
          EXPECT_EQ(inner, id + 1000);
          EXPECT_EQ(value_of_current(), id + 1000);
        }
        weft_task_yield();
        EXPECT_EQ(value_of_current(), id);
      }
      expect_none_in_hand();
      return nullptr;
    }
  };
  std::vector<weft_task_t> tasks(200);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    ASSERT_EQ(weft_task_spawn(nest::run, reinterpret_cast<void*>(i), &tasks[i]), 0);
  EXPECT_EQ(weft_task_join_many(tasks.data(), tasks.size(), nullptr), 0);
  expect_none_in_hand();
}

TEST_F(hazard_exceptions, the_exception_goes_along_when_its_task_migrates) {
  auto body = [] {
    const uint32_t count = weft_worker_count();
    for (uint32_t i = 0; i < 20; ++i) {
      try {
        throw static_cast<int>(i);
      } catch (int) {
        ASSERT_EQ(weft_task_migrate((weft_worker_index() + 1) % count), 0);
        EXPECT_EQ(value_of_current(), static_cast<int>(i));
      }
      expect_none_in_hand();
    }
  };
  run_apart(body);
}

TEST_F(hazard_exceptions, the_joiner_has_its_exception_after_the_child_moved_and_back) {
  auto parent = [] {
    auto child = [] {
      expect_none_in_hand();
      ASSERT_EQ(weft_task_migrate((weft_worker_index() + 1) % weft_worker_count()), 0);
      expect_none_in_hand();
    };
    for (int i = 0; i < 20; ++i) {
      try {
        throw i;
      } catch (int) {
        join(spawn(child));
        EXPECT_EQ(value_of_current(), i);
      }
      expect_none_in_hand();
    }
  };
  run_apart(parent);
  run_apart(parent, WEFT_SPAWN_STICKY);
}

// --- what leaves a C task ends the program ------------------------------------------------------

void* throws(void*) { throw std::runtime_error("left a task"); }

class hazard_exceptions_death : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, death_test_style); }
};

TEST_F(hazard_exceptions_death, one_that_leaves_a_c_task_called_inline_terminates) {
  EXPECT_DEATH(
      {
        weft_task_t t = nullptr;
        weft_task_spawn(throws, nullptr, &t);
        try {
          weft_task_join(t, nullptr);
        } catch (...) {
          fprintf(stderr, "caught\n");
          _exit(0);
        }
        _exit(0);
      },
      "terminate called|left a task");
}

TEST_F(hazard_exceptions_death, one_that_leaves_a_c_task_run_by_the_loop_terminates) {
  EXPECT_DEATH(
      {
        weft_task_spawn(throws, nullptr, nullptr);
        for (;;) weft_task_yield();
      },
      "terminate called|left a task");
}

}  // namespace
}  // namespace weft::test
