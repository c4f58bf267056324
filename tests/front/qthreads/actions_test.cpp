// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocking actions: the task goes on on a thread of its own, and its worker runs others.
// WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <qthread/barrier.h>
#include <qthread/io.h>
#include <qthread/qt_syscalls.h>
#include <qthread/tls.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <weft/runtime.h>
#include <weft/task.h>

#include "refused_memory.hpp"
#include "support.hpp"

namespace weft::test {
namespace {

class blocking_actions : public at_shepherds {
 protected:
  void SetUp() override {
    ASSERT_EQ(pipe(ends), 0);
    begun = 0;
    at_shepherds::SetUp();
  }
  void TearDown() override {
    at_shepherds::TearDown();
    close(ends[0]);
    close(ends[1]);
  }

  // A task that polls until so many have begun and for some time on, then writes what one reads.
  template <int Begun>
  static aligned_t polls_and_writes(void*) {
    yield_until_begun(Begun);
    for (int i = 0; i < 1'000; ++i) qthread_yield();
    return write_some(1);
  }

  // What the system alone can end.
  static bool read_one() {
    char c = 0;
    return read(ends[0], &c, 1) == 1;
  }
  static bool write_some(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      if (write(ends[1], "", 1) != 1) return false;
    return true;
  }
  static void yield_until_begun(int n) {
    while (begun < n) qthread_yield();
  }
  // In an action: 1 if it is as it should be.
  static aligned_t read_in_action(void*) {
    qt_begin_blocking_action();
    ++begun;
    const bool away = qthread_shep() == NO_SHEPHERD;
    const bool was_read = read_one();
    qt_end_blocking_action();
    return away && was_read && qthread_shep() != NO_SHEPHERD;
  }
  static aligned_t write_one(void*) { return write_some(1); }
  // Of a team whose leader has a eureka while a member is in an action, which goes on after that.
  static void expect_value_after_a_eureka(qthread_f in_action) {
    static qthread_f member;
    const auto leads = [](void*) -> aligned_t {
      qthread_fork(member, nullptr, nullptr);
      yield_until_begun(1);
      qt_team_eureka();
      EXPECT_TRUE(write_some(1));
      return 9;
    };
    member = in_action;
    begun = 0;
    aligned_t ret = 0;
    ASSERT_EQ(qthread_fork_new_team(leads, nullptr, &ret), QTHREAD_SUCCESS);
    qthread_readFF(nullptr, &ret);
    EXPECT_EQ(ret, 9u);
  }
  // There is no memory for a thread, nor one that is left of earlier actions: those end soon.
  static void begin_action_at_worker() {
    for (;; usleep(1'000)) {
      refused_memory = all_memory;
      qt_begin_blocking_action();
      refused_memory = 0;
      if (weft_task_self() != nullptr) return;
      qt_end_blocking_action();
    }
  }

  // It never ends, and has begun.
  static void fork_who_polls() {
    static std::atomic<bool> polls;
    polls = false;
    const auto forever = [](void*) -> aligned_t {
      for (;; polls = true) qthread_yield();
    };
    ASSERT_EQ(qthread_fork(forever, nullptr, nullptr), QTHREAD_SUCCESS);
    while (!polls) qthread_yield();
  }

  static inline int ends[2];
  static inline std::atomic<int> begun;
};

TEST_F(blocking_actions, let_other_tasks_of_their_worker_run) {
  aligned_t reader = 0;
  ASSERT_EQ(qthread_fork_to(read_in_action, nullptr, &reader, 0), QTHREAD_SUCCESS);
  aligned_t writer = 0;
  ASSERT_EQ(qthread_fork_to(write_one, nullptr, &writer, 0), QTHREAD_SUCCESS);
  qthread_readFF(nullptr, &writer);
  qthread_readFF(nullptr, &reader);
  EXPECT_EQ(writer, 1u);
  EXPECT_EQ(reader, 1u);
}

TEST_F(blocking_actions, wait_for_a_thread_where_there_are_more_than_may_be) {
  constexpr std::size_t count = 40;  // and ten threads
  aligned_t readers[count] = {};
  for (aligned_t& r : readers) qthread_fork(read_in_action, nullptr, &r);
  yield_until_begun(1);
  aligned_t writer = 0;
  qthread_fork([](void*) -> aligned_t { return write_some(count); }, nullptr, &writer);
  qthread_readFF(nullptr, &writer);
  for (aligned_t& r : readers) {
    qthread_readFF(nullptr, &r);
    EXPECT_EQ(r, 1u);
  }
}

TEST_F(blocking_actions, may_lie_within_each_other) {
  const auto acts = [](void*) -> aligned_t {
    qt_end_blocking_action();  // of none
    const unsigned id = qthread_id();
    qt_begin_blocking_action();
    qt_begin_blocking_action();
    qt_end_blocking_action();
    const bool still = qthread_shep() == NO_SHEPHERD && qthread_id() == id;
    qt_end_blocking_action();
    qt_end_blocking_action();
    return still && qthread_shep() != NO_SHEPHERD && qthread_id() == id;
  };
  EXPECT_EQ(value_of(acts), 1u);
}

// Compilers keep the address of a thread's errno, where they see that it is asked for twice. It is
// nobody's between two tasks, which TSan takes for a race.
__attribute__((noinline, no_sanitize("thread"))) bool is_error(int e) { return errno == e; }
__attribute__((noinline, no_sanitize("thread"))) void set_error(int e) { errno = e; }

TEST_F(blocking_actions, keep_the_last_error) {
  const auto acts = [](void*) -> aligned_t {
    set_error(ERANGE);
    qt_begin_blocking_action();
    const bool kept = is_error(ERANGE);
    char c = 0;
    (void)!read(-1, &c, 1);
    qt_end_blocking_action();
    return kept && is_error(EBADF);
  };
  for (int i = 0; i < 20; ++i) EXPECT_EQ(value_of(acts), 1u);
}

TEST_F(blocking_actions, go_back_to_the_shepherd_that_the_task_was_sent_to) {
  const auto acts = [](void*) -> aligned_t {
    const qthread_shepherd_id_t home = qthread_shep();
    auto* local = static_cast<aligned_t*>(qthread_get_tasklocal(64));
    if (local == nullptr) return 0;
    *local = 5;
    for (int i = 0; i < 10; ++i) {
      qt_begin_blocking_action();
      if (qthread_get_tasklocal(64) != local) return 0;
      qt_end_blocking_action();
      if (qthread_shep() != home) return 0;
    }
    return qthread_get_tasklocal(64) == local && *local == 5;
  };
  constexpr aligned_t count = 20;
  aligned_t rets[count];
  for (aligned_t i = 0; i < count; ++i)
    qthread_fork_to(acts, nullptr, &rets[i], static_cast<qthread_shepherd_id_t>(i));
  for (aligned_t& r : rets) {
    qthread_readFF(nullptr, &r);
    EXPECT_EQ(r, 1u);
  }
}

TEST_F(blocking_actions, may_fork_and_wait) {
  const auto acts = [](void*) -> aligned_t {
    qt_begin_blocking_action();
    const aligned_t value = value_of([](void*) -> aligned_t { return 7; });
    qthread_yield();
    const bool stays = qthread_migrate_to(0) == QTHREAD_NOT_ALLOWED;
    qt_end_blocking_action();
    return stays ? value : 0;
  };
  EXPECT_EQ(value_of(acts), 7u);
}

TEST_F(blocking_actions, end_with_their_task) {
  const auto acts = [](void*) -> aligned_t {
    qt_begin_blocking_action();
    qt_begin_blocking_action();
    return 3;
  };
  EXPECT_EQ(value_of(acts), 3u);
}

TEST_F(blocking_actions, take_exceptions_with_them) {
  const auto acts = [](void*) -> aligned_t {
    aligned_t sum = 0;
    try {
      throw aligned_t{1};
    } catch (aligned_t one) {
      qt_begin_blocking_action();
      try {
        throw aligned_t{2};
      } catch (aligned_t two) {
        qt_end_blocking_action();
        sum = one + two;
      }
    }
    return sum;
  };
  for (int i = 0; i < 20; ++i) EXPECT_EQ(value_of(acts), 3u);
}

// It ends when it comes back.
TEST_F(blocking_actions, of_a_member_outlast_a_eureka) {
  expect_value_after_a_eureka([](void*) -> aligned_t {
    read_in_action(nullptr);
    ADD_FAILURE() << "a member that had its end";
    return 0;
  });
}

// It has left its function when it comes back.
TEST_F(blocking_actions, that_end_with_a_member_outlast_a_eureka) {
  for (int i = 0; i < 20; ++i)
    expect_value_after_a_eureka([](void*) -> aligned_t {
      qt_begin_blocking_action();
      ++begun;
      return read_one() ? 0 : 1;
    });
}

TEST_F(blocking_actions, that_go_on_after_a_eureka_begin_no_critical_section) {
  expect_value_after_a_eureka([](void*) -> aligned_t {
    qt_begin_blocking_action();
    ++begun;
    EXPECT_TRUE(read_one());
    qt_team_critical_section(BEGIN);
    ADD_FAILURE() << "a section that no eureka waits for";
    return 0;
  });
}

TEST_F(blocking_actions, occupy_no_worker) {
  aligned_t reader = 0, waiter = 0;
  static aligned_t go;
  qthread_empty(&go);
  const auto waits = [](void*) -> aligned_t {
    qt_begin_blocking_action();
    ++begun;
    qthread_readFF(nullptr, &go);
    ++begun;
    const bool was_read = read_one();
    qt_end_blocking_action();
    return was_read;
  };
  qthread_fork(read_in_action, nullptr, &reader);
  qthread_fork(waits, nullptr, &waiter);
  yield_until_begun(2);
  EXPECT_EQ(qthread_readstate(NODE_BUSYNESS), 1u);
  EXPECT_EQ(qthread_readstate(WORKER_OCCUPATION), 1u);
  qthread_fill(&go);
  yield_until_begun(3);
  EXPECT_EQ(qthread_readstate(NODE_BUSYNESS), 1u);
  EXPECT_TRUE(write_some(2));
  for (aligned_t* ret : {&reader, &waiter}) {
    qthread_readFF(nullptr, ret);
    EXPECT_EQ(*ret, 1u);
  }
  EXPECT_EQ(qthread_readstate(NODE_BUSYNESS), 1u);
}

TEST_F(blocking_actions, keep_the_values_of_the_tasks_keys) {
  static qthread_key_t key;
  ASSERT_EQ(qthread_key_create(&key, nullptr), 0);
  const auto acts = [](void* arg) -> aligned_t {
    const bool fresh = qthread_getspecific(key) == nullptr;
    qthread_setspecific(key, arg);
    qt_begin_blocking_action();
    const bool kept = qthread_getspecific(key) == arg;
    qthread_setspecific(key, as_argument(as_number(arg) + 1));
    qt_end_blocking_action();
    return fresh && kept && as_number(qthread_getspecific(key)) == as_number(arg) + 1;
  };
  for (aligned_t i = 1; i <= 5; ++i) EXPECT_EQ(value_of(acts, as_argument(16 * i)), 1u);
  EXPECT_EQ(qthread_key_delete(key), 0);
}

TEST_F(blocking_actions, are_on_the_stack_of_their_task) {
  const auto acts = [](void*) -> aligned_t {
    void* const top = qthread_tos();
    void* const bottom = qthread_bos();
    const size_t left = qthread_stackleft();
    qt_begin_blocking_action();
    const size_t left_inside = qthread_stackleft();
    const bool same = qthread_tos() == top && qthread_bos() == bottom;
    qt_end_blocking_action();
    return same && top != nullptr && left_inside > 0 && left_inside < left + 4096 &&
           left < left_inside + 4096 && qthread_tos() == top;
  };
  aligned_t ret = 0;
  qthread_fork_to(acts, nullptr, &ret, 0);  // so that it is not called
  EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 1u);
}

// There is no memory for another thread, so it waits for the one there is.
TEST_F(blocking_actions, share_a_thread_where_there_is_no_memory_for_more) {
  if (tsan) GTEST_SKIP() << "its memory does not run out";
  static std::atomic<bool> tries;
  tries = false;
  const auto second_acts = [](void*) -> aligned_t {
    tries = true;
    refused_memory = all_memory;
    qt_begin_blocking_action();
    refused_memory = 0;
    const bool away = qthread_shep() == NO_SHEPHERD;
    qt_end_blocking_action();
    return away;
  };
  aligned_t first = 0, second = 0;
  qthread_fork(read_in_action, nullptr, &first);
  yield_until_begun(1);
  qthread_fork_to(second_acts, nullptr, &second, 0);
  while (!tries) qthread_yield();
  EXPECT_TRUE(write_some(1));
  EXPECT_EQ((qthread_readFF(nullptr, &first), first), 1u);
  EXPECT_EQ((qthread_readFF(nullptr, &second), second), 1u);
}

// And where there is none, it holds its worker.
TEST_F(blocking_actions, hold_their_worker_where_there_is_no_memory_for_a_thread) {
  if (tsan) GTEST_SKIP() << "its memory does not run out";
  const auto acts = [](void*) -> aligned_t {
    refused_memory = all_memory;
    qt_begin_blocking_action();
    refused_memory = 0;
    const bool in_action = qthread_shep() == NO_SHEPHERD;
    qt_end_blocking_action();
    return in_action && qthread_shep() != NO_SHEPHERD;
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(value_of(acts), 1u);
}

// Its own worker cannot run the task that it waits for, which is at another.
TEST_F(blocking_actions, that_hold_their_worker_are_waited_for_at_the_end_alike) {
  if (tsan) GTEST_SKIP() << "its memory does not run out";
  if (qthread_num_shepherds() == 1) GTEST_SKIP() << "there is no other worker";
  static std::atomic<bool> over;
  over = false;
  const auto acts = [](void*) -> aligned_t {
    begin_action_at_worker();
    ++begun;
    over = read_one();
    qt_end_blocking_action();
    return 0;
  };
  qthread_fork_to(acts, nullptr, nullptr, 1);
  qthread_fork_to(polls_and_writes<1>, nullptr, nullptr, 0);
  yield_until_begun(1);
  qthread_finalize();
  EXPECT_TRUE(over);
}

// As any that waits; and tasks that poll do not go on for its sake, nor do those after the next
// start.
TEST_F(blocking_actions, that_hold_their_worker_are_left_behind_where_they_wait_for_nothing) {
  if (tsan) GTEST_SKIP() << "its memory does not run out";
  static aligned_t never;
  static syncvar_t never_either;
  const auto waits = [](void*) -> aligned_t {
    begin_action_at_worker();
    ++begun;
    return qthread_readFF(nullptr, &never);
  };
  const auto waits_otherwise = [](void*) -> aligned_t {
    begin_action_at_worker();
    ++begun;
    uint64_t value = 0;
    return qthread_syncvar_readFF(&value, &never_either);
  };
  for (const qthread_f f : {qthread_f(waits), qthread_f(waits_otherwise)}) {
    for (const bool somebody_polls : {false, true}) {
      ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
      begun = 0;
      qthread_empty(&never);
      qthread_syncvar_empty(&never_either);
      qthread_fork(f, nullptr, nullptr);
      yield_until_begun(1);
      if (somebody_polls) fork_who_polls();
      qthread_finalize();
      ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
      fork_who_polls();
      qthread_finalize();
      EXPECT_EQ(weft_worker_count(), 0u);
      qthread_fill(&never);
      qthread_syncvar_fill(&never_either);
    }
  }
}

// What it waits for comes, and then it waits for what the system alone can end, and who polls ends
// that.
TEST_F(blocking_actions, that_hold_their_worker_and_have_waited_are_waited_for_again) {
  if (tsan) GTEST_SKIP() << "its memory does not run out";
  if (qthread_num_shepherds() == 1) GTEST_SKIP() << "there is no other worker";
  static std::atomic<bool> over;
  static aligned_t first;
  over = false;
  qthread_empty(&first);
  const auto acts = [](void*) -> aligned_t {
    begin_action_at_worker();
    ++begun;
    qthread_readFF(nullptr, &first);
    ++begun;
    over = read_one();
    qt_end_blocking_action();
    return 0;
  };
  qthread_fork_to(acts, nullptr, nullptr, 1);
  qthread_fork_to(polls_and_writes<2>, nullptr, nullptr, 0);
  yield_until_begun(1);
  qthread_fill(&first);
  yield_until_begun(2);
  qthread_finalize();
  EXPECT_TRUE(over);
}

TEST_F(blocking_actions, do_not_wait_in_queues_of_tasks) {
  static qthread_queue_t q;
  q = qthread_queue_create(0, 0);
  const auto acts = [](void*) -> aligned_t {
    qt_begin_blocking_action();
    const bool refused = qthread_queue_join(q) == QTHREAD_NOT_ALLOWED;
    qt_end_blocking_action();
    return refused && qthread_queue_length(q) == 0;
  };
  EXPECT_EQ(value_of(acts), 1u);
  EXPECT_EQ(qthread_queue_release_all(q), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_queue_destroy(q), QTHREAD_SUCCESS);
}

TEST_F(blocking_actions, are_waited_for_at_the_end_and_leave_the_next_start_alone) {
  for (const qthread_shepherd_id_t shepherds : {3, 1, 2}) {
    begun = 0;
    static std::atomic<bool> over;
    over = false;
    const auto acts = [](void*) -> aligned_t {
      over = read_in_action(nullptr) == 1;
      return 0;
    };
    qthread_fork(acts, nullptr, nullptr);
    yield_until_begun(1);
    std::thread writer([] { EXPECT_TRUE(write_some(1)); });
    qthread_finalize();
    writer.join();
    EXPECT_TRUE(over);
    const char* const wanted = std::getenv("QT_NUM_SHEPHERDS");
    const std::optional<std::string> before =
        wanted != nullptr ? std::optional<std::string>(wanted) : std::nullopt;
    ASSERT_EQ(qthread_init(shepherds), QTHREAD_SUCCESS);
    if (before) {
      setenv("QT_NUM_SHEPHERDS", before->c_str(), 1);
    } else {
      unsetenv("QT_NUM_SHEPHERDS");
      unsetenv("QT_NUM_WORKERS_PER_SHEPHERD");
    }
  }
}

// What they wait for comes from a task that is kept from running by the end alone.
TEST_F(blocking_actions, are_waited_for_at_the_end_where_they_wait_for_a_task_that_polls) {
  static std::atomic<bool> over, polls;
  for (const bool both_have_begun : {true, false}) {
    begun = 0;
    over = polls = false;
    const auto acts = [](void*) -> aligned_t {
      over = read_in_action(nullptr) == 1;
      return 0;
    };
    const auto writes = [](void*) -> aligned_t {
      polls = true;
      return polls_and_writes<1>(nullptr);
    };
    ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
    qthread_fork(acts, nullptr, nullptr);
    qthread_fork(writes, nullptr, nullptr);
    while (both_have_begun && (begun != 1 || !polls)) qthread_yield();
    qthread_finalize();
    EXPECT_TRUE(over);
  }
}

TEST_F(blocking_actions, and_calls_are_so_waited_for_alike) {
  static std::atomic<bool> calls;
  static std::atomic<int> status;
  static std::string command;
  calls = false;
  status = -1;
  command = "head -c 1 /dev/fd/" + std::to_string(ends[0]) + " >/dev/null";
  const auto reads = [](void*) -> aligned_t {
    calls = true;
    status = qt_system(command.c_str());
    return 0;
  };
  const auto writes = [](void*) -> aligned_t {
    while (!calls) qthread_yield();
    for (int i = 0; i < 1'000; ++i) qthread_yield();
    return write_some(1);
  };
  qthread_fork(reads, nullptr, nullptr);
  qthread_fork(writes, nullptr, nullptr);
  while (!calls) qthread_yield();
  qthread_finalize();
  EXPECT_EQ(status, 0);
}

// They begin when the end has: behind each lies, at its worker, the task that it waits for.
TEST_F(blocking_actions, and_calls_that_begin_at_the_end_hold_no_worker) {
  static std::atomic<int> well;
  static std::string command;
  constexpr int count = 2;
  well = 0;
  command = "head -c 1 /dev/fd/" + std::to_string(ends[0]) + " >/dev/null";
  const auto reads = [](void*) -> aligned_t {
    if (qt_system(command.c_str()) == 0 && qthread_shep() == 0) ++well;
    return 0;
  };
  for (const qthread_f f : {qthread_f{reads}, qthread_f{write_one}})
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(qthread_fork_to(f, nullptr, nullptr, 0), QTHREAD_SUCCESS);
  qthread_finalize();  // main is at shepherd 0, so none of them has begun
  EXPECT_EQ(well, count);
}

// There is always one in progress, of a task that would be left behind else, or of its child.
TEST_F(blocking_actions, of_tasks_that_poll_themselves_keep_none_of_them_going_at_the_end) {
  static std::atomic<int> acted, forked;
  acted = forked = 0;
  static const qthread_f acts = [](void*) -> aligned_t {
    qt_begin_blocking_action();
    usleep(200);
    qt_end_blocking_action();
    return aligned_t(++acted);
  };
  const auto polls = [](void*) -> aligned_t {
    for (;;) {
      acts(nullptr);
      qthread_yield();
    }
  };
  const auto forks = [](void*) -> aligned_t {
    static std::atomic<int> ended;
    for (ended = 0;;) {
      const auto counts = [](void*) -> aligned_t { return acts(nullptr) + aligned_t(++ended); };
      if (forked < ended + 8 && qthread_fork(counts, nullptr, nullptr) == QTHREAD_SUCCESS) ++forked;
      qthread_yield();
    }
  };
  for (int i = 0; i < 3; ++i) qthread_fork(polls, nullptr, nullptr);
  qthread_fork(forks, nullptr, nullptr);
  while (acted < 30 || forked < 10) qthread_yield();
  qthread_finalize();
  EXPECT_EQ(weft_worker_count(), 0u);
}

// More of them than there are threads for: what a child believed to have would be waited for.
TEST_F(blocking_actions, of_a_child_of_fork_have_threads_of_its_own) {
  if (tsan || emulated)
    GTEST_SKIP() << "such a child of the sanitizer or the emulator starts no threads";
  constexpr std::size_t count = 10;
  const auto all_read = [] {
    begun = 0;
    aligned_t readers[count] = {};
    for (aligned_t& r : readers) qthread_fork(read_in_action, nullptr, &r);
    yield_until_begun(count);
    bool ok = write_some(count);
    for (aligned_t& r : readers) {
      qthread_readFF(nullptr, &r);
      ok = ok && r == 1;
    }
    return ok;
  };
  EXPECT_TRUE(all_read());
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    if (qthread_initialize() != QTHREAD_SUCCESS) _exit(2);
    _exit(all_read() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// Its worker waits with it, for it cannot leave its thread.
TEST_F(blocking_actions, of_main_hold_its_worker) {
  aligned_t writer = 0;
  qt_begin_blocking_action();
  EXPECT_EQ(qthread_shep(), NO_SHEPHERD);
  qthread_fork(write_one, nullptr, &writer);
  qthread_readFF(nullptr, &writer);
  EXPECT_TRUE(read_one());
  qt_end_blocking_action();
  EXPECT_EQ(qthread_shep(), 0u);
}

TEST_F(blocking_actions, of_main_may_have_the_end_within) {
  fork_who_polls();
  qt_begin_blocking_action();
  qthread_finalize();
  qt_end_blocking_action();
  EXPECT_EQ(weft_worker_count(), 0u);
}

TEST(blocking_actions_outside, are_nothing) {
  qt_begin_blocking_action();
  qt_end_blocking_action();
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  outside([] {
    qt_begin_blocking_action();
    EXPECT_EQ(qthread_shep(), NO_SHEPHERD);
    qt_end_blocking_action();
  });
  qthread_finalize();
}

}  // namespace
}  // namespace weft::test
