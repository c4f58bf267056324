// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forks, their return values and preconditions, identity, teams. WEFT_TEST_AT_WORKERS
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <malloc.h>
#include <qthread/qarray.h>
#include <qthread/qloop.h>
#include <qthread/qt_syscalls.h>
#include <qthread/qutil.h>
#include <qthread/sinc.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

class fork : public at_shepherds {};

aligned_t one_more(void* arg) { return as_number(arg) + 1; }

aligned_t fib(void* arg) {
  const aligned_t n = as_number(arg);
  if (n < 2) return n;
  aligned_t first = 0;
  EXPECT_EQ(qthread_fork(fib, as_argument(n - 1), &first), QTHREAD_SUCCESS);
  const aligned_t second = fib(as_argument(n - 2));
  EXPECT_EQ(qthread_readFF(nullptr, &first), QTHREAD_SUCCESS);
  return first + second;
}

TEST_F(fork, a_return_value_fills_its_word) { EXPECT_EQ(value_of(one_more, as_argument(41)), 42u); }

TEST_F(fork, trees_of_forks_join_by_reading) { EXPECT_EQ(value_of(fib, as_argument(12)), 144u); }

// The child is called by who reads its value, and parted from it as it waits: both words may lie in
// one bucket.
TEST_F(fork, a_child_waits_at_a_word_wherever_it_lies_while_its_value_is_read) {
  struct alignas(64) word {
    aligned_t value = 0;
  };
  const auto fills = [](void* at) -> aligned_t {
    return aligned_t(qthread_writeF_const(static_cast<aligned_t*>(at), 3));
  };
  const auto reads = [](void* at) -> aligned_t {
    aligned_t got = 0;
    qthread_readFF(&got, static_cast<aligned_t*>(at));
    return got;
  };
  std::vector<word> words(16'384);
  for (word& w : words) {
    qthread_empty(&w.value);
    ASSERT_EQ(qthread_fork(fills, &w.value, nullptr), QTHREAD_SUCCESS);
    ASSERT_EQ(value_of(reads, &w.value), 3u);
  }
}

TEST_F(fork, the_word_is_empty_from_the_fork_to_the_return) {
  static std::atomic<bool> go;
  go = false;
  aligned_t ret = 7;
  const auto waits = [](void*) -> aligned_t {
    while (!go) qthread_yield();
    return 5;
  };
  ASSERT_EQ(qthread_fork(waits, nullptr, &ret), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_feb_status(&ret), 0);
  EXPECT_EQ(qthread_readFF_nb(nullptr, &ret), QTHREAD_OPFAIL);
  go = true;
  aligned_t got = 0;
  EXPECT_EQ(qthread_readFF(&got, &ret), QTHREAD_SUCCESS);
  EXPECT_EQ(got, 5u);
}

TEST_F(fork, a_third_task_may_fill_the_return_word_first) {
  static aligned_t ret, started;
  started = 0;
  ret = 0;
  qthread_empty(&started);
  const auto child = [](void*) -> aligned_t {
    qthread_readFF(nullptr, &started);
    return 2;
  };
  const auto third = [](void*) -> aligned_t { return qthread_writeF_const(&ret, 1) == 0; };
  ASSERT_EQ(qthread_fork(child, nullptr, &ret), QTHREAD_SUCCESS);
  ASSERT_EQ(qthread_fork(third, nullptr, nullptr), QTHREAD_SUCCESS);
  aligned_t got = 0;
  EXPECT_EQ(qthread_readFE(&got, &ret), QTHREAD_SUCCESS);
  EXPECT_EQ(got, 1u);
  qthread_fill(&started);
  EXPECT_EQ(qthread_readFF(&got, &ret), QTHREAD_SUCCESS);
  EXPECT_EQ(got, 2u);
}

// Sums a tree in which each node forks three and reads them in another order each time; some wait
// in between.
aligned_t tree(void* arg) {
  const aligned_t depth = as_number(arg);
  if (depth == 0) {
    static std::atomic<unsigned> leaves{0};
    const unsigned id = qthread_id();
    if (leaves++ % 7 == 0) qthread_yield();
    EXPECT_EQ(qthread_id(), id);
    return 1;
  }
  static std::atomic<unsigned> nodes{0};
  const unsigned turn = nodes++;
  aligned_t part[3] = {};
  for (aligned_t& p : part) {
    EXPECT_EQ(qthread_fork(tree, as_argument(depth - 1), &p), QTHREAD_SUCCESS);
  }
  aligned_t sum = 0;
  for (unsigned i = 0; i < 3; ++i) {
    aligned_t got = 0;
    const unsigned at = turn % 2 == 0 ? (i + turn) % 3 : (2 - i + turn) % 3;
    EXPECT_EQ(qthread_readFF(&got, &part[at]), QTHREAD_SUCCESS);
    EXPECT_EQ(got, part[at]);
    sum += got;
  }
  EXPECT_NE(qthread_retloc(), nullptr);
  return sum;
}

TEST_F(fork, children_are_read_in_any_order_while_some_of_them_wait) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(value_of(tree, as_argument(7)), 2187u);
  EXPECT_EQ(qthread_readstate(NODE_BUSYNESS), 1u) << "only who asks is left";
}

TEST_F(fork, a_shepherd_that_is_named_is_where_the_task_runs) {
  const auto where = [](void*) -> aligned_t {
    const qthread_shepherd_id_t before = qthread_shep();
    qthread_yield();
    return before == qthread_shep() ? before : NO_SHEPHERD;
  };
  for (qthread_shepherd_id_t s = 0; s < qthread_num_shepherds(); ++s) {
    aligned_t ret = 0;
    ASSERT_EQ(qthread_fork_to(where, nullptr, &ret, s), QTHREAD_SUCCESS);
    qthread_readFF(nullptr, &ret);
    EXPECT_EQ(ret, s);
  }
}

TEST_F(fork, copied_arguments_are_the_tasks_own) {
  struct pair {
    aligned_t a, b;
  } args{20, 22};
  const auto sum = [](void* arg) -> aligned_t {
    auto* mine = static_cast<pair*>(arg);
    return mine->a++ + mine->b++;
  };
  aligned_t ret = 0, large_ret = 0;
  ASSERT_EQ(qthread_fork_copyargs(sum, &args, sizeof args, &ret), QTHREAD_SUCCESS);
  std::vector<char> large(100'000, 'x');
  const auto last = [](void* arg) -> aligned_t { return static_cast<char*>(arg)[99'999]; };
  ASSERT_EQ(qthread_fork_copyargs(last, large.data(), large.size(), &large_ret), QTHREAD_SUCCESS);
  args = {0, 0};
  large.assign(large.size(), 'y');
  qthread_readFF(nullptr, &ret);
  qthread_readFF(nullptr, &large_ret);
  EXPECT_EQ(ret, 42u);
  EXPECT_EQ(large_ret, aligned_t{'x'});
}

TEST_F(fork, a_syncvar_receives_60_bits) {
  syncvar_t ret = SYNCVAR_INITIALIZER;
  const auto all_ones = [](void*) -> aligned_t { return ~aligned_t{0}; };
  ASSERT_EQ(qthread_fork_syncvar(all_ones, nullptr, &ret), QTHREAD_SUCCESS);
  uint64_t got = 0;
  EXPECT_EQ(qthread_syncvar_readFF(&got, &ret), QTHREAD_SUCCESS);
  EXPECT_EQ(got, INT64TOINT60(~uint64_t{0}));
}

TEST_F(fork, sincs_receive_values_or_count) {
  aligned_t zero = 0, sum = 0;
  const auto add = [](void* into, const void* value) {
    *static_cast<aligned_t*>(into) += *static_cast<const aligned_t*>(value);
  };
  qt_sinc_t* values = qt_sinc_create(sizeof zero, &zero, add, 10);
  qt_sinc_t* count = qt_sinc_create(0, nullptr, nullptr, 10);
  for (aligned_t i = 0; i < 10; ++i) {
    ASSERT_EQ(qthread_spawn(one_more, as_argument(i), 0, values, 0, nullptr, NO_SHEPHERD,
                            QTHREAD_SPAWN_RET_SINC),
              QTHREAD_SUCCESS);
    ASSERT_EQ(qthread_spawn(one_more, nullptr, 0, count, 0, nullptr, NO_SHEPHERD,
                            QTHREAD_SPAWN_RET_SINC_VOID),
              QTHREAD_SUCCESS);
  }
  qt_sinc_wait(values, &sum);
  qt_sinc_wait(count, nullptr);
  EXPECT_EQ(sum, 55u);
  qt_sinc_reset(values, 1);
  qt_sinc_expect(values, 1);
  for (aligned_t n : {3, 4}) qt_sinc_submit(values, &n);
  qt_sinc_wait(values, &sum);
  EXPECT_EQ(sum, 7u);
  qt_sinc_destroy(values);
  qt_sinc_destroy(count);
}

TEST_F(fork, values_of_workers_own_are_reduced_with_what_is_submitted) {
  static qt_sinc_t* sinc;
  aligned_t zero = 0, sum = 0;
  const auto add = [](void* into, const void* value) {
    *static_cast<aligned_t*>(into) += *static_cast<const aligned_t*>(value);
  };
  sinc = qt_sinc_create(sizeof zero, &zero, add, 20);
  const auto adds = [](void* arg) -> aligned_t {
    // Atomic for thread sanitizers alone, which take the tasks of one worker for threads.
    __atomic_fetch_add(static_cast<aligned_t*>(qt_sinc_tmpdata(sinc)), as_number(arg),
                       __ATOMIC_RELAXED);
    qt_sinc_submit(sinc, nullptr);
    const aligned_t thousand = 1000;
    qt_sinc_submit(sinc, &thousand);
    return 0;
  };
  for (const aligned_t more : {0, 5}) {
    for (aligned_t i = 1; i <= 10; ++i) qthread_fork(adds, as_argument(i + more), nullptr);
    qt_sinc_wait(sinc, &sum);
    EXPECT_EQ(sum, 10'055u + 10 * more);
    qt_sinc_reset(sinc, 20);
  }
  outside([] { EXPECT_EQ(qt_sinc_tmpdata(sinc), nullptr); });
  qt_sinc_destroy(sinc);
  qt_sinc_t counts;
  qt_sinc_init(&counts, 0, nullptr, nullptr, 0);
  EXPECT_EQ(qt_sinc_tmpdata(&counts), nullptr);
}

TEST_F(fork, a_sinc_that_counts_needs_no_end_and_waits_again_after_a_reset) {
  static qt_sinc_t sinc;
  static std::atomic<int> submitted;
  submitted = 0;
  qt_sinc_init(&sinc, 0, nullptr, nullptr, 0);
  qt_sinc_wait(&sinc, nullptr);
  const auto submits = [](void*) -> aligned_t {
    qthread_yield();
    submitted.fetch_add(1);
    qt_sinc_submit(&sinc, nullptr);
    return 0;
  };
  for (int round = 1; round <= 3; ++round) {
    if (round == 1) qt_sinc_expect(&sinc, 6);
    if (round > 1) qt_sinc_reset(&sinc, 6);
    for (int i = 0; i < 6; ++i) qthread_fork(submits, nullptr, nullptr);
    qt_sinc_wait(&sinc, nullptr);
    EXPECT_EQ(submitted, 6 * round);
  }
  qt_sinc_reset(&sinc, 0);
  qt_sinc_wait(&sinc, nullptr);
}

// By others, which it may overtake: who waits goes on when as many were submitted as it expected.
TEST_F(fork, a_sinc_that_expects_one_more_lets_nobody_go_on_before) {
  static qt_sinc_t sinc;
  static std::atomic<int> due, begun;
  static std::atomic<bool> over;
  due = begun = 0;
  over = false;
  qt_sinc_init(&sinc, 0, nullptr, nullptr, 0);
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i)
    others.emplace_back([] {
      while (!over) {
        int n = due;
        if (n == 0) std::this_thread::yield();
        if (n == 0 || !due.compare_exchange_strong(n, n - 1)) continue;
        ++begun;
        qt_sinc_submit(&sinc, nullptr);
      }
    });
  int early = 0;
  const int rounds = tsan || asan || emulated ? 500 : 20'000;
  for (int round = 1; round <= rounds; ++round) {
    qt_sinc_expect(&sinc, 1);
    if (round % 4 == 0) {
      ++due;
      qt_sinc_wait(&sinc, nullptr);
      early += begun < round;
    } else {
      ++due;
    }
  }
  qt_sinc_wait(&sinc, nullptr);
  EXPECT_EQ(begun, rounds);
  EXPECT_EQ(early, 0);
  over = true;
  for (std::thread& t : others) t.join();
}

TEST_F(fork, preconditions_hold_a_task_back_until_all_are_full) {
  static std::atomic<int> started;
  started = 0;
  const auto count = [](void*) -> aligned_t { return aligned_t(started.fetch_add(1)); };
  aligned_t words[2] = {0, 0};
  aligned_t rets[4];
  for (aligned_t& w : words) qthread_empty(&w);
  aligned_t* list[2] = {&words[0], &words[1]};
  auto** counted = static_cast<void**>(std::malloc(3 * sizeof(void*)));
  counted[0] = as_argument(2);
  counted[1] = &words[0];
  counted[2] = &words[1];
  ASSERT_EQ(qthread_fork_precond(count, nullptr, &rets[0], 2, &words[0], &words[1]), 0);
  ASSERT_EQ(qthread_fork_precond(count, nullptr, &rets[1], -2, list), 0);
  ASSERT_EQ(qthread_fork_precond_to(count, nullptr, &rets[2], 0, 1, &words[1]), 0);
  ASSERT_EQ(qthread_spawn(count, nullptr, 0, &rets[3], 2, counted, NO_SHEPHERD, 0), 0);
  qthread_fill(&words[0]);
  for (int i = 0; i < 10; ++i) qthread_yield();
  EXPECT_EQ(started, 0);
  qthread_writeEF_const(&words[1], 1);
  for (aligned_t& r : rets) EXPECT_EQ(qthread_readFF(nullptr, &r), QTHREAD_SUCCESS);
  EXPECT_EQ(started, 4);
}

TEST_F(fork, who_waits_for_words_to_begin_is_not_busy) {
  aligned_t words[2] = {};
  for (aligned_t& w : words) qthread_empty(&w);
  const auto nothing = [](void*) -> aligned_t { return 0; };
  const qthread_f does_nothing = nothing;
  aligned_t rets[3];
  for (aligned_t& r : rets)
    ASSERT_EQ(qthread_fork_precond(does_nothing, nullptr, &r, 2, &words[0], &words[1]), 0);
  for (aligned_t& w : words) {
    EXPECT_EQ(qthread_readstate(NODE_BUSYNESS), 1u);
    EXPECT_EQ(qthread_readstate(WORKER_OCCUPATION), 1u);
    EXPECT_EQ(qthread_readstate(BUSYNESS), 1u);
    qthread_fill(&w);
  }
  for (aligned_t& r : rets) qthread_readFF(nullptr, &r);
  EXPECT_EQ(qthread_readstate(NODE_BUSYNESS), 1u);
}

TEST_F(fork, a_precondition_that_was_full_once_is_not_looked_at_again) {
  aligned_t words[2] = {0, 0}, ret = 0;
  qthread_empty(&words[1]);
  const auto nothing = [](void*) -> aligned_t { return 7; };
  ASSERT_EQ(qthread_fork_precond(nothing, nullptr, &ret, 2, &words[0], &words[1]), 0);
  qthread_empty(&words[0]);
  qthread_fill(&words[1]);
  EXPECT_EQ(qthread_readFF(&ret, &ret), QTHREAD_SUCCESS);
  EXPECT_EQ(ret, 7u);
  qthread_fill(&words[0]);
}

TEST_F(fork, ids_are_given_in_the_order_of_asking) {
  EXPECT_EQ(qthread_id(), 1u);
  const auto id = [](void*) -> aligned_t { return qthread_id(); };
  EXPECT_EQ(value_of(id), 2u);
  EXPECT_EQ(value_of(id), 3u);
  EXPECT_EQ(qthread_id(), 1u);
  outside([] { EXPECT_EQ(qthread_id(), unsigned{QTHREAD_NON_TASK_ID}); });
}

TEST_F(fork, a_task_knows_where_its_value_goes) {
  aligned_t ret = 0;
  const auto where = [](void*) -> aligned_t {
    return reinterpret_cast<aligned_t>(qthread_retloc());
  };
  qthread_fork(where, nullptr, &ret);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, reinterpret_cast<aligned_t>(&ret));
  EXPECT_EQ(qthread_retloc(), nullptr);
}

TEST_F(fork, task_local_memory_keeps_its_content_when_it_grows) {
  const auto grows = [](void*) -> aligned_t {
    auto* small = static_cast<aligned_t*>(qthread_get_tasklocal(8));
    if (small == nullptr || *small != 0) return 1;
    *small = 77;
    qthread_yield();
    if (qthread_get_tasklocal(4) != small) return 2;
    auto* large = static_cast<aligned_t*>(qthread_get_tasklocal(4096));
    if (large[0] != 77 || large[511] != 0) return 3;
    return qthread_size_tasklocal() == 4096 ? 0 : 4;
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(value_of(grows), 0u);
  EXPECT_EQ(qthread_size_tasklocal(), 8u);
}

TEST_F(fork, the_stack_is_what_lies_between_its_ends) {
  const auto inside = [](void*) -> aligned_t {
    char* const at = static_cast<char*>(__builtin_frame_address(0));
    const size_t left = qthread_stackleft();
    // The top is where it would overflow.
    auto* const top = static_cast<char*>(qthread_tos());
    auto* const bottom = static_cast<char*>(qthread_bos());
    return left > 0 && at > top && at < bottom && at - top < std::ptrdiff_t(left) + 4096 &&
           bottom - top >= std::ptrdiff_t(qthread_readstate(STACK_SIZE));
  };
  aligned_t ret = 0;
  // On a stack of its own: forked to a shepherd, so that it is not called.
  qthread_fork_to(inside, nullptr, &ret, 0);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 1u);
  EXPECT_EQ(qthread_stackleft(), 0u);
  EXPECT_EQ(qthread_tos(), nullptr);
  EXPECT_EQ(qthread_bos(), nullptr);
  outside([] {
    EXPECT_EQ(qthread_stackleft(), 0u);
    EXPECT_EQ(qthread_tos(), nullptr);
    EXPECT_EQ(qthread_bos(), nullptr);
  });
}

// Whether each of so many calls within each other has less left than who called it.
__attribute__((noinline)) bool has_less_than(size_t above, int depth) {
  char frame[200];
  asm volatile("" : : "r"(frame) : "memory");  // all of it is there
  const size_t left = qthread_stackleft();
  const bool less = left + sizeof frame <= above;
  const bool below = depth == 0 || has_less_than(left, depth - 1);
  asm volatile("" : : "r"(frame) : "memory");  // and still is after the call
  return less && below;
}

TEST_F(fork, less_is_left_of_the_stack_the_deeper_a_call_is) {
  const auto calls = [](void*) -> aligned_t { return has_less_than(SIZE_MAX - 200, 10); };
  EXPECT_EQ(value_of(calls), 1u);
}

TEST_F(fork, half_a_million_forks_come_before_the_first_yield) {
  static std::atomic<int> ran;
  ran = 0;
  const int n = emulated || tsan || asan ? 5'000 : 524'288;
  const auto count = [](void*) -> aligned_t {
    ran.fetch_add(1, std::memory_order_relaxed);
    return 0;
  };
  for (int i = 0; i < n; ++i) ASSERT_EQ(qthread_fork(count, nullptr, nullptr), QTHREAD_SUCCESS);
  while (ran.load(std::memory_order_relaxed) != n) qthread_yield();
  EXPECT_EQ(qthread_readstate(NODE_BUSYNESS) >= 1, true);
}

TEST_F(fork, finalize_runs_what_can_run_and_leaves_what_waits) {
  static std::atomic<int> ran;
  static aligned_t never;
  ran = 0;
  qthread_empty(&never);
  const auto count = [](void*) -> aligned_t { return aligned_t(ran.fetch_add(1)); };
  const auto waits = [](void*) -> aligned_t { return aligned_t(qthread_readFF(nullptr, &never)); };
  for (int i = 0; i < 100; ++i) qthread_fork(count, nullptr, nullptr);
  qthread_fork(waits, nullptr, nullptr);
  qthread_finalize();
  EXPECT_EQ(ran, 100);
  qthread_fill(&never);
}

TEST_F(fork, finalize_leaves_who_polls_by_yielding) {
  static std::atomic<bool> polls;
  polls = false;
  const auto poll = [](void*) -> aligned_t {
    for (;;) {
      polls = true;
      qthread_yield();
    }
  };
  for (int i = 0; i < 3; ++i) qthread_fork(poll, nullptr, nullptr);
  while (!polls) qthread_yield();
  qthread_finalize();
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  EXPECT_EQ(value_of(one_more, as_argument(1)), 2u);
}

TEST_F(fork, finalize_waits_for_teams) {
  static aligned_t from_task, from_thread;
  static std::atomic<aligned_t> got;
  got = 0;
  qthread_empty(&from_task);
  qthread_empty(&from_thread);
  static const qthread_f reads = [](void* word) -> aligned_t {
    aligned_t value = 0;
    qthread_readFF(&value, static_cast<aligned_t*>(word));
    got += value;
    return 0;
  };
  const auto leads = [](void* word) -> aligned_t {
    qthread_fork_new_subteam(reads, word, nullptr);
    return 0;
  };
  const auto writes = [](void*) -> aligned_t {
    for (int i = 0; i < 1'000; ++i) qthread_yield();
    return aligned_t(qthread_writeEF_const(&from_task, 1));
  };
  qthread_fork(writes, nullptr, nullptr);
  qthread_fork_new_team(reads, &from_task, nullptr);
  qthread_fork_new_team(leads, &from_thread, nullptr);
  std::thread outside([] {
    for (int i = 0; i < 1'000; ++i) std::this_thread::yield();
    qthread_writeEF_const(&from_thread, 2);
  });
  qthread_finalize();
  EXPECT_EQ(got, 3u);
  outside.join();
}

// Who waits when a eureka ends it may do so for ever, in a subteam as well; what outlives the
// eureka is waited for.
TEST_F(fork, finalize_waits_for_nobody_whom_a_eureka_ended) {
  static aligned_t never;
  static std::atomic<int> waiting, ended;
  waiting = ended = 0;
  qthread_empty(&never);
  static const qthread_f waits = [](void*) -> aligned_t {
    ++waiting;
    qthread_readFF(nullptr, &never);
    return 0;
  };
  static const qthread_f lingers = [](void*) -> aligned_t {
    for (int i = 0; i < 100; ++i) qthread_yield();
    return aligned_t(++ended);
  };
  static const qthread_f finds = [](void*) -> aligned_t {
    const int before = waiting;
    qthread_fork(waits, nullptr, nullptr);
    qthread_fork_new_subteam(waits, nullptr, nullptr);
    while (waiting < before + 2) qthread_yield();
    for (int i = 0; i < 3; ++i) qthread_yield();
    qt_team_eureka();
    qthread_fork(lingers, nullptr, nullptr);
    return lingers(nullptr);
  };
  const auto leads = [](void*) -> aligned_t {
    qthread_fork_new_subteam(finds, nullptr, nullptr);
    return lingers(nullptr);
  };
  qthread_fork_new_team(finds, nullptr, nullptr);
  while (waiting != 2) qthread_yield();
  qthread_fork_new_team(leads, nullptr, nullptr);
  qthread_finalize();
  EXPECT_EQ(ended, 5);
  qthread_fill(&never);
}

// Such a call lies on its task's stack, and may write there when it ends.
TEST_F(fork, finalize_waits_for_calls_that_can_only_block) {
  static std::atomic<int> ended;
  ended = 0;
  const auto calls = [](void*) -> aligned_t {
    const int status = qt_system("sleep 0.2");
    ++ended;
    return aligned_t(status);
  };
  for (int i = 0; i < 2; ++i) qthread_fork(calls, nullptr, nullptr);
  while (qthread_readstate(NODE_BUSYNESS) != 1) qthread_yield();  // both wait
  qthread_finalize();
  EXPECT_EQ(ended, 2);
}

TEST_F(fork, finalize_by_another_task_or_thread_does_nothing) {
  const auto ends = [](void*) -> aligned_t {
    qthread_finalize();
    return qthread_num_shepherds();
  };
  EXPECT_EQ(value_of(ends), qthread_num_shepherds());
  outside([] { qthread_finalize(); });
  EXPECT_EQ(value_of(one_more, as_argument(1)), 2u);
}

TEST_F(fork, threads_outside_fork_and_wait) {
  outside([] {
    EXPECT_EQ(qthread_shep(), NO_SHEPHERD);
    EXPECT_EQ(qthread_worker(nullptr), NO_WORKER);
    EXPECT_EQ(qthread_retloc(), nullptr);
    EXPECT_EQ(qthread_get_tasklocal(8), nullptr);
    EXPECT_EQ(qthread_sorted_sheps(), nullptr);
    EXPECT_EQ(qthread_shep_ok(), QTHREAD_PTHREAD_ERROR);
    EXPECT_EQ(qthread_readstate(BUSYNESS), static_cast<size_t>(-1));
    EXPECT_EQ(qt_team_id(), 0u);
    EXPECT_EQ(qthread_readstate(CURRENT_TEAM), 1u);
    EXPECT_EQ(qthread_migrate_to(0), QTHREAD_NOT_ALLOWED);
    EXPECT_EQ(qthread_size_tasklocal(), 0u);
    qthread_yield();
    EXPECT_EQ(value_of(fib, as_argument(8)), 21u);
    syncvar_t v = SYNCVAR_EMPTY_INITIALIZER;
    EXPECT_EQ(qthread_syncvar_writeF_const(&v, 9), QTHREAD_SUCCESS);
    EXPECT_EQ(qthread_syncvar_status(&v), 1);
  });
}

// Teams

aligned_t team(void*) { return qt_team_id(); }
aligned_t parent_team(void*) { return qt_team_parent_id(); }

TEST_F(fork, teams_are_numbered_and_subteams_know_their_parent) {
  EXPECT_EQ(qt_team_id(), unsigned{QTHREAD_DEFAULT_TEAM_ID});
  EXPECT_EQ(qt_team_parent_id(), unsigned{QTHREAD_NON_TEAM_ID});
  EXPECT_EQ(value_of(team), 1u);
  aligned_t ret = 0;
  qthread_fork_new_team(team, nullptr, &ret);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 2u);
  qthread_fork_new_team(parent_team, nullptr, &ret);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, aligned_t{QTHREAD_NON_TEAM_ID});
  qthread_fork_new_subteam(parent_team, nullptr, &ret);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, aligned_t{QTHREAD_DEFAULT_TEAM_ID});
  const auto nested = [](void*) -> aligned_t {
    aligned_t parent = 0;
    qthread_fork_new_subteam(parent_team, nullptr, &parent);
    qthread_readFF(nullptr, &parent);
    return parent == qt_team_id() && value_of(team) == qt_team_id();
  };
  qthread_fork_new_team(nested, nullptr, &ret);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 1u);
}

TEST_F(fork, a_leaders_value_waits_for_all_members_and_subteams) {
  static std::atomic<int> ended;
  ended = 0;
  const auto slow = [](void*) -> aligned_t {
    for (int i = 0; i < 20; ++i) qthread_yield();
    return aligned_t(ended.fetch_add(1));
  };
  static const qthread_f member = slow;
  const auto leads = [](void*) -> aligned_t {
    for (int i = 0; i < 5; ++i) qthread_fork(member, nullptr, nullptr);
    qthread_fork_new_subteam(
        [](void*) -> aligned_t { return aligned_t(qthread_fork(member, nullptr, nullptr)); },
        nullptr, nullptr);
    return 9;
  };
  aligned_t ret = 0;
  syncvar_t sv = SYNCVAR_INITIALIZER;
  qthread_fork_new_team(leads, nullptr, &ret);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ended, 6);
  EXPECT_EQ(ret, 9u);
  qthread_fork_syncvar_new_subteam(leads, nullptr, &sv);
  uint64_t got = 0;
  qthread_syncvar_readFF(&got, &sv);
  EXPECT_EQ(ended, 12);
  EXPECT_EQ(got, 9u);
}

// A tree of 63 nodes, one of which has what is looked for.
struct search {
  static constexpr aligned_t nodes = 63, wanted = 37;
  // For each round: who was about to begin when it was over may do so in the next.
  static constexpr aligned_t rounds = 3, round_unit = 64;
  static inline std::atomic<int> began[rounds];

  static aligned_t look(void* arg) {
    const aligned_t node = as_number(arg) % round_unit;
    const aligned_t of_round = as_number(arg) - node;
    ++began[of_round / round_unit];
    if (node == wanted) {
      qt_team_eureka();
      return node;
    }
    aligned_t rets[2];
    for (const aligned_t i : {0, 1})
      if (2 * node + i <= nodes) qthread_fork(look, as_argument(of_round + 2 * node + i), &rets[i]);
    static aligned_t never = 0;
    qthread_empty(&never);
    if (node < 4) qthread_readFF(nullptr, &never);
    for (;;) qthread_yield();
  }
};

TEST_F(fork, a_eureka_ends_its_team_and_gives_the_leaders_value) {
  for (aligned_t round = 0; round < search::rounds; ++round) {
    search::began[round] = 0;
    aligned_t ret = 0;
    qthread_fork_new_team(search::look, as_argument(round * search::round_unit + 1), &ret);
    qthread_readFF(nullptr, &ret);
    EXPECT_EQ(ret, search::wanted);
  }
  qthread_finalize();  // all have ended
  for (const std::atomic<int>& began : search::began) EXPECT_LE(began, 63);
}

TEST_F(fork, a_eureka_ends_who_waits_in_a_queue_or_for_a_descriptor_when_that_wait_ends) {
  static qthread_queue_t queue;
  static int ends[2];
  static std::atomic<int> went_on;
  static aligned_t over;
  went_on = 0;
  queue = qthread_queue_create(0, 0);
  ASSERT_EQ(pipe(ends), 0);
  qthread_empty(&over);
  const auto leads = [](void*) -> aligned_t {
    const auto joins = [](void*) -> aligned_t {
      qthread_queue_join(queue);
      return aligned_t(++went_on);
    };
    const auto reads = [](void*) -> aligned_t {
      char c = 0;
      went_on += qt_read(ends[0], &c, 1) == 1;
      return 0;
    };
    qthread_fork(joins, nullptr, nullptr);
    qthread_fork(reads, nullptr, nullptr);
    while (qthread_readstate(NODE_BUSYNESS) != 1) qthread_yield();
    qt_team_eureka();
    qthread_fill(&over);
    return 9;
  };
  aligned_t ret = 0;
  qthread_fork_new_team(leads, nullptr, &ret);
  qthread_readFF(nullptr, &over);
  EXPECT_EQ(qthread_queue_release_one(queue), QTHREAD_SUCCESS);
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 9u);
  qthread_finalize();  // all have ended
  EXPECT_EQ(went_on, 0);
  for (const int fd : ends) close(fd);
  qthread_queue_destroy(queue);
}

TEST_F(fork, a_eureka_ends_subteams_and_spares_what_it_forks_and_others) {
  static std::atomic<int> others, late;
  static aligned_t go;
  others = late = 0;
  go = 0;
  qthread_empty(&go);
  const auto other = [](void*) -> aligned_t {
    qthread_readFF(nullptr, &go);
    return aligned_t(++others);
  };
  const auto below = [](void*) -> aligned_t {
    qthread_readFF(nullptr, &go);
    return aligned_t(++late);
  };
  const auto finds = [](void*) -> aligned_t {
    qthread_yield();
    qt_team_eureka();
    return value_of(one_more, as_argument(6));
  };
  static qthread_f lead_below = below, find = finds;
  const auto leads = [](void*) -> aligned_t {
    aligned_t sub = 0;
    qthread_fork_new_subteam(lead_below, nullptr, &sub);
    qthread_fork(find, nullptr, nullptr);
    qthread_readFF(nullptr, &sub);
    ++late;
    return 1;
  };
  aligned_t ret = 0, left_alone = 0;
  qthread_fork_new_team(other, nullptr, &left_alone);
  qthread_fork_new_team(leads, nullptr, &ret);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 7u);
  qthread_fill(&go);
  qthread_readFF(nullptr, &left_alone);
  EXPECT_EQ(others, 1);
  for (int i = 0; i < 20; ++i) qthread_yield();
  EXPECT_EQ(late, 0);
}

TEST_F(fork, a_eureka_waits_for_the_ends_of_critical_sections) {
  static std::atomic<bool> inside;
  static std::atomic<int> done, after;
  inside = false;
  done = after = 0;
  static qthread_f probe = one_more;
  const auto careful = [](void*) -> aligned_t {
    qt_team_critical_section(BEGIN);
    qt_team_critical_section(BEGIN);
    inside = true;
    // What is forked once the team has ended never starts: so this sees that it has.
    aligned_t value = 0;
    do {
      value = 99;
      qthread_fork(probe, nullptr, &value);
      qthread_readFF(nullptr, &value);
      qthread_yield();
    } while (value != 99);
    qt_team_critical_section(END);
    qthread_yield();
    ++done;
    qt_team_critical_section(END);
    ++after;
    return 0;
  };
  static qthread_f careful_one = careful;
  const auto leads = [](void*) -> aligned_t {
    qthread_fork(careful_one, nullptr, nullptr);
    while (!inside) qthread_yield();
    qt_team_eureka();
    return aligned_t(done.load());
  };
  aligned_t ret = 7;
  qthread_fork_new_team(leads, nullptr, &ret);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 1u);
  EXPECT_EQ(after, 0);
}

TEST_F(fork, a_critical_section_ends_with_its_member) {
  static const qthread_f careless = [](void*) -> aligned_t {
    qt_team_critical_section(BEGIN);
    qt_team_critical_section(BEGIN);
    return 4;
  };
  const auto leads = [](void*) -> aligned_t {
    const aligned_t value = value_of(careless);
    qt_team_eureka();
    return value;
  };
  aligned_t ret = 0;
  ASSERT_EQ(qthread_fork_new_team(leads, nullptr, &ret), QTHREAD_SUCCESS);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 4u);
}

// The program's operation gives way while what it submits to is its own.
TEST_F(fork, a_eureka_ends_who_submits_to_a_sinc_afterwards) {
  static qt_sinc_t* sinc;
  static std::atomic<bool> inside, over;
  static std::atomic<int> late;
  inside = over = false;
  late = 0;
  const auto add = [](void* into, const void* value) {
    if (!inside.exchange(true))
      while (!over) qthread_yield();
    *static_cast<aligned_t*>(into) += *static_cast<const aligned_t*>(value);
  };
  static const qthread_f submits = [](void* arg) -> aligned_t {
    const aligned_t value = as_number(arg);
    qt_sinc_submit(sinc, &value);
    return aligned_t(++late);
  };
  const auto leads = [](void*) -> aligned_t {
    qthread_fork(submits, as_argument(1), nullptr);
    while (!inside) qthread_yield();
    qt_team_eureka();
    over = true;
    return 3;
  };
  aligned_t zero = 0, sum = 0, ret = 0;
  sinc = qt_sinc_create(sizeof zero, &zero, add, 2);
  ASSERT_EQ(qthread_fork_new_team(leads, nullptr, &ret), QTHREAD_SUCCESS);
  EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 3u);
  value_of(submits, as_argument(2));
  qt_sinc_wait(sinc, &sum);
  EXPECT_EQ(sum, 3u);
  qthread_finalize();  // all have ended
  EXPECT_EQ(late, 1) << "the one outside the team";
  qt_sinc_destroy(sinc);
}

// One part of a loop ends all others, which would go on for ever, and the task that waits for them.
struct parted_search {
  static inline std::atomic<std::size_t> inside, wanted;
  static inline std::atomic<int> found, late;

  static void part(std::size_t from, std::size_t, void*) {
    if (from == 0) {
      while (inside < wanted) qthread_yield();
      qt_team_eureka();
      for (int i = 0; i < 20; ++i) qthread_yield();
      ++found;
      return;
    }
    ++inside;
    for (;;) qthread_yield();
  }
  // others: how many begin beside the one that finds.
  static void in(qthread_f leads, std::size_t others) {
    inside = 0;
    found = late = 0;
    wanted = others;
    aligned_t ret = 7;
    ASSERT_EQ(qthread_fork_new_team(leads, nullptr, &ret), QTHREAD_SUCCESS);
    qthread_readFF(nullptr, &ret);
    EXPECT_EQ(ret, 0u) << "of the task that found";
    EXPECT_EQ(found, 1);
    for (int i = 0; i < 20; ++i) qthread_yield();
    EXPECT_EQ(late, 0) << "who waited for the parts had its end";
  }
};

TEST_F(fork, a_eureka_in_a_loop_ends_its_parts_and_who_waits_for_them) {
  const std::size_t workers = qthread_num_workers();
  parted_search::in(
      [](void*) -> aligned_t {
        qt_loop(0, 10, parted_search::part, nullptr);
        return aligned_t(++parted_search::late);
      },
      9);
  parted_search::in(
      [](void*) -> aligned_t {
        qt_loop_balance(0, 1000, parted_search::part, nullptr);
        return aligned_t(++parted_search::late);
      },
      workers - 1);
  parted_search::in(
      [](void*) -> aligned_t {
        qt_loop_queue_run(
            qt_loop_queue_create(CHUNK, 0, qthread_num_workers(), 1, parted_search::part, nullptr));
        return aligned_t(++parted_search::late);
      },
      workers - 1);
}

TEST_F(fork, a_eureka_in_an_accumulating_loop_joins_no_value_that_was_not_made) {
  static std::atomic<int> joined;
  joined = 0;
  parted_search::in(
      [](void*) -> aligned_t {
        size_t out = 0;
        const auto part = [](size_t from, size_t to, void*, void*) {
          parted_search::part(from, to, nullptr);
        };
        const auto join = [](void*, const void*) { ++joined; };
        qt_loopaccum_balance(0, 1000, sizeof out, &out, part, nullptr, join);
        return aligned_t(++parted_search::late);
      },
      qthread_num_workers() - 1);
  EXPECT_EQ(joined, 0);
}

// What it keeps meanwhile is gone then, too.
TEST_F(fork, a_eureka_ends_who_joins_the_values_of_a_loop_afterwards) {
  static std::atomic<std::size_t> joined;
  static std::atomic<bool> inside, over;
  static std::atomic<int> late;
  static qarray* elements;
  static const qt_accum_f join = [](void*, const void*) {
    inside = true;
    while (!over) qthread_yield();
    ++joined;
  };
  static const qthread_f loops[] = {
      [](void*) -> aligned_t {
        aligned_t out = 0;
        qt_loopaccum_balance(
            0, 1000, sizeof out, &out, [](size_t, size_t, void*, void*) {}, nullptr, join);
        return aligned_t(++late);
      },
      [](void*) -> aligned_t {
        aligned_t out = 0;
        qarray_iter_loopaccum(
            elements, 0, elements->count, [](size_t, size_t, qarray*, void*, void*) {}, nullptr,
            &out, sizeof out, join);
        return aligned_t(++late);
      }};
  const std::size_t parts = qthread_num_shepherds();
  if (parts == 1) GTEST_SKIP() << "there is one value";
  const size_t per_page = static_cast<size_t>(sysconf(_SC_PAGESIZE)) / sizeof(aligned_t);
  elements = qarray_create_configured(per_page * parts, sizeof(aligned_t), FIXED_HASH, 1, 1);
  ASSERT_NE(elements, nullptr);
  const auto leads = [](void* how) -> aligned_t {
    qthread_fork(loops[as_number(how)], nullptr, nullptr);
    while (!inside) qthread_yield();
    qt_team_eureka();
    over = true;
    return 3;
  };
  for (aligned_t how = 0; how < std::size(loops); ++how) {
    joined = 0;
    late = 0;
    inside = over = false;
    aligned_t ret = 0;
    ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
    ASSERT_EQ(qthread_fork_new_team(leads, as_argument(how), &ret), QTHREAD_SUCCESS);
    EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 3u);
    qthread_finalize();  // all have ended
    EXPECT_EQ(joined, parts - 1);
    EXPECT_EQ(late, 0);
  }
  qarray_destroy(elements);
}

TEST_F(fork, a_eureka_ends_who_sums_up_words_that_stay_empty) {
  static std::atomic<int> late, sums;
  static aligned_t words[100];
  late = sums = 0;
  for (aligned_t& w : words) qthread_empty(&w);
  const auto leads = [](void*) -> aligned_t {
    static const qthread_f adds = [](void*) -> aligned_t {
      ++sums;
      (void)qutil_uint_sum(words, std::size(words), 1);
      return aligned_t(++late);
    };
    qthread_fork(adds, nullptr, nullptr);
    while (sums == 0) qthread_yield();
    for (int i = 0; i < 20; ++i) qthread_yield();
    qt_team_eureka();
    return 3;
  };
  aligned_t ret = 0;
  ASSERT_EQ(qthread_fork_new_team(leads, nullptr, &ret), QTHREAD_SUCCESS);
  EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 3u);
  for (int i = 0; i < 20; ++i) qthread_yield();
  EXPECT_EQ(late, 0);
  for (aligned_t& w : words) qthread_fill(&w);
}

// What it reads will never be written by a member that the eureka ends, with words to wait for or
// without.
TEST_F(fork, a_member_in_a_critical_section_reads_on_when_a_eureka_ends_the_writer) {
  static std::atomic<int> started, inside, left;
  static aligned_t full;
  static const qthread_f writer = [](void*) -> aligned_t {
    ++started;
    for (;;) qthread_yield();
  };
  static const qthread_f forks[] = {
      [](void* value) -> aligned_t {
        return aligned_t(qthread_fork(writer, nullptr, static_cast<aligned_t*>(value)));
      },
      [](void* value) -> aligned_t {
        return aligned_t(
            qthread_fork_precond(writer, nullptr, static_cast<aligned_t*>(value), 2, &full, &full));
      }};
  static const qthread_f careful = [](void* how) -> aligned_t {
    aligned_t value = 0;
    EXPECT_EQ(forks[as_number(how)](&value), 0u);
    while (started == 0) qthread_yield();
    qt_team_critical_section(BEGIN);
    ++inside;
    qthread_readFF(nullptr, &value);
    ++left;
    qt_team_critical_section(END);
    return 0;
  };
  const auto leads = [](void* how) -> aligned_t {
    qthread_fork(careful, how, nullptr);
    while (inside == 0) qthread_yield();
    qt_team_eureka();
    return 5;
  };
  for (aligned_t how = 0; how < std::size(forks); ++how) {
    started = inside = left = 0;
    aligned_t ret = 0;
    ASSERT_EQ(qthread_fork_new_team(leads, as_argument(how), &ret), QTHREAD_SUCCESS);
    qthread_readFF(nullptr, &ret);
    EXPECT_EQ(ret, 5u);
    EXPECT_EQ(left, 1);
  }
}

TEST_F(fork, members_of_teams_wait_for_their_words) {
  static aligned_t words[3];
  static std::atomic<int> ran;
  ran = 0;
  for (aligned_t& w : words) qthread_empty(&w);
  const auto leads = [](void*) -> aligned_t {
    const auto runs = [](void* arg) -> aligned_t { return as_number(arg) + aligned_t(++ran); };
    aligned_t ret = 0, other = 0;
    aligned_t* const misaligned = reinterpret_cast<aligned_t*>(reinterpret_cast<char*>(words) + 1);
    EXPECT_EQ(qthread_fork_precond(runs, as_argument(6), &ret, 3, &words[0], &words[1], &words[2]),
              QTHREAD_SUCCESS);
    EXPECT_EQ(qthread_fork_precond(runs, nullptr, &other, 2, &words[0], misaligned),
              QTHREAD_BADARGS);
    EXPECT_EQ(qthread_fork_precond(runs, nullptr, &other, 1, nullptr), QTHREAD_BADARGS);
    EXPECT_EQ(qthread_fork_precond(runs, nullptr, &other, -2, nullptr), QTHREAD_BADARGS);
    for (aligned_t& w : words) {
      for (int i = 0; i < 5; ++i) qthread_yield();
      EXPECT_EQ(ran, 0);
      qthread_writeEF_const(&w, 1);
    }
    qthread_readFF(nullptr, &ret);
    return ret;
  };
  aligned_t ret = 0;
  ASSERT_EQ(qthread_fork_new_team(leads, nullptr, &ret), QTHREAD_SUCCESS);
  EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 7u);
}

// Where a eureka ends who forks with words, nothing is left of the list of these.
TEST_F(fork, a_fork_with_words_that_a_eureka_ends_keeps_no_memory) {
  if (qthread_num_shepherds() == 1) GTEST_SKIP() << "the member runs until the eureka";
  static std::atomic<aligned_t> begun, over, forks, lived;
  static aligned_t full;
  begun = over = forks = lived = 0;
  qthread_fill(&full);
  const auto nothing = [](void*) -> aligned_t { return 0; };
  static const qthread_f does_nothing = nothing;
  static const qthread_f ends[] = {
      [](void*) -> aligned_t {
        qthread_fork_precond(does_nothing, nullptr, nullptr, 8, &full, &full, &full, &full, &full,
                             &full, &full, &full);
        return 0;
      },
      [](void*) -> aligned_t {
        constexpr std::size_t n = 8;
        auto** list = static_cast<void**>(std::malloc((n + 1) * sizeof(void*)));
        list[0] = as_argument(n);
        for (std::size_t i = 1; i <= n; ++i) list[i] = &full;
        qthread_spawn(does_nothing, nullptr, 0, nullptr, n, list, NO_SHEPHERD, 0);
        return 0;
      },
      [](void*) -> aligned_t {
        const auto joins = [](void*, const void*) {};
        const auto yields = [](size_t, size_t, void*, void*) { qthread_yield(); };
        char out[72] = {};
        qt_loopaccum_balance_sinc(1, 1, sizeof out, out, yields, nullptr, joins);
        return 0;
      }};
  static const qthread_f member = [](void* arg) -> aligned_t {
    const aligned_t round = ++begun;
    while (over < round) std::this_thread::yield();
    ++forks;
    static_cast<void>((*static_cast<const qthread_f*>(arg))(nullptr));
    return ++lived;
  };
  const auto leads = [](void* arg) -> aligned_t {
    const aligned_t round = begun + 1;
    qthread_fork(member, arg, nullptr);
    while (begun < round) std::this_thread::yield();
    qt_team_eureka();
    over = round;
    return 0;
  };
  for (const qthread_f& way : ends) {
    // Pools may grow in some turns; what is lost is lost in all.
    constexpr int turns = 6;
    constexpr int rounds = 200;
    int64_t least = INT64_MAX;
    for (int turn = 0; turn < turns; ++turn) {
      const size_t before = mallinfo2().uordblks;
      for (int i = 0; i < rounds; ++i) {
        aligned_t ret = 0;
        qthread_fork_new_team(leads, const_cast<qthread_f*>(&way), &ret);
        qthread_readFF(nullptr, &ret);
        while (forks < begun) qthread_yield();
      }
      least = std::min(least, static_cast<int64_t>(mallinfo2().uordblks - before));
    }
    EXPECT_LT(least, 36 * rounds) << &way - ends;
  }
  EXPECT_EQ(lived, 0u);
}

// While workers refill their pools of records, which the child goes on with.
TEST_F(fork, a_child_of_the_process_forks_its_own) {
  if (tsan || emulated)
    GTEST_SKIP() << "such a child of the sanitizer or the emulator starts no threads";
  static std::atomic<bool> over;
  over = false;
  static const auto many = [] {
    std::vector<aligned_t> rets(300);
    for (aligned_t& r : rets) qthread_fork(one_more, nullptr, &r);
    for (aligned_t& r : rets) qthread_readFF(nullptr, &r);
    return rets.back();
  };
  const auto goes_on = [](void*) -> aligned_t {
    while (!over) many();
    return 0;
  };
  aligned_t ret = 0;
  qthread_fork(goes_on, nullptr, &ret);
  std::thread parent([] {
    for (int i = 0; i < 20; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        alarm(20);
        if (qthread_initialize() != QTHREAD_SUCCESS) _exit(2);
        _exit(many() == 1 ? 0 : 1);
      }
      int status = 0;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
    over = true;
  });
  while (!over) qthread_yield();
  parent.join();
  qthread_readFF(nullptr, &ret);
}

TEST_F(fork, bad_arguments_are_refused) {
  aligned_t words[2] = {0, 0};
  auto* odd = reinterpret_cast<aligned_t*>(reinterpret_cast<char*>(words) + 1);
  EXPECT_EQ(qthread_fork(nullptr, nullptr, nullptr), QTHREAD_BADARGS);
  EXPECT_EQ(qthread_fork(one_more, nullptr, odd), QTHREAD_BADARGS);
  EXPECT_EQ(qthread_fork_copyargs(one_more, nullptr, 8, nullptr), QTHREAD_BADARGS);
  aligned_t* none[1] = {};  // stays the caller's
  EXPECT_EQ(qthread_spawn(one_more, nullptr, 0, words, 0, none, NO_SHEPHERD, 0), QTHREAD_SUCCESS);
  EXPECT_EQ((qthread_readFF(nullptr, words), *words), 1u);
  EXPECT_EQ(qthread_spawn(one_more, nullptr, 0, words, 1, nullptr, NO_SHEPHERD, 0),
            QTHREAD_BADARGS);
  EXPECT_EQ(qthread_feb_status(words), 1);
}

TEST_F(fork, a_fork_that_fails_leaves_the_place_of_its_value_as_it_was) {
  aligned_t words[2] = {5, 0};
  auto* odd = reinterpret_cast<aligned_t*>(reinterpret_cast<char*>(words) + 9);
  for (const int full : {1, 0}) {
    if (full == 0) qthread_empty(words);
    EXPECT_EQ(qthread_fork_precond(one_more, nullptr, words, 1, odd), QTHREAD_BADARGS);
    EXPECT_EQ(qthread_feb_status(words), full);
    EXPECT_EQ(words[0], 5u);
    syncvar_t var = SYNCVAR_INITIALIZE_TO(6);
    if (full == 0) qthread_syncvar_empty(&var);
    EXPECT_EQ(qthread_fork_copyargs_precond(one_more, "", 1, &var, 1, odd), QTHREAD_BADARGS);
    EXPECT_EQ(qthread_syncvar_status(&var), full);
    qthread_syncvar_fill(&var);
    uint64_t got = 0;
    EXPECT_EQ(qthread_syncvar_readFF(&got, &var), QTHREAD_SUCCESS);
    EXPECT_EQ(got, 6u);
  }
  qthread_fill(words);
}

}  // namespace
}  // namespace weft::test
