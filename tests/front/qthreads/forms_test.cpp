// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and macros that are forms of others, sizes and constants. WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <qthread/barrier.h>
#include <qthread/dictionary.h>
#include <qthread/feb_barrier.h>
#include <qthread/logging.h>
#include <qthread/qalloc.h>
#include <qthread/qarray.h>
#include <qthread/qlfqueue.h>
#include <qthread/qloop.h>
#include <qthread/qutil.h>
#include <qthread/sinc.h>
#include <qthread/wavefront.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "refused_memory.hpp"
#include "support.hpp"

namespace weft::test {
namespace {

class forms : public at_shepherds {};

// What recompiled programs, and those that were compiled with Qthreads' own headers, take for
// granted.
static_assert(sizeof(aligned_t) == 8 && sizeof(saligned_t) == 8 && sizeof(haligned_t) == 4);
static_assert(QTHREAD_ALIGNMENT_ALIGNED_T == 8 && QTHREAD_BITS == 64);
static_assert(sizeof(qthread_shepherd_id_t) == 2 && sizeof(qthread_worker_id_t) == 2);
static_assert(NO_SHEPHERD == 0xFFFF && NO_WORKER == 0xFFFF);
static_assert(sizeof(syncvar_t) == 8 && sizeof(qt_spin_trylock_t) == 8);
static_assert(sizeof(qthread_spinlock_t) == 24 && sizeof(qt_sinc_t) == 24 &&
              alignof(qt_sinc_t) == 8);
static_assert(sizeof(qarray) == 64 && sizeof(list_entry) == 32);
static_assert(QTHREAD_SUCCESS == 0 && QTHREAD_BADARGS == -1 && QTHREAD_PTHREAD_ERROR == -2 &&
              QTHREAD_NOT_ALLOWED == -3 && QTHREAD_MALLOC_ERROR == ENOMEM &&
              QTHREAD_THIRD_PARTY_ERROR == -4 && QTHREAD_TIMEOUT == -5 &&
              QTHREAD_OVERFLOW == EOVERFLOW && QTHREAD_OPFAIL == -7);
static_assert(QTHREAD_SPAWN_PARENT == 1 && QTHREAD_SPAWN_SIMPLE == 2 &&
              QTHREAD_SPAWN_NEW_TEAM == 4 && QTHREAD_SPAWN_NEW_SUBTEAM == 8 &&
              QTHREAD_SPAWN_RET_SYNCVAR_T == 16 && QTHREAD_SPAWN_RET_SINC == 32 &&
              QTHREAD_SPAWN_RET_SINC_VOID == 64 && QTHREAD_SPAWN_PC_SYNCVAR_T == 128 &&
              QTHREAD_SPAWN_LOCAL_PRIORITY == 512 && QTHREAD_SPAWN_NETWORK == 1024);
static_assert(STACK_SIZE == 0 && CURRENT_SHEPHERD == 9 && PARENT_TEAM == 13);
static_assert(QTHREAD_QUEUE_NO_SYNCH == 1 && QTHREAD_QUEUE_MULTI_JOIN == 2 &&
              QTHREAD_QUEUE_MULTI_JOIN_LENGTH == 4 && QTHREAD_QUEUE_CAPPED == 8);
static_assert(FIXED_HASH == 0 && DIST == 3 && ALL_LEAST == 10 && CHUNK == 0 && TIMED == 3);
static_assert(QTHREAD_NULL_TASK_ID == UINT_MAX && QTHREAD_NULL_TEAM_ID == UINT_MAX);
static_assert(QTHREAD_SPINLOCK_IS_RECURSIVE == -1 && QTHREAD_SPINLOCK_IS_NOT_RECURSIVE == -2);
static_assert(QTHREAD_NUMVERSION == QTHREADS_GET_VERSION(1, 23, 0, 3, 0));

aligned_t one_more(void* arg) { return as_number(arg) + 1; }
aligned_t one_more_there(void* at) { return *static_cast<aligned_t*>(at) + 1; }

aligned_t read_of(syncvar_t& v) {
  uint64_t got = 0;
  EXPECT_EQ(qthread_syncvar_readFF(&got, &v), QTHREAD_SUCCESS);
  return got;
}

TEST_F(forms, every_fork_runs_its_function_and_fills_its_word) {
  aligned_t words[3] = {}, input = 6;
  aligned_t full = 1;
  EXPECT_EQ(qthread_fork_net(one_more, as_argument(1), &words[0]), QTHREAD_SUCCESS);
  // This one takes an aligned_t, whatever its prototype says.
  EXPECT_EQ(qthread_fork_copyargs_to(one_more_there, &input, sizeof input,
                                     reinterpret_cast<syncvar_t*>(&words[1]), 0),
            QTHREAD_SUCCESS);
  syncvar_t var = SYNCVAR_INITIALIZER;
  EXPECT_EQ(qthread_fork_copyargs_precond(one_more_there, &input, sizeof input, &var, 1, &full),
            QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_fork_precond_simple(one_more, as_argument(3), &words[2], 1, &full),
            QTHREAD_SUCCESS);
  input = 0;  // they have copies
  EXPECT_EQ(read_of(var), 7u);
  const aligned_t expected[] = {2, 7, 4};
  for (int i = 0; i < 3; ++i) {
    aligned_t got = 0;
    EXPECT_EQ(qthread_readFF(&got, &words[i]), QTHREAD_SUCCESS);
    EXPECT_EQ(got, expected[i]) << i;
  }
}

TEST_F(forms, every_fork_for_a_syncvar_fills_it) {
  syncvar_t v[7];
  for (syncvar_t& each : v) each = SYNCVAR_INITIALIZER;
  aligned_t input = 6;
  EXPECT_EQ(qthread_fork_syncvar(one_more, as_argument(0), &v[0]), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_fork_syncvar_to(one_more, as_argument(1), &v[1], 0), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_fork_syncvar_copyargs(one_more_there, &input, sizeof input, &v[2]),
            QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_fork_syncvar_copyargs_simple(one_more_there, &input, sizeof input, &v[3]),
            QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_fork_syncvar_copyargs_to(one_more_there, &input, sizeof input, &v[4], 0),
            QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_fork_syncvar_new_team(one_more, as_argument(4), &v[5]), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_fork_syncvar_new_subteam(one_more, as_argument(5), &v[6]), QTHREAD_SUCCESS);
  input = 0;
  const aligned_t expected[] = {1, 2, 7, 7, 7, 5, 6};
  for (int i = 0; i < 7; ++i) EXPECT_EQ(read_of(v[i]), expected[i]) << i;
}

TEST_F(forms, every_fork_of_a_team_fills_its_word) {
  aligned_t words[3] = {}, input = 6;
  EXPECT_EQ(qthread_fork_new_team_to(one_more, as_argument(1), &words[0], 0), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_fork_copyargs_new_team(one_more_there, &input, sizeof input, &words[1]),
            QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_fork_copyargs_new_subteam(one_more_there, &input, sizeof input, &words[2]),
            QTHREAD_SUCCESS);
  input = 0;
  const aligned_t expected[] = {2, 7, 7};
  for (int i = 0; i < 3; ++i) {
    aligned_t got = 0;
    EXPECT_EQ(qthread_readFF(&got, &words[i]), QTHREAD_SUCCESS);
    EXPECT_EQ(got, expected[i]) << i;
  }
}

TEST_F(forms, flags_that_change_nothing_are_taken) {
  for (const int flag : {QTHREAD_SPAWN_PARENT, QTHREAD_SPAWN_SIMPLE, QTHREAD_SPAWN_LOCAL_PRIORITY,
                         QTHREAD_SPAWN_NETWORK, QTHREAD_SPAWN_PC_SYNCVAR_T}) {
    aligned_t ret = 0;
    EXPECT_EQ(qthread_spawn(one_more, as_argument(4), 0, &ret, 0, nullptr, NO_SHEPHERD,
                            static_cast<unsigned>(flag)),
              QTHREAD_SUCCESS);
    EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 5u) << flag;
  }
}

TEST_F(forms, every_yield_returns_where_nothing_else_is_to_run) {
  qthread_yield();
  qthread_yield_near();
  for (const int how : {0, 1, 2}) qthread_yield_(how);
}

TEST_F(forms, sums_give_the_old_value) {
  float f = 1;
  double d = 2;
  uint32_t w = 3;
  uint64_t l = 4;
  aligned_t a = 5;
  EXPECT_EQ(qthread_fincr(&f, 0.5f), 1.0f);
  EXPECT_EQ(qthread_dincr(&d, 0.5), 2.0);
  EXPECT_EQ(qthread_incr32(&w, 2), 3u);
  EXPECT_EQ(qthread_incr64(&l, 2), 4u);
  EXPECT_EQ(qthread_incr(&a, 2), 5u);
  EXPECT_EQ(qthread_incr_xx(&w, 1, 4), 5);
  EXPECT_EQ(qthread_incr_xx(&l, 1, 8), 6);
  EXPECT_EQ(f, 1.5f);
  EXPECT_EQ(d, 2.5);
  EXPECT_EQ(w, 6u);
  EXPECT_EQ(l, 7u);
  EXPECT_EQ(a, 7u);
}

TEST_F(forms, sums_of_many_tasks_are_whole) {
  static float f;
  static double d;
  static aligned_t a;
  f = 0;
  d = 0;
  a = 0;
  const auto adds = [](void*) -> aligned_t {
    for (int i = 0; i < 200; ++i) {
      qthread_fincr(&f, 1);
      qthread_dincr(&d, 1);
      qthread_incr(&a, 1);
    }
    return 0;
  };
  aligned_t rets[8];
  for (qthread_shepherd_id_t i = 0; i < 8; ++i) qthread_fork_to(adds, nullptr, &rets[i], i);
  for (aligned_t& r : rets) qthread_readFF(nullptr, &r);
  EXPECT_EQ(f, 1600.0f);
  EXPECT_EQ(d, 1600.0);
  EXPECT_EQ(a, 1600u);
}

TEST_F(forms, a_swap_gives_what_was_there) {
  aligned_t a = 1;
  uint32_t w = 1;
  uint64_t l = 1;
  int x = 0, y = 0;
  int* p = &x;
  EXPECT_EQ(qthread_cas(&a, 1u, 2u), 1u);
  EXPECT_EQ(qthread_cas(&a, 1u, 3u), 2u);
  EXPECT_EQ(qthread_cas32(&w, 1u, 2u), 1u);
  EXPECT_EQ(qthread_cas64(&l, 0u, 2u), 1u);
  EXPECT_EQ(qthread_cas_ptr(&p, &x, &y), &x);
  EXPECT_EQ(a, 2u);
  EXPECT_EQ(w, 2u);
  EXPECT_EQ(l, 1u);
  EXPECT_EQ(p, &y);
}

TEST_F(forms, numbers_of_60_bits_are_those_of_64) {
  EXPECT_EQ(INT60TOINT64(INT64TOINT60(int64_t{-5})), -5);
  EXPECT_EQ(INT60TOINT64(INT64TOINT60(int64_t{5})), 5);
  double in = -1234.5, back = 0;
  uint64_t bits = 0;
  DBL64TODBL60(in, bits);
  EXPECT_LT(bits, uint64_t{1} << 60);
  DBL60TODBL64(bits, back);
  EXPECT_EQ(back, in);
  syncvar_t full = SYNCVAR_STATIC_INITIALIZE_TO(3), empty = SYNCVAR_STATIC_EMPTY_INITIALIZE_TO(3);
  EXPECT_EQ(qthread_syncvar_status(&full), 1);
  EXPECT_EQ(qthread_syncvar_status(&empty), 0);
  EXPECT_EQ(qthread_syncvar_writeEF_const(&empty, 9), QTHREAD_SUCCESS);
  EXPECT_EQ(read_of(empty), 9u);
  for (auto* write : {qthread_syncvar_writeEF_const, qthread_syncvar_writeF_const})
    EXPECT_EQ(write(&empty, uint64_t{1} << 60), QTHREAD_OVERFLOW);
}

TEST_F(forms, spinlocks_are_made_and_ended) {
  for (auto* make : {qthread_spinlock_init, qthread_spinlocks_init})
    for (auto* end : {qthread_spinlock_destroy, qthread_spinlocks_destroy})
      for (const bool recursive : {false, true}) {
        qthread_spinlock_t lock;
        std::memset(&lock, 0x5a, sizeof lock);
        ASSERT_EQ(make(&lock, recursive), QTHREAD_SUCCESS);
        EXPECT_EQ(qthread_spinlock_lock(&lock), QTHREAD_SUCCESS);
        // 0 in both cases: success here, and failure there.
        EXPECT_EQ(qthread_spinlock_trylock(&lock), recursive ? QTHREAD_SUCCESS : 0);
        if (recursive) {
          EXPECT_EQ(qthread_spinlock_unlock(&lock), QTHREAD_SUCCESS);
        }
        EXPECT_EQ(qthread_spinlock_unlock(&lock), QTHREAD_SUCCESS);
        EXPECT_EQ(end(&lock), QTHREAD_SUCCESS);
      }
}

TEST_F(forms, a_sinc_on_the_stack_is_ended_and_grows_after_a_wait) {
  const aligned_t zero = 0;
  const auto add = [](void* into, const void* value) {
    *static_cast<aligned_t*>(into) += *static_cast<const aligned_t*>(value);
  };
  for (const bool with_values : {false, true}) {
    qt_sinc_t sinc;
    qt_sinc_init(&sinc, with_values ? sizeof zero : 0, &zero, add, 1);
    const aligned_t two = 2;
    qt_sinc_submit(&sinc, &two);
    aligned_t sum = 0;
    qt_sinc_wait(&sinc, &sum);
    qt_sinc_resize(&sinc, 2);
    qt_sinc_submit(&sinc, &two);
    aligned_t ret = 0;
    const auto waits = [](void* s) -> aligned_t {
      qt_sinc_wait(static_cast<qt_sinc_t*>(s), nullptr);
      return 1;
    };
    qthread_fork(waits, &sinc, &ret);
    for (int i = 0; i < 5; ++i) qthread_yield();
    EXPECT_EQ(qthread_feb_status(&ret), 0);
    qt_sinc_submit(&sinc, &two);
    EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 1u);
    qt_sinc_fini(&sinc);
  }
}

// The target of a sinc's operation is never a value that was submitted.
TEST_F(forms, a_sinc_reduces_all_values_into_targets_that_began_as_the_initial_one) {
  const aligned_t zero = 0;
  const auto add_size = [](void* into, const void* value) {
    *static_cast<saligned_t*>(into) += std::abs(*static_cast<const saligned_t*>(value));
  };
  static qt_sinc_t* sinc;
  sinc = qt_sinc_create(sizeof zero, &zero, add_size, 12);
  const auto brings = [](void* n) -> aligned_t {
    const auto value = -static_cast<saligned_t>(reinterpret_cast<uintptr_t>(n));
    qt_sinc_submit(sinc, &value);
    return 0;
  };
  for (uintptr_t n = 1; n <= 10; ++n) qthread_fork(brings, reinterpret_cast<void*>(n), nullptr);
  const saligned_t eleven = -11;
  std::thread([&] { qt_sinc_submit(sinc, &eleven); }).join();
  *static_cast<saligned_t*>(qt_sinc_tmpdata(sinc)) += 100;
  qt_sinc_submit(sinc, nullptr);
  saligned_t sum = 0;
  qt_sinc_wait(sinc, &sum);
  EXPECT_EQ(sum, 166);
  qt_sinc_reset(sinc, 1);
  qt_sinc_submit(sinc, &eleven);
  qt_sinc_wait(sinc, &sum);
  EXPECT_EQ(sum, 11);
  qt_sinc_destroy(sinc);
}

TEST_F(forms, an_operation_of_a_sinc_may_give_way) {
  const aligned_t zero = 0;
  const auto add = [](void* into, const void* value) {
    const aligned_t before = *static_cast<aligned_t*>(into);
    qthread_yield();
    *static_cast<aligned_t*>(into) = before + *static_cast<const aligned_t*>(value);
  };
  static qt_sinc_t* sinc;
  sinc = qt_sinc_create(sizeof zero, &zero, add, 50);
  const auto brings = [](void*) -> aligned_t {
    const aligned_t two = 2;
    qt_sinc_submit(sinc, &two);
    return 0;
  };
  for (int i = 0; i < 50; ++i) qthread_fork(brings, nullptr, nullptr);
  aligned_t sum = 0;
  qt_sinc_wait(sinc, &sum);
  EXPECT_EQ(sum, 100u);
  qt_sinc_destroy(sinc);
}

TEST_F(forms, a_sinc_takes_values_of_many_megabytes) {
  constexpr size_t bytes = size_t{20} << 20;
  const std::vector<char> zero(bytes);
  std::vector<char> value(bytes);
  const auto set = [](void* into, const void* from) {
    auto* const at = static_cast<char*>(into);
    for (size_t i : {size_t{0}, bytes - 1}) at[i] |= static_cast<const char*>(from)[i];
  };
  qt_sinc_t* const s = qt_sinc_create(bytes, zero.data(), set, 1);
  value.back() = 4;
  qt_sinc_submit(s, value.data());
  qt_sinc_wait(s, value.data());
  EXPECT_EQ(value.back(), 4);
  qt_sinc_destroy(s);
}

TEST_F(forms, barriers_have_the_names_of_the_manual_too) {
  qt_feb_barrier_t* b = qthread_feb_barrier_create(2);
  qthread_feb_barrier_resize(b, 1);
  qthread_feb_barrier_enter(b);
  testing::internal::CaptureStderr();
  for (const qt_barrier_dtype what : {UPLOCK, DOWNLOCK, BOTHLOCKS}) qt_barrier_dump(b, what);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("a barrier of 1"), std::string::npos);
  qthread_feb_barrier_destroy(b);
}

TEST_F(forms, neighbours_are_those_of_the_ring) {
  const auto n = static_cast<qthread_shepherd_id_t>(qthread_num_shepherds());
  for (qthread_shepherd_id_t s = 0; s < n; ++s) {
    qthread_shepherd_id_t at = s;
    qthread_shep_next_local(&at);
    EXPECT_EQ(at, (s + 1) % n);
    qthread_shep_prev_local(&at);
    EXPECT_EQ(at, s);
  }
}

TEST_F(forms, reductions_of_qutil_are_right_for_every_length) {
  for (const size_t n : {1, 2, 3, 1'000}) {
    std::vector<double> d(n, 1.0);
    std::vector<aligned_t> u(n, 1);
    std::vector<saligned_t> s(n, 1);
    d.back() = -3;
    u.back() = 7;
    s.back() = -3;
    const int feb = n < 100 ? 1 : 0;
    const auto less = static_cast<double>(n) - 4;
    EXPECT_EQ(qutil_double_sum(d.data(), n, feb), less);
    EXPECT_EQ(qutil_double_mult(d.data(), n, feb), -3.0);
    EXPECT_EQ(qutil_double_max(d.data(), n, feb), n == 1 ? -3.0 : 1.0);
    EXPECT_EQ(qutil_double_min(d.data(), n, feb), -3.0);
    EXPECT_EQ(qutil_uint_sum(u.data(), n, feb), n + 6);
    EXPECT_EQ(qutil_uint_mult(u.data(), n, feb), 7u);
    EXPECT_EQ(qutil_uint_max(u.data(), n, feb), 7u);
    EXPECT_EQ(qutil_uint_min(u.data(), n, feb), n == 1 ? 7u : 1u);
    EXPECT_EQ(qutil_int_sum(s.data(), n, feb), static_cast<saligned_t>(less));
    EXPECT_EQ(qutil_int_mult(s.data(), n, feb), -3);
    EXPECT_EQ(qutil_int_max(s.data(), n, feb), n == 1 ? -3 : 1);
    EXPECT_EQ(qutil_int_min(s.data(), n, feb), -3);
  }
}

TEST_F(forms, an_element_is_reached_by_going_to_its_shepherd) {
  static qarray* a;
  a = qarray_create_configured(500, sizeof(aligned_t), DIST_STRIPES, 0, 0);
  for (size_t i = 0; i < 500; ++i) *static_cast<aligned_t*>(qarray_elem_nomigrate(a, i)) = i;
  EXPECT_EQ(qarray_elem_nomigrate(a, 500),
            static_cast<aligned_t*>(qarray_elem_nomigrate(a, 499)) + 1);  // the end of the last
  EXPECT_EQ(qarray_elem_nomigrate(a, 501), nullptr);
  const auto goes = [](void* arg) -> aligned_t {
    const size_t i = as_number(arg);
    auto* const at = static_cast<aligned_t*>(qarray_elem_migrate(a, i));
    return at != nullptr && *at == i && qthread_shep() == qarray_shepof(a, i);
  };
  for (const aligned_t i : {0, 77, 499}) {
    aligned_t ret = 0;
    qthread_fork_to(goes, as_argument(i), &ret, 0);
    EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 1u) << i;
  }
  qarray_destroy(a);
}

TEST_F(forms, memory_in_files_has_calls_for_each_kind) {
  char fixed_name[] = "/tmp/weft-forms-XXXXXX", any_name[] = "/tmp/weft-forms-XXXXXX";
  close(mkstemp(fixed_name));
  close(mkstemp(any_name));
  auto* fixed = static_cast<mapinfo_t*>(qalloc_makestatmap(1 << 16, nullptr, fixed_name, 24, 1));
  auto* any = static_cast<dynmapinfo_t*>(qalloc_makedynmap(1 << 16, nullptr, any_name, 1));
  ASSERT_NE(fixed, nullptr);
  ASSERT_NE(any, nullptr);
  void* const a = qalloc_statmalloc(fixed);
  void* const b = qalloc_dynmalloc(any, 100);
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  std::memset(a, 1, 24);
  std::memset(b, 1, 100);
  qalloc_statfree(a, fixed);
  qalloc_dynfree(b, any);
  EXPECT_EQ(qalloc_statmalloc(fixed), a);
  EXPECT_EQ(qalloc_dynmalloc(any, 100), b);
  qalloc_cleanup();
  unlink(fixed_name);
  unlink(any_name);
}

TEST_F(forms, what_prints_says_something) {
  qt_dictionary* d = qt_dictionary_create([](void* x, void* y) { return int(x == y); },
                                          [](void* key) { return int(as_number(key)); }, nullptr);
  qt_dictionary_put(d, as_argument(1), as_argument(2));
  qarray* left = qarray_create(3, sizeof(double));
  qarray* below = qarray_create(3, sizeof(double));
  for (size_t i = 0; i < 3; ++i)
    *static_cast<double*>(qarray_elem(left, i)) = *static_cast<double*>(qarray_elem(below, i)) = 1;
  qt_wavefront_lattice* lattice =
      qt_wavefront(left, below, [](const void* l, const void*, const void* b, void* out) {
        *static_cast<double*>(out) =
            *static_cast<const double*>(l) + *static_cast<const double*>(b);
      });
  ASSERT_NE(lattice, nullptr);
  testing::internal::CaptureStdout();
  qt_dictionary_printbuckets(d);
  std::fflush(stdout);
  EXPECT_FALSE(testing::internal::GetCapturedStdout().empty());
  testing::internal::CaptureStdout();
  qt_wavefront_print_lattice(lattice);
  std::fflush(stdout);
  EXPECT_FALSE(testing::internal::GetCapturedStdout().empty());
  qt_wavefront_destroy_lattice(lattice);
  qarray_destroy(left);
  qarray_destroy(below);
  qt_dictionary_destroy(d);
}

TEST_F(forms, lines_of_a_log_are_printed_if_their_group_is_on) {
  constexpr bool loud = true, quiet = false;
  testing::internal::CaptureStdout();
  qtlog(quiet, "nothing");
  qtlogargs(quiet, "%d", 1);
  const int first = __LINE__ + 1;
  qtlog(loud, "one");
  qtlogargs(loud, "%s and %d", "two", 3);
  std::fflush(stdout);
  const std::string at = "(loud) " __FILE__ ":";
  EXPECT_EQ(
      testing::internal::GetCapturedStdout(),
      at + std::to_string(first) + ": one\n" + at + std::to_string(first + 1) + ": two and 3\n");
}

// The chain of what one operation lets go on.

TEST_F(forms, filling_lets_all_readers_go_on_before_one_that_empties) {
  static aligned_t word;
  static std::atomic<int> read, taken;
  word = 0;
  read = taken = 0;
  qthread_empty(&word);
  const auto reads = [](void*) -> aligned_t {
    qthread_readFF(nullptr, &word);
    return aligned_t(read.fetch_add(1));
  };
  const auto takes = [](void*) -> aligned_t {
    qthread_readFE(nullptr, &word);
    return aligned_t(taken.fetch_add(1));
  };
  aligned_t readers[3], takers[2];
  for (aligned_t& r : takers) qthread_fork(takes, nullptr, &r);
  for (aligned_t& r : readers) qthread_fork(reads, nullptr, &r);
  while (qthread_readstate(NODE_BUSYNESS) != 1) qthread_yield();  // all wait
  qthread_writeF_const(&word, 4);
  for (aligned_t& r : readers) qthread_readFF(nullptr, &r);
  while (taken != 1 || qthread_readstate(NODE_BUSYNESS) != 1) qthread_yield();
  EXPECT_EQ(read, 3);
  EXPECT_EQ(qthread_feb_status(&word), 0);
  qthread_fill(&word);
  for (aligned_t& r : takers) qthread_readFF(nullptr, &r);
  EXPECT_EQ(taken, 2);
  EXPECT_EQ(qthread_feb_status(&word), 0);
  qthread_fill(&word);
}

TEST_F(forms, emptying_lets_one_writer_fill_again) {
  static aligned_t word;
  word = 1;
  const auto writes = [](void* value) -> aligned_t {
    return aligned_t(qthread_writeEF_const(&word, as_number(value)));
  };
  aligned_t writers[2];
  for (aligned_t i = 0; i < 2; ++i) qthread_fork(writes, as_argument(10 + i), &writers[i]);
  while (qthread_readstate(NODE_BUSYNESS) != 1) qthread_yield();
  EXPECT_EQ(word, 1u);
  for (int i = 0; i < 2; ++i) {
    qthread_empty(&word);
    EXPECT_EQ(qthread_feb_status(&word), 1);
    EXPECT_GE(word, 10u);
  }
  for (aligned_t& w : writers) EXPECT_EQ((qthread_readFF(nullptr, &w), w), 0u);
}

TEST_F(forms, a_write_that_waits_for_full_does_not_disturb_who_empties) {
  static aligned_t word;
  word = 1;
  qthread_empty(&word);
  aligned_t ret = 0;
  const auto writes = [](void*) -> aligned_t { return aligned_t(qthread_writeFF_const(&word, 8)); };
  qthread_fork(writes, nullptr, &ret);
  while (qthread_readstate(NODE_BUSYNESS) != 1) qthread_yield();
  EXPECT_EQ(word, 1u);
  qthread_fill(&word);
  EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 0u);
  EXPECT_EQ(word, 8u);
}

TEST_F(forms, a_queue_that_had_no_memory_for_a_while_asks_for_no_more_afterwards) {
  qlfqueue_t* const q = qlfqueue_create();
  int elem = 0;
  refused_memory = all_memory;
  for (int i = 0; i < 100'000; ++i) (void)qlfqueue_enqueue(q, &elem);
  refused_memory = 0;
  const size_t before = mallinfo2().uordblks;
  EXPECT_EQ(qlfqueue_enqueue(q, &elem), QTHREAD_SUCCESS);
  EXPECT_LT(mallinfo2().uordblks - before, 16'384u);
  while (qlfqueue_dequeue(q) != nullptr) {
  }
  qlfqueue_destroy(q);
}

TEST_F(forms, values_of_a_loops_parts_are_right_where_memory_runs_out) {
  const auto sum = [](size_t from, size_t to, void*, void* out) {
    for (; from < to; ++from) *static_cast<size_t*>(out) += from;
  };
  const auto join = [](void* into, const void* value) {
    *static_cast<size_t*>(into) += *static_cast<const size_t*>(value);
  };
  for (long n = 0; n < 4; ++n) {
    size_t out = 0;
    refused_memory = n;
    qt_loopaccum_balance_sinc(0, 1000, sizeof out, &out, sum, nullptr, join);
    refused_memory = 0;
    EXPECT_EQ(out, 499'500u) << n;
  }
}

}  // namespace
}  // namespace weft::test
