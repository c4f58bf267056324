// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Third party: a wait that others can end goes on when they end it, although the child blocks.
// WEFT_TEST_AT_WORKERS
#include <cerrno>
#include <thread>

#include "support.hpp"

namespace weft::test {
namespace {

using hazard_third_party_ends_the_wait = at_workers;

// The parent waits for a word that the child would fill, were it not blocked; somebody else fills
// it.
struct word {
  std::atomic<int> value{0};
  std::atomic<bool> child_blocks{false};
  std::atomic<bool> child_ended{false};
  weft_task_t child = nullptr;
  weft_task_t parent = nullptr;

  void fill() { value = 1; }
};

TEST_F(hazard_third_party_ends_the_wait, a_suspended_parent_goes_on_while_its_child_blocks) {
  for (int i = 0; i < scaled(500); ++i) {
    word w;
    auto parent = [&w] {
      w.parent = weft_task_self();
      auto child = [&w] {
        w.child_blocks = true;
        while (!w.child_ended) weft_task_suspend();
        EXPECT_EQ(w.value, 1);
      };
      auto third = [&w] {
        EXPECT_TRUE(yield_until([&] { return w.child_blocks.load(); }));
        w.fill();
        EXPECT_EQ(weft_task_resume(w.parent), 0);
      };
      const weft_task_t filler = spawn(third);
      w.child = spawn(child);  // unstarted, at the end of the parent's own queue
      while (w.value == 0) ASSERT_EQ(weft_task_suspend(), 0);
      EXPECT_FALSE(w.child_ended);
      w.child_ended = true;
      EXPECT_EQ(weft_task_resume(w.child), 0);
      join(w.child);
      join(filler);
    };
    join(spawn(parent));
  }
}

TEST_F(hazard_third_party_ends_the_wait, a_polling_parent_goes_on_while_its_child_blocks) {
  for (int i = 0; i < scaled(500); ++i) {
    word w;
    auto parent = [&w] {
      auto child = [&w] {
        w.child_blocks = true;
        while (!w.child_ended) weft_task_suspend();
      };
      auto third = [&w] {
        EXPECT_TRUE(yield_until([&] { return w.child_blocks.load(); }));
        w.fill();
      };
      const weft_task_t filler = spawn(third);
      w.child = spawn(child);
      EXPECT_TRUE(yield_until([&] { return w.value == 1; }));
      EXPECT_FALSE(w.child_ended);
      w.child_ended = true;
      EXPECT_EQ(weft_task_resume(w.child), 0);
      join(w.child);
      join(filler);
    };
    join(spawn(parent));
  }
}

TEST_F(hazard_third_party_ends_the_wait, a_foreign_thread_can_end_it_too) {
  for (int i = 0; i < scaled(200); ++i) {
    word w;
    w.parent = weft_task_self();
    auto child = [&w] {
      w.child_blocks = true;
      while (!w.child_ended) weft_task_suspend();
    };
    w.child = spawn(child);
    std::thread third([&w] {
      while (!w.child_blocks) std::this_thread::yield();
      w.fill();
      EXPECT_EQ(weft_task_resume(w.parent), 0);
    });
    while (w.value == 0) ASSERT_EQ(weft_task_suspend(), 0);
    EXPECT_FALSE(w.child_ended);
    w.child_ended = true;
    EXPECT_EQ(weft_task_resume(w.child), 0);
    join(w.child);
    third.join();
  }
}

TEST_F(hazard_third_party_ends_the_wait, yielding_to_a_child_that_blocks_gives_the_worker_back) {
  for (int i = 0; i < scaled(500); ++i) {
    word w;
    auto child = [&w] {
      w.child_blocks = true;
      while (!w.child_ended) weft_task_suspend();
    };
    w.child = spawn(child);
    const int handed = weft_task_yield_to(w.child);
    EXPECT_TRUE(handed == 0 || handed == -EBUSY);  // busy: another worker was faster
    if (handed == 0) {
      EXPECT_TRUE(w.child_blocks);
    }
    EXPECT_FALSE(w.child_ended);
    w.child_ended = true;
    const int resumed = weft_task_resume(w.child);
    EXPECT_TRUE(resumed == 0 ||
                resumed == -ESRCH);  // it ended: it had not suspended before the flag
    join(w.child);
  }
}

}  // namespace
}  // namespace weft::test
