// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Throw, catch and rethrow where the thread underneath changes in between: by a forced migration,
// and by a join that calls the child inline, which migrates. Built once more at -O3, with its
// helpers inlined. WEFT_TEST_AT_WORKERS
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

using hazard_rethrow = at_workers;

constexpr int rounds = scaled(200);

void expect_none_in_hand() {
  EXPECT_EQ(std::uncaught_exceptions(), 0);
  EXPECT_EQ(std::current_exception(), nullptr);
}

// Goes on on the next worker.
void move_on() {
  const uint32_t to = (weft_worker_index() + 1) % weft_worker_count();
  ASSERT_EQ(weft_task_migrate(to), 0);
  EXPECT_EQ(weft_worker_index(), to);
}

// A child that is called inline and comes back on another worker than the one that it was called
// on.
void join_a_child_that_moves() {
  auto moves = [] { move_on(); };
  join(spawn(moves));
}

// Every way to lose one's worker.
constexpr void (*ways[])() = {move_on, join_a_child_that_moves, [] { weft_task_yield(); }};

struct counted : std::runtime_error {
  explicit counted(int v) : std::runtime_error("counted " + std::to_string(v)), value(v) {
    alive.fetch_add(1, std::memory_order_relaxed);
  }
  counted(const counted& other) : std::runtime_error(other), value(other.value) {
    alive.fetch_add(1, std::memory_order_relaxed);
  }
  counted& operator=(const counted&) = delete;
  ~counted() override { alive.fetch_sub(1, std::memory_order_relaxed); }
  int value;
  static std::atomic<int> alive;
};
std::atomic<int> counted::alive{0};

TEST_F(hazard_rethrow, what_is_rethrown_after_a_move_is_what_was_caught_before) {
  for (void (*const lose_worker)() : ways) {
    auto body = [lose_worker] {
      for (int i = 0; i < rounds; ++i) {
        try {
          try {
            throw counted(i);
          } catch (const counted&) {
            lose_worker();
            throw;
          }
        } catch (const counted& e) {
          EXPECT_EQ(e.value, i);
          lose_worker();
          EXPECT_EQ(e.what(), "counted " + std::to_string(i));
        }
        expect_none_in_hand();
      }
    };
    run_apart(body);
    EXPECT_EQ(counted::alive, 0);
  }
}

TEST_F(hazard_rethrow, nested_exceptions_come_out_in_their_order) {
  for (void (*const lose_worker)() : ways) {
    auto body = [lose_worker] {
      for (int i = 0; i < rounds; ++i) {
        int seen = 0;
        try {
          try {
            throw counted(i);
          } catch (const counted&) {
            lose_worker();
            try {
              throw counted(i + 1000);
            } catch (const counted& inner) {
              lose_worker();
              seen = inner.value;
            }
            lose_worker();
            throw;
          }
        } catch (const counted& outer) {
          EXPECT_EQ(outer.value, i);
        }
        EXPECT_EQ(seen, i + 1000);
        expect_none_in_hand();
      }
    };
    run_apart(body);
    EXPECT_EQ(counted::alive, 0);
  }
}

struct moves_at_its_end {
  void (*lose_worker)();
  ~moves_at_its_end() {
    EXPECT_EQ(std::uncaught_exceptions(), 1);
    lose_worker();
    EXPECT_EQ(std::uncaught_exceptions(), 1);
  }
};

__attribute__((noinline)) void throw_through(int depth, int value, void (*lose_worker)()) {
  const moves_at_its_end here{lose_worker};
  if (depth == 0) throw counted(value);
  throw_through(depth - 1, value, lose_worker);
}

TEST_F(hazard_rethrow, unwinding_goes_on_after_each_destructor_moved) {
  for (void (*const lose_worker)() : ways) {
    auto body = [lose_worker] {
      for (int i = 0; i < scaled(50); ++i) {
        try {
          throw_through(5, i, lose_worker);
          ADD_FAILURE() << "nothing was thrown";
        } catch (const counted& e) {
          EXPECT_EQ(e.value, i);
        }
        expect_none_in_hand();
      }
    };
    run_apart(body);
    EXPECT_EQ(counted::alive, 0);
  }
}

TEST_F(hazard_rethrow, one_that_was_kept_is_rethrown_by_another_task_elsewhere) {
  for (void (*const lose_worker)() : ways) {
    auto body = [lose_worker] {
      for (int i = 0; i < rounds; ++i) {
        std::exception_ptr kept;
        auto throws = [&] {
          try {
            throw counted(i);
          } catch (...) {
            lose_worker();
            kept = std::current_exception();
          }
          expect_none_in_hand();
        };
        join(spawn(throws));
        auto rethrows = [&] {
          try {
            std::rethrow_exception(kept);
          } catch (const counted& e) {
            lose_worker();
            EXPECT_EQ(e.value, i);
          }
          expect_none_in_hand();
        };
        join(spawn(rethrows));
        expect_none_in_hand();
      }
    };
    run_apart(body);
    EXPECT_EQ(counted::alive, 0);
  }
}

TEST_F(hazard_rethrow, many_tasks_at_once_each_have_their_own) {
  auto body = [] {
    for (int i = 0; i < scaled(50); ++i) {
      const int own = static_cast<int>(weft_task_id(nullptr)) * 1000 + i;
      try {
        try {
          throw counted(own);
        } catch (const counted&) {
          weft_task_yield();
          ways[i % 3]();
          throw;
        }
      } catch (const counted& e) {
        weft_task_yield();
        EXPECT_EQ(e.value, own);
      }
    }
    expect_none_in_hand();
  };
  std::vector<weft_task_t> all;
  for (int i = 0; i < 50; ++i) all.push_back(spawn(body));
  // The task that main calls inline could not leave main's thread.
  EXPECT_TRUE(yield_until([&] {
    while (!all.empty() && weft_task_try_join(all.back(), nullptr) == 0) all.pop_back();
    return all.empty();
  }));
  EXPECT_EQ(counted::alive, 0);
}

}  // namespace
}  // namespace weft::test
