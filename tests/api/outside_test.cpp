// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that leave the workers for a thread of the program. WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
#include <thread>

#include <weft/weft.h>

namespace weft::test {
namespace {

struct lobby {
  std::atomic<void*> waits{nullptr};
  static void give(void* task, void* me) { static_cast<lobby*>(me)->waits = task; }
  void* next() {
    void* t;
    while ((t = waits.exchange(nullptr)) == nullptr) std::this_thread::yield();
    return t;
  }
};

class outside : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(weft_start(nullptr), 0); }
  void TearDown() override { weft_stop(); }
};

TEST_F(outside, a_task_runs_on_the_thread_that_visits_it_and_comes_back) {
  static lobby door;
  static std::thread::id visitor;
  std::thread host([] {
    visitor = std::this_thread::get_id();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(weft_task_visit(door.next()), 0);
  });
  const auto leaves = [](void*) -> void* {
    static char note;
    static char note_there;
    weft_task_set_record(&note);
    weft_mutex_t mine;
    EXPECT_EQ(weft_mutex_init(&mine, WEFT_MUTEX_RECURSIVE), 0);
    weft_semaphore_t never = WEFT_SEMAPHORE_INIT(0);
    weft_cancel_t requested = WEFT_CANCEL_INIT;
    EXPECT_EQ(weft_cancel_request(&requested), 0);
    void *low = nullptr, *high = nullptr, *low_there = nullptr, *high_there = nullptr;
    EXPECT_EQ(weft_task_stack_bounds(&low, &high), 0);
    for (int i = 0; i < 3; ++i) {
      weft_cancel_scope_t scope;
      EXPECT_EQ(weft_cancel_enter(&requested, &scope), 0);
      EXPECT_EQ(weft_mutex_lock(&mine), 0);
      EXPECT_EQ(weft_task_leave(lobby::give, &door), 0);
      EXPECT_EQ(std::this_thread::get_id(), visitor);
      EXPECT_EQ(weft_worker_index(), WEFT_ANYWHERE);
      EXPECT_EQ(weft_task_self(), nullptr);
      EXPECT_EQ(weft_task_record(), &note);
      EXPECT_EQ(weft_task_set_record(&note_there), 0);
      EXPECT_EQ(weft_task_record(), &note_there);
      EXPECT_NE(weft_task_origin(nullptr), nullptr);
      EXPECT_GT(weft_task_stack_left(), 0u);
      EXPECT_EQ(weft_task_stack_bounds(&low_there, &high_there), 0);
      EXPECT_EQ(low_there, low);
      EXPECT_EQ(high_there, high);
      EXPECT_EQ(weft_task_visit(&door), -EPERM) << "it is visited itself";
      EXPECT_EQ(weft_guest_begin(0), -EPERM);
      EXPECT_EQ(weft_stop(), -EPERM);
      EXPECT_EQ(weft_mutex_unlock(&mine), 0) << "it is the same flow";
      EXPECT_EQ(weft_mutex_lock(&mine), 0);
      EXPECT_EQ(weft_semaphore_wait(&never), -ECANCELED) << "and in the same scope";
      EXPECT_EQ(weft_task_return(), 0);
      EXPECT_EQ(weft_mutex_unlock(&mine), 0);
      EXPECT_NE(weft_worker_index(), WEFT_ANYWHERE);
      EXPECT_NE(weft_task_self(), nullptr);
      EXPECT_EQ(weft_task_record(), &note_there);
      EXPECT_EQ(weft_task_set_record(&note), 0);
      EXPECT_EQ(weft_cancel_leave(&scope), 0);
    }
    return &note;
  };
  weft_task_t t;
  ASSERT_EQ(weft_task_spawn(leaves, nullptr, &t), 0);
  void* value = nullptr;
  while (weft_task_try_join(t, &value) ==
         -EBUSY)  // a join could call it on this thread's own stack
    weft_task_yield();
  EXPECT_NE(value, nullptr);
  host.join();
}

TEST_F(outside, a_stop_waits_for_a_task_that_is_there) {
  static lobby door;
  static std::atomic<bool> ended;
  ended = false;
  static std::atomic<bool> stops;
  stops = false;
  std::thread host([] {
    void* task = door.next();
    while (!stops) std::this_thread::yield();
    EXPECT_EQ(weft_task_visit(task), 0);
  });
  const auto leaves = [](void*) -> void* {
    EXPECT_EQ(weft_task_leave(lobby::give, &door), 0);
    EXPECT_EQ(weft_task_return(), 0);
    ended = true;
    return nullptr;
  };
  ASSERT_EQ(weft_task_spawn(leaves, nullptr, nullptr), 0);
  stops = true;
  EXPECT_EQ(weft_stop(), 0);
  EXPECT_TRUE(ended);
  host.join();
  ASSERT_EQ(weft_start(nullptr), 0);
}

TEST_F(outside, a_thread_has_its_own_signal_stack_back_after_a_visit) {
  static lobby door;
  const auto leaves = [](void*) -> void* {
    EXPECT_EQ(weft_task_leave(lobby::give, &door), 0);
    stack_t there{};
    EXPECT_EQ(sigaltstack(nullptr, &there), 0);
    EXPECT_EQ(there.ss_flags & SS_DISABLE, 0) << "an overflow could not be reported";
    EXPECT_EQ(weft_task_return(), 0);
    return nullptr;
  };
  std::thread host([] {
    stack_t before{};
    EXPECT_EQ(sigaltstack(nullptr, &before), 0);
    EXPECT_EQ(weft_task_visit(door.next()), 0);
    stack_t after{};
    EXPECT_EQ(sigaltstack(nullptr, &after), 0);
    EXPECT_EQ(after.ss_sp, before.ss_sp);
    EXPECT_EQ(after.ss_size, before.ss_size);
    EXPECT_EQ(after.ss_flags, before.ss_flags);
  });
  weft_task_t t;
  ASSERT_EQ(weft_task_spawn(leaves, nullptr, &t), 0);
  while (weft_task_try_join(t, nullptr) ==
         -EBUSY)  // a join could call it on this thread's own stack
    weft_task_yield();
  host.join();
}

TEST_F(outside, who_cannot_leave_is_told) {
  static lobby door;
  EXPECT_EQ(weft_task_leave(nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_task_leave(lobby::give, &door), -EPERM) << "the thread that started Weft";
  EXPECT_EQ(weft_task_return(), -EPERM);
  EXPECT_EQ(weft_task_visit(nullptr), -EINVAL);
  EXPECT_EQ(door.waits, nullptr);
}

}  // namespace
}  // namespace weft::test
