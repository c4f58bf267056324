// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, reductions, sorting; arrays, queues, dictionaries, memory in files. WEFT_TEST_AT_WORKERS
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <qthread/allpairs.h>
#include <qthread/dictionary.h>
#include <qthread/hash.h>
#include <qthread/hw_pool.h>
#include <qthread/io.h>
#include <qthread/qalloc.h>
#include <qthread/qdqueue.h>
#include <qthread/qlfqueue.h>
#include <qthread/qloop.hpp>
#include <qthread/qswsrqueue.h>
#include <qthread/qutil.h>
#include <qthread/tls.h>
#include <qthread/wavefront.h>
#include <random>
#include <set>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <weft/cancel.h>

#include "support.hpp"
#include "support/child.hpp"

namespace weft::test {
namespace {

class structures : public at_shepherds {};

// Loops

using loop = void (*)(size_t, size_t, qt_loop_f, void*);
const loop each_loops[] = {qt_loop,         qt_loop_simple, qt_loop_sv,    qt_loop_dc,
                           qt_loop_aligned, qt_loop_sinc,   qt_loop_future};
const loop balanced_loops[] = {qt_loop_balance,       qt_loop_balance_simple,  qt_loop_balance_sv,
                               qt_loop_balance_dc,    qt_loop_balance_aligned, qt_loop_balance_sinc,
                               qt_loop_balance_future};

struct marks {
  explicit marks(size_t n) : seen(n) {}
  std::vector<std::atomic<int>> seen;
  std::atomic<int> calls{0};
  static void mark(size_t from, size_t to, void* arg) {
    auto* m = static_cast<marks*>(arg);
    m->calls.fetch_add(1);
    for (; from < to; ++from) m->seen[from].fetch_add(1);
  }
  bool all_once(size_t from) const {
    for (size_t i = 0; i < seen.size(); ++i)
      if (seen[i] != (i >= from ? 1 : 0)) return false;
    return true;
  }
};

TEST_F(structures, loops_cover_their_range_once) {
  for (const loop l : each_loops) {
    marks m(100);
    l(7, 100, marks::mark, &m);
    EXPECT_TRUE(m.all_once(7));
    EXPECT_EQ(m.calls, 93);
    l(5, 5, marks::mark, &m);
    l(6, 5, marks::mark, &m);
    EXPECT_EQ(m.calls, 93);
  }
  for (const loop l : balanced_loops) {
    marks m(1'000);
    l(3, 1'000, marks::mark, &m);
    EXPECT_TRUE(m.all_once(3));
    EXPECT_EQ(m.calls, qthread_num_workers());
    l(5, 5, marks::mark, &m);
    EXPECT_EQ(m.calls, qthread_num_workers());
  }
}

TEST_F(structures, iterations_are_tasks_that_may_wait_for_each_other) {
  static aligned_t words[20];
  for (aligned_t& w : words) qthread_purge(&w);
  const auto chain = [](size_t i, size_t, void*) {
    if (i + 1 < 20) qthread_readFF(nullptr, &words[i + 1]);  // the later ones first
    EXPECT_NE(qthread_id(), 0u);
    qthread_writeEF_const(&words[i], 1);
  };
  qt_loop(0, 20, chain, nullptr);
  EXPECT_EQ(qthread_feb_status(&words[0]), 1);
}

TEST_F(structures, loops_run_outside_tasks_and_nest) {
  outside([] {
    marks m(64);
    qt_loop(0, 64, marks::mark, &m);
    EXPECT_TRUE(m.all_once(0));
  });
  marks m(64);
  const auto outer = [](size_t i, size_t, void* arg) {
    struct inner {
      size_t base;
      marks* all;
    } in{i * 8, static_cast<marks*>(arg)};
    qt_loop_balance(
        0, 8,
        [](size_t from, size_t to, void* a) {
          auto* n = static_cast<inner*>(a);
          marks::mark(n->base + from, n->base + to, n->all);
        },
        &in);
  };
  qt_loop(0, 8, outer, &m);
  EXPECT_TRUE(m.all_once(0));
}

struct adder {
  using acctype = long;
  static constexpr long identity = 0;
  static void accumulate(long* into, long* value) { *into += *value; }
  long operator()(size_t from, size_t to) const {
    long sum = 0;
    for (; from < to; ++from) sum += static_cast<long>(from);
    return sum;
  }
};

TEST_F(structures, functors_loop_and_accumulate) {
  EXPECT_EQ(qt_loopaccum_balance(0, 1'001, adder()), 500'500);
  struct by_reference : adder {
    static void accumulate(long& into, const long& value) { into += value; }
  };
  EXPECT_EQ(qt_loopaccum_balance(0, 1'001, by_reference()), 500'500);
  static std::atomic<size_t> count;
  count = 0;
  const auto counts = [](size_t from, size_t to) { count += to - from; };
  qt_loop(0, 10, counts);
  qt_loop_balance(0, 10, counts);
  qt_loop_future(0, 10, counts);
  qt_loop_balance_simple(0, 10, counts);
  qt_loop_balance_future(0, 10, counts);
  EXPECT_EQ(count, 50u);
}

TEST_F(structures, parts_of_loops_have_memory_and_ids_of_their_own) {
  auto* const mine = static_cast<aligned_t*>(qthread_get_tasklocal(8));
  *mine = 42;
  static const unsigned my_id = qthread_id();
  static std::atomic<int> strange;
  strange = 0;
  const auto part = [](size_t, size_t, void*) {
    auto* const local = static_cast<aligned_t*>(qthread_get_tasklocal(8));
    if (*local != 0 || qthread_id() == my_id) ++strange;
    *local = 1;
  };
  for (int round = 0; round < 3; ++round) qt_loop_balance(0, 100, part, nullptr);
  EXPECT_EQ(strange, 0);
  EXPECT_EQ(qthread_get_tasklocal(8), mine);
  EXPECT_EQ(*mine, 42u);
  EXPECT_EQ(qthread_id(), my_id);
}

TEST_F(structures, accumulation_joins_the_parts_in_order) {
  // Concatenation is not commutative.
  struct text {
    char at[128];
    size_t length;
  };
  const auto letters = [](size_t from, size_t to, void*, void* ret) {
    auto* t = static_cast<text*>(ret);
    t->length = 0;
    for (; from < to; ++from) t->at[t->length++] = static_cast<char>('a' + from % 26);
  };
  const auto join = [](void* a, const void* b) {
    auto* into = static_cast<text*>(a);
    auto* from = static_cast<const text*>(b);
    std::memcpy(into->at + into->length, from->at, from->length);
    into->length += from->length;
  };
  for (auto* accum : {qt_loopaccum_balance, qt_loopaccum_balance_sv, qt_loopaccum_balance_dc,
                      qt_loopaccum_balance_sinc}) {
    text out{};
    accum(0, 26, sizeof out, &out, letters, nullptr, join);
    EXPECT_EQ(std::string(out.at, out.length), "abcdefghijklmnopqrstuvwxyz");
    accum(4, 3, sizeof out, &out, letters, nullptr, join);
    EXPECT_EQ(out.length, 26u);
    accum(3, 3, sizeof out, &out, letters, nullptr, join);
    EXPECT_EQ(out.length, 0u);  // what the function says of an empty range
  }
}

// What a loop leaves whose parts are joined by the accumulator, within and between them.
template <class T>
T accumulated(qt_accum_f join, const std::vector<T>& numbers) {
  static const T* all;
  static qt_accum_f joins;
  all = numbers.data();
  joins = join;
  const auto part = [](size_t from, size_t to, void*, void* ret) {
    T value = all[from];
    while (++from < to) joins(&value, &all[from]);
    *static_cast<T*>(ret) = value;
  };
  T out = 77;
  qt_loopaccum_balance(0, numbers.size(), sizeof out, &out, part, nullptr, join);
  return out;
}

TEST_F(structures, each_accumulator_is_what_its_name_says) {
  const std::vector<double> d{2.5, -4, 8, -0.5, 1};
  EXPECT_EQ(accumulated(qt_dbl_add_acc, d), 7.0);
  EXPECT_EQ(accumulated(qt_dbl_prod_acc, d), 40.0);
  EXPECT_EQ(accumulated(qt_dbl_max_acc, d), 8.0);
  EXPECT_EQ(accumulated(qt_dbl_min_acc, d), -4.0);
  const std::vector<saligned_t> i{3, -4, INT64_C(1) << 40, -2, 1};
  EXPECT_EQ(accumulated(qt_int_add_acc, i), (INT64_C(1) << 40) - 2);
  EXPECT_EQ(accumulated(qt_int_prod_acc, i), INT64_C(24) << 40);
  EXPECT_EQ(accumulated(qt_int_max_acc, i), INT64_C(1) << 40);
  EXPECT_EQ(accumulated(qt_int_min_acc, i), -4);
  const std::vector<aligned_t> u{3, UINT64_MAX, 2, 5, 1};  // the largest has all bits: it is not -1
  EXPECT_EQ(accumulated(qt_uint_add_acc, u), 10u);
  EXPECT_EQ(accumulated(qt_uint_prod_acc, u), UINT64_MAX - 29);
  EXPECT_EQ(accumulated(qt_uint_max_acc, u), UINT64_MAX);
  EXPECT_EQ(accumulated(qt_uint_min_acc, u), 1u);
}

TEST_F(structures, loop_queues_of_every_type_cover_their_range_once) {
  for (const auto type : {CHUNK, GUIDED, FACTORED, TIMED})
    for (const size_t incr : {1, 7}) {
      marks m(500);
      qqloop_handle_t* l = qt_loop_queue_create(type, 10, 500, incr, marks::mark, &m);
      qt_loop_queue_setchunk(l, 3);
      qt_loop_queue_run(l);
      EXPECT_TRUE(m.all_once(10));
      marks there(200);
      l = qt_loop_queue_create(type, 0, 200, incr, marks::mark, &there);
      qt_loop_queue_run_there(l, 0);
      EXPECT_TRUE(there.all_once(0));
    }
  marks all_at_once(50);
  qqloop_handle_t* const huge = qt_loop_queue_create(CHUNK, 0, 50, 7, marks::mark, &all_at_once);
  qt_loop_queue_setchunk(huge, SIZE_MAX - 2);
  qt_loop_queue_run(huge);
  EXPECT_TRUE(all_at_once.all_once(0));
  for (const auto type : {CHUNK, GUIDED, FACTORED, TIMED}) {
    marks no_step(50);
    qt_loop_queue_run(qt_loop_queue_create(type, 0, 50, 0, marks::mark, &no_step));
    EXPECT_TRUE(no_step.all_once(0)) << "a step of 0 is 1";
  }
  static qqloop_handle_t* growing;
  static marks* grown;
  marks m(100);
  grown = &m;
  const auto grows = [](size_t from, size_t to, void*) {
    if (from < 5) qt_loop_queue_addworker(growing, 0);
    marks::mark(from, to, grown);
  };
  static std::atomic<int> steps;
  steps = 0;
  const auto step = [](void* by) { steps += *static_cast<int*>(by); };
  int three = 3;
  for (const auto type : {CHUNK, GUIDED, FACTORED, TIMED})
    qt_loop_queue_run(reinterpret_cast<qqloop_handle_t*>(
        qt_loop_step_queue_create(type, 2, 33, 10, step, &three)));
  EXPECT_EQ(steps, 4 * 4 * 3);
  EXPECT_EQ(qt_loop_step_queue_create(CHUNK, 0, 1, 1, nullptr, nullptr), nullptr);
  growing = qt_loop_queue_create(CHUNK, 0, 100, 1, grows, nullptr);
  qt_loop_queue_run(growing);
  EXPECT_TRUE(m.all_once(0));
}

// As C passes it, where an enum is as good as any number. To keep it would be to read it.
template <class Enum>
Enum passed(unsigned n) {
  const volatile unsigned any = n;
  return static_cast<Enum>(any);
}

TEST_F(structures, numbers_that_are_no_value_of_an_enum_are_refused) {
  for (const unsigned n : {16u, 4711u, UINT_MAX}) {
    using type = qt_loop_queue_type;
    EXPECT_EQ(qt_loop_queue_create(passed<type>(n), 0, 1, 1, marks::mark, nullptr), nullptr);
    EXPECT_EQ(qt_loop_step_queue_create(passed<type>(n), 0, 1, 1, [](void*) {}, nullptr), nullptr);
    EXPECT_EQ(qarray_create_configured(1, 8, passed<distribution_t>(n), 0, 0), nullptr);
    EXPECT_EQ(qthread_readstate(passed<introspective_state>(n)),
              static_cast<size_t>(QTHREAD_BADARGS));
  }
  const auto leads = [](void*) -> aligned_t {
    qt_team_critical_section(BEGIN);
    qt_team_critical_section(passed<qt_team_critical_section_t>(16));
    qt_team_critical_section(END);
    return 1;
  };
  aligned_t led = 0;
  ASSERT_EQ(qthread_fork_new_team(leads, nullptr, &led), QTHREAD_SUCCESS);
  EXPECT_EQ((qthread_readFF(nullptr, &led), led), 1u);
}

TEST_F(structures, steps_and_parallel_regions_run_so_often) {
  static std::atomic<int> ran;
  ran = 0;
  qt_loop_step(0, 10, 3, [](void*) { ran.fetch_add(1); }, nullptr);
  EXPECT_EQ(ran, 4);
  qt_parallel([](size_t, size_t, void*) { ran.fetch_add(1); }, 5, nullptr);
  EXPECT_EQ(ran, 9);
  marks m(50);
  qt_parallel_for(marks::mark, 50, &m);
  EXPECT_TRUE(m.all_once(0));
}

// Arrays

TEST_F(structures, reductions_are_right_for_every_length) {
  for (const size_t n : {0, 1, 2, 3, 100'000}) {
    std::vector<double> d(n);
    std::vector<aligned_t> u(n);
    std::vector<saligned_t> s(n);
    for (size_t i = 0; i < n; ++i) {
      d[i] = static_cast<double>(i % 100) - 50;
      u[i] = i * 3 + 1;
      s[i] = static_cast<saligned_t>(i % 7) - 3;
    }
    const int feb = n < 100 ? 1 : 0;
    EXPECT_EQ(qt_double_sum(d.data(), n, feb), std::accumulate(d.begin(), d.end(), 0.0));
    EXPECT_EQ(qt_uint_sum(u.data(), n, feb), std::accumulate(u.begin(), u.end(), aligned_t{0}));
    EXPECT_EQ(qt_int_sum(s.data(), n, feb), std::accumulate(s.begin(), s.end(), saligned_t{0}));
    const aligned_t product =
        std::accumulate(u.begin(), u.end(), aligned_t{1}, std::multiplies<aligned_t>());
    EXPECT_EQ(qt_uint_prod(u.data(), n, feb), product);
    EXPECT_EQ(qt_int_prod(s.data(), n, feb),
              std::accumulate(s.begin(), s.end(), saligned_t{1}, std::multiplies<saligned_t>()));
    EXPECT_EQ(qt_double_prod(d.data(), std::min<size_t>(n, 2), feb), n == 0   ? 1
                                                                     : n == 1 ? -50
                                                                              : 2450);
    if (n == 0) continue;
    EXPECT_EQ(qt_double_max(d.data(), n, feb), *std::max_element(d.begin(), d.end()));
    EXPECT_EQ(qt_double_min(d.data(), n, feb), *std::min_element(d.begin(), d.end()));
    EXPECT_EQ(qt_uint_max(u.data(), n, feb), *std::max_element(u.begin(), u.end()));
    EXPECT_EQ(qt_uint_min(u.data(), n, feb), *std::min_element(u.begin(), u.end()));
    EXPECT_EQ(qt_int_max(s.data(), n, feb), *std::max_element(s.begin(), s.end()));
    EXPECT_EQ(qt_int_min(s.data(), n, feb), *std::min_element(s.begin(), s.end()));
  }
}

TEST_F(structures, extremes_of_nothing_but_infinities_are_infinite) {
  const double least[] = {-INFINITY, -INFINITY}, most[] = {INFINITY, INFINITY};
  EXPECT_EQ(qutil_double_max(least, 2, 0), -double(INFINITY));
  EXPECT_EQ(qutil_double_min(most, 2, 0), double(INFINITY));
}

TEST_F(structures, a_checked_reduction_waits_for_each_element) {
  static aligned_t array[10];
  for (aligned_t& a : array) qthread_purge(&a);
  aligned_t ret = 0;
  const auto sums = [](void*) -> aligned_t { return qutil_uint_sum(array, 10, 1); };
  qthread_fork(sums, nullptr, &ret);
  for (aligned_t i = 0; i < 10; ++i) {
    qthread_yield();
    qthread_writeEF_const(&array[9 - i], i);
  }
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 45u);
}

TEST_F(structures, sorts_sort_numbers_and_put_what_is_none_last) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> numbers(-1e6, 1e6);
  for (const size_t n : {0, 1, 2, 1'000, 60'000}) {
    std::vector<double> d(n), expected;
    std::vector<aligned_t> u(n);
    for (double& x : d) x = numbers(random);
    for (aligned_t& x : u) x = random();
    expected = d;
    std::sort(expected.begin(), expected.end());
    for (auto* sort : {qutil_qsort, qutil_mergesort, qt_qsort}) {
      std::vector<double> copy = d;
      sort(copy.data(), n);
      EXPECT_EQ(copy, expected);
    }
    qutil_aligned_qsort(u.data(), n);
    EXPECT_TRUE(std::is_sorted(u.begin(), u.end()));
  }
  std::vector<double> with_nan(30'000, 1.0);
  for (size_t i = 0; i < with_nan.size(); i += 3) with_nan[i] = NAN;
  qutil_qsort(with_nan.data(), with_nan.size());
  EXPECT_EQ(std::count(with_nan.begin(), with_nan.begin() + 20'000, 1.0), 20'000);
  std::vector<double> extreme;
  for (int i = 0; i < 1'000; ++i)
    for (const double x : {-0.0, 1e300, double(INFINITY), -5e-324, 0.0, -double(INFINITY), -1e300})
      extreme.push_back(x);
  extreme.push_back(-NAN);
  qutil_mergesort(extreme.data(), extreme.size());
  EXPECT_TRUE(std::isnan(extreme.back()));
  EXPECT_TRUE(std::is_sorted(extreme.begin(), extreme.end() - 1));
}

TEST_F(structures, elements_of_every_distribution_are_visited_at_their_shepherd) {
  static std::atomic<int> count, astray;
  const distribution_t all[] = {FIXED_HASH,   FIXED_FIELDS, ALL_SAME,  DIST,
                                DIST_STRIPES, DIST_FIELDS,  DIST_RAND, DIST_LEAST,
                                ALL_LOCAL,    ALL_RAND,     ALL_LEAST};
  for (const distribution_t d : all)
    for (const size_t unit : {8, 41, 9'000}) {
      qarray* a = qarray_create_configured(200, unit, d, 0, 1);
      ASSERT_NE(a, nullptr);
      count = astray = 0;
      qarray_iter(a, 0, 200, [](void* element) -> aligned_t {
        *static_cast<char*>(element) = 7;
        return aligned_t(count.fetch_add(1));
      });
      EXPECT_EQ(count, 200);
      const auto look = [](size_t from, size_t to, qarray* array, void*) {
        if (qarray_shepof(array, from) != qthread_shep()) astray.fetch_add(1);
        for (; from < to; ++from)
          count.fetch_sub(*static_cast<char*>(qarray_elem(array, from)) == 7 ? 1 : 0);
      };
      qarray_iter_loop(a, 10, 190, look, nullptr);
      EXPECT_EQ(count, 20);
      EXPECT_EQ(astray, 0);
      aligned_t done = 0;
      qarray_iter_loop_nb(a, 0, 10, look, nullptr, &done);
      qthread_readFF(nullptr, &done);
      EXPECT_EQ(count, 10);
      EXPECT_EQ(qarray_elem(a, 201), nullptr);
      EXPECT_EQ(qarray_shepof(a, 200), NO_SHEPHERD);
      qarray_destroy(a);
    }
}

TEST_F(structures, arrays_of_units_that_cannot_be_are_refused) {
  EXPECT_EQ(qarray_create(1, SIZE_MAX), nullptr);
  EXPECT_EQ(qarray_create_tight(1, SIZE_MAX), nullptr);
  EXPECT_EQ(qarray_create(SIZE_MAX, 8), nullptr);
}

// With so many shepherds.
void start_anew(const char* shepherds) {
  qthread_finalize();
  setenv("QT_NUM_SHEPHERDS", shepherds, 1);
  EXPECT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  unsetenv("QT_NUM_SHEPHERDS");
}

TEST_F(structures, arrays_and_queues_of_an_earlier_start_with_more_shepherds_are_whole) {
  start_anew("4");
  qarray* a = qarray_create_configured(100'000, 8, DIST_STRIPES, 0, 0);
  qdqueue_t* q = qdqueue_create();
  for (uint16_t there = 0; there < 4; ++there)
    EXPECT_EQ(qdqueue_enqueue_there(q, as_argument(there + 1u), there), QTHREAD_SUCCESS);
  start_anew("2");
  aligned_t sum = 0;
  qarray_iter_loopaccum(
      a, 0, 100'000,
      [](size_t from, size_t to, qarray*, void*, void* ret) {
        *static_cast<aligned_t*>(ret) += to - from;
      },
      nullptr, &sum, sizeof sum, qt_uint_add_acc);
  EXPECT_EQ(sum, 100'000u);
  aligned_t taken = 0;
  for (int i = 0; i < 4; ++i) taken += as_number(qdqueue_dequeue(q));
  EXPECT_EQ(taken, 1u + 2 + 3 + 4);
  EXPECT_EQ(qdqueue_empty(q), 1);
  qdqueue_destroy(q);
  qarray_destroy(a);
}

TEST_F(structures, loops_run_whole_in_a_scope_that_is_cancelled) {
  weft_cancel_t cancel = WEFT_CANCEL_INIT;
  weft_cancel_scope_t scope;
  ASSERT_EQ(weft_cancel_enter(&cancel, &scope), 0);
  weft_cancel_request(&cancel);
  static std::atomic<size_t> ran;
  ran = 0;
  qt_loop(0, 10, [](size_t from, size_t to, void*) { ran += to - from; }, nullptr);
  EXPECT_EQ(ran, 10u);
  EXPECT_EQ(weft_cancel_leave(&scope), 0);
}

TEST_F(structures, arrays_accumulate_and_take_over_a_distribution) {
  qarray* a = qarray_create_tight(5'000, sizeof(int));
  qarray* dist = qarray_create_configured(5'000, sizeof(int), DIST_STRIPES, 1, 1);
  qarray* like = qarray_create_configured(5'000, sizeof(int), DIST_RAND, 1, 1);
  qarray_iter_loop(
      a, 0, 5'000,
      [](size_t from, size_t to, qarray* array, void*) {
        for (; from < to; ++from) *static_cast<int*>(qarray_elem(array, from)) = int(from);
      },
      nullptr);
  double sum = 0;
  qarray_iter_loopaccum(
      a, 0, 5'000,
      [](size_t from, size_t to, qarray* array, void*, void* ret) {
        for (; from < to; ++from)
          *static_cast<double*>(ret) += *static_cast<int*>(qarray_elem(array, from));
      },
      nullptr, &sum, sizeof sum, qt_dbl_add_acc);
  EXPECT_EQ(sum, 5'000.0 * 4'999 / 2);
  // What func overwrites is overwritten: the value that was there is no part of the result.
  for (int round = 0; round < 2; ++round)
    qarray_iter_loopaccum(
        a, 0, 5'000,
        [](size_t from, size_t to, qarray*, void*, void* ret) {
          *static_cast<double*>(ret) = static_cast<double>(to - from);
        },
        nullptr, &sum, sizeof sum, qt_dbl_add_acc);
  EXPECT_EQ(sum, 5'000.0);
  qarray* const same = qarray_create_configured(5'000, sizeof(int), ALL_SAME, 0, 0);
  const auto where = [](const qarray* of) {
    std::vector<qthread_shepherd_id_t> all;
    for (size_t i = 0; i < 5'000; i += 100) all.push_back(qarray_shepof(of, i));
    return all;
  };
  for (const auto& [ref, mod] : {std::pair{dist, same}, {a, same}, {a, like}}) {
    if (ref == a && ref->dist_type == DIST) continue;
    const auto before = where(mod);
    qarray_dist_like(ref, mod);
    EXPECT_EQ(where(mod), before) << "it cannot be distributed so";
  }
  qarray_destroy(same);
  qarray_dist_like(dist, like);
  for (size_t i = 0; i < 5'000; i += 100) EXPECT_EQ(qarray_shepof(like, i), qarray_shepof(dist, i));
  qarray_set_shepof(like, 0, static_cast<qthread_shepherd_id_t>(qthread_num_shepherds() - 1));
  EXPECT_EQ(qarray_shepof(like, 0), qthread_num_shepherds() - 1);
  static std::atomic<size_t> seen;
  seen = 0;
  qarray_iter_constloop(
      a, 0, 5'000, [](size_t from, size_t to, const qarray*, void*) { seen += to - from; },
      nullptr);
  EXPECT_EQ(seen, 5'000u);
  for (qarray* each : {a, dist, like}) qarray_destroy(each);
}

TEST_F(structures, every_pair_is_met_once) {
  constexpr size_t n = 130, m = 70;
  qarray* a = qarray_create(n, sizeof(long));
  qarray* b = qarray_create(m, sizeof(long));
  for (size_t i = 0; i < n; ++i) *static_cast<long*>(qarray_elem(a, i)) = long(i) + 1;
  for (size_t i = 0; i < m; ++i) *static_cast<long*>(qarray_elem(b, i)) = long(i) + 1;
  std::vector<std::vector<long>> out(n, std::vector<long>(m));
  std::vector<void*> rows;
  for (auto& row : out) rows.push_back(row.data());
  qt_allpairs_output(
      a, b,
      [](const void* x, const void* y, void* to) {
        *static_cast<long*>(to) += *static_cast<const long*>(x) * *static_cast<const long*>(y);
      },
      rows.data(), sizeof(long));
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < m; ++j) ASSERT_EQ(out[i][j], long((i + 1) * (j + 1)));
  static std::atomic<size_t> without;
  without = 0;
  qt_allpairs_output(
      a, b, [](const void*, const void*, void* to) { without += to == nullptr ? 1 : 0; }, nullptr,
      0);
  EXPECT_EQ(without, n * m);
  static std::atomic<long> sum;
  sum = 0;
  qt_allpairs(a, b, [](const void* x, const void* y) {
    sum += *static_cast<const long*>(x) * *static_cast<const long*>(y);
  });
  EXPECT_EQ(sum, long(n * (n + 1) / 2 * (m * (m + 1) / 2)));
  qarray_destroy(a);
  qarray_destroy(b);
}

void paths(const void* left, const void*, const void* down, void* out) {
  *static_cast<int*>(out) = (*static_cast<const int*>(left) + *static_cast<const int*>(down)) % 997;
}

TEST_F(structures, a_wavefront_computes_each_cell_after_its_neighbours) {
  constexpr size_t w = 150, h = 90;
  std::vector<std::vector<int>> serial(w, std::vector<int>(h, 1)), grid = serial;
  for (size_t x = 1; x < w; ++x)
    for (size_t y = 1; y < h; ++y)
      paths(&serial[x - 1][y], nullptr, &serial[x][y - 1], &serial[x][y]);
  std::vector<int*> columns;
  for (auto& c : grid) columns.push_back(c.data());
  qt_basic_wavefront(columns.data(), w, h, paths);
  EXPECT_EQ(grid, serial);

  static std::atomic<int> last;
  qarray* left = qarray_create(h - 1, sizeof(int));
  qarray* below = qarray_create(w, sizeof(int));
  const auto ones = [](void* e) -> aligned_t { return aligned_t(*static_cast<int*>(e) = 1); };
  qarray_iter(left, 0, h - 1, ones);
  qarray_iter(below, 0, w, ones);
  qt_wavefront_lattice* l =
      qt_wavefront(left, below, [](const void* a, const void* b, const void* c, void* out) {
        paths(a, b, c, out);
        last = *static_cast<int*>(out);
      });
  ASSERT_NE(l, nullptr);
  EXPECT_EQ(last, serial[w - 1][h - 1]);
  qt_wavefront_destroy_lattice(l);
  qarray_destroy(left);
  qarray_destroy(below);
}

// Queues

TEST_F(structures, a_queue_without_locks_keeps_each_producers_order) {
  static qlfqueue_t* q;
  constexpr aligned_t producers = 4, each = 500;
  q = qlfqueue_create();
  EXPECT_EQ(qlfqueue_empty(q), 1);
  EXPECT_EQ(qlfqueue_dequeue(q), nullptr);
  EXPECT_EQ(qlfqueue_enqueue(q, nullptr), QTHREAD_BADARGS);
  const auto produce = [](void* arg) -> aligned_t {
    for (aligned_t i = 1; i <= each; ++i) {
      EXPECT_EQ(qlfqueue_enqueue(q, as_argument(as_number(arg) << 32 | i)), 0);
      if (i % 64 == 0) qthread_yield();
    }
    return 0;
  };
  aligned_t rets[producers], next[producers] = {};
  for (aligned_t p = 0; p < producers; ++p) qthread_fork(produce, as_argument(p), &rets[p]);
  for (aligned_t got = 0; got < producers * each;) {
    void* e = qlfqueue_dequeue(q);
    if (e == nullptr) {
      qthread_yield();
      continue;
    }
    ++got;
    EXPECT_EQ(as_number(e) & 0xffffffff, ++next[as_number(e) >> 32]);
  }
  for (aligned_t& r : rets) qthread_readFF(nullptr, &r);
  EXPECT_EQ(qlfqueue_empty(q), 1);
  EXPECT_EQ(qlfqueue_destroy(q), 0);
}

TEST_F(structures, takers_of_one_queue_get_each_element_once) {
  static qlfqueue_t* q;
  static std::atomic<aligned_t> sum, taken;
  constexpr aligned_t n = 3'000;
  q = qlfqueue_create();
  sum = taken = 0;
  const auto take_and_put = [](void*) -> aligned_t {
    while (taken < n) {
      void* e = qlfqueue_dequeue(q);
      if (e == nullptr) {
        qthread_yield();
      } else if (as_number(e) % 2 == 1) {
        qlfqueue_enqueue(q, as_argument(as_number(e) + 1));  // once more, as an even one
      } else {
        sum += as_number(e);
        ++taken;
      }
    }
    return 0;
  };
  for (aligned_t i = 0; i < n; ++i) qlfqueue_enqueue(q, as_argument(2 * i + 1));
  aligned_t rets[6];
  for (aligned_t& r : rets) qthread_fork(take_and_put, nullptr, &r);
  for (aligned_t& r : rets) qthread_readFF(nullptr, &r);
  EXPECT_EQ(sum, n * (n + 1));
  qlfqueue_destroy(q);
}

TEST_F(structures, a_distributed_queue_gives_what_is_near_first) {
  qdqueue_t* q = qdqueue_create();
  const auto last = static_cast<qthread_shepherd_id_t>(qthread_num_shepherds() - 1);
  EXPECT_EQ(qdqueue_empty(q), 1);
  EXPECT_EQ(qdqueue_dequeue(q), nullptr);
  EXPECT_EQ(qdqueue_enqueue_there(q, as_argument(1), last), 0);
  EXPECT_EQ(qdqueue_enqueue_there(q, as_argument(9), static_cast<qthread_shepherd_id_t>(last + 1)),
            QTHREAD_BADARGS);
  EXPECT_EQ(qdqueue_enqueue(q, as_argument(2)), 0);
  EXPECT_EQ(qdqueue_enqueue(q, as_argument(3)), 0);
  std::vector<aligned_t> got;
  while (qdqueue_empty(q) == 0) got.push_back(as_number(qdqueue_dequeue(q)));
  EXPECT_EQ(got, last == 0 ? (std::vector<aligned_t>{1, 2, 3}) : (std::vector<aligned_t>{2, 3, 1}));
  EXPECT_EQ(qdqueue_destroy(q), 0);
}

TEST_F(structures, a_bounded_queue_says_when_it_is_full_or_waits) {
  static qswsrqueue_t* q;
  for (const auto& [asked, held] : {std::pair<size_t, aligned_t>{0, 63}, {65, 127}, {64, 63}}) {
    q = qswsrqueue_create(asked);
    ASSERT_NE(q, nullptr);
    for (aligned_t i = 1; i <= held; ++i) EXPECT_EQ(qswsrqueue_enqueue(q, as_argument(i)), 0);
    EXPECT_EQ(qswsrqueue_enqueue(q, as_argument(1)), QTHREAD_OPFAIL);
    for (aligned_t i = 1; i <= held; ++i) EXPECT_EQ(as_number(qswsrqueue_dequeue(q)), i);
    EXPECT_EQ(qswsrqueue_dequeue(q), nullptr);
    EXPECT_EQ(qswsrqueue_empty(q), 1);
    aligned_t ret = 0;
    const auto produce = [](void*) -> aligned_t {
      for (aligned_t i = 1; i <= 300; ++i)
        if (qswsrqueue_enqueue_blocking(q, as_argument(i)) != 0) return 1;
      return 0;
    };
    qthread_fork(produce, nullptr, &ret);
    for (aligned_t i = 1; i <= 300; ++i) EXPECT_EQ(as_number(qswsrqueue_dequeue_blocking(q)), i);
    qthread_readFF(nullptr, &ret);
    EXPECT_EQ(ret, 0u);
    EXPECT_EQ(qswsrqueue_destroy(q), 0);
  }
  EXPECT_EQ(qswsrqueue_create(SIZE_MAX), nullptr);
}

TEST_F(structures, a_bounded_queue_holds_null_as_any_other) {
  qswsrqueue_t* q = qswsrqueue_create(0);
  int one = 1;
  EXPECT_EQ(qswsrqueue_enqueue(q, nullptr), QTHREAD_SUCCESS);
  EXPECT_EQ(qswsrqueue_enqueue_blocking(q, nullptr), QTHREAD_SUCCESS);
  EXPECT_EQ(qswsrqueue_enqueue(q, &one), QTHREAD_SUCCESS);
  EXPECT_EQ(qswsrqueue_empty(q), 0);
  EXPECT_EQ(qswsrqueue_dequeue(q), nullptr);
  EXPECT_EQ(qswsrqueue_empty(q), 0);
  EXPECT_EQ(qswsrqueue_dequeue_blocking(q), nullptr);
  EXPECT_EQ(qswsrqueue_dequeue(q), &one);
  EXPECT_EQ(qswsrqueue_empty(q), 1);
  EXPECT_EQ(qswsrqueue_destroy(q), QTHREAD_SUCCESS);
}

// Who is released destroys it, while the other may not have returned.
TEST_F(structures, queues_of_tasks_are_destroyed_by_who_is_released) {
  static qthread_queue_t q;
  const auto releases = [](void* release) -> aligned_t {
    const qthread_queue_t here = q;
    while (qthread_queue_length(here) != 1) qthread_yield();
    return aligned_t(reinterpret_cast<int (*)(qthread_queue_t)>(release)(here));
  };
  for (const auto release : {qthread_queue_release_one, qthread_queue_release_all})
    for (int i = 0; i < 5'000; ++i) {
      q = qthread_queue_create(0, 0);
      aligned_t ret = 1;
      ASSERT_EQ(qthread_fork(releases, reinterpret_cast<void*>(release), &ret), QTHREAD_SUCCESS);
      ASSERT_EQ(qthread_queue_join(q), QTHREAD_SUCCESS);
      ASSERT_EQ(qthread_queue_destroy(q), QTHREAD_SUCCESS);
      ASSERT_EQ((qthread_readFF(nullptr, &ret), ret), 0u);
    }
}

// Dictionaries and memory

int same_number(void* a, void* b) { return a == b; }
int bad_hash(void* key) { return static_cast<int>(as_number(key) % 3); }
int good_hash(void* key) { return static_cast<int>(as_number(key)); }
std::atomic<int> cleaned;
void clean(void*, void*) { cleaned.fetch_add(1); }

TEST_F(structures, dictionaries_keep_one_value_for_each_key) {
  cleaned = 0;
  for (auto* hash : {bad_hash, good_hash}) {
    qt_dictionary* d = qt_dictionary_create(same_number, hash, clean);
    int local = 0;
    EXPECT_EQ(qt_dictionary_get(d, as_argument(1)), nullptr);
    EXPECT_EQ(qt_dictionary_put(d, as_argument(1), &local), &local);
    EXPECT_EQ(qt_dictionary_put_if_absent(d, as_argument(1), d), &local);
    EXPECT_EQ(qt_dictionary_put(d, as_argument(1), d), d);
    EXPECT_EQ(qt_dictionary_get(d, as_argument(1)), d);
    EXPECT_EQ(qt_dictionary_delete(d, as_argument(1)), d);
    EXPECT_EQ(qt_dictionary_delete(d, as_argument(1)), nullptr);
    qt_dictionary_put(d, as_argument(2), d);
    qt_dictionary_destroy(d);
  }
  EXPECT_EQ(cleaned, 4);  // one deleted, one left, of each
}

TEST_F(structures, a_key_without_a_value_counts_as_absent) {
  const auto same = [](void* a, void* b) -> int {
    return *static_cast<int*>(a) == *static_cast<int*>(b);
  };
  const auto hash = [](void* key) -> int { return *static_cast<int*>(key); };
  qt_dictionary* d = qt_dictionary_create(same, hash, nullptr);
  int value = 0, other = 0, keys[] = {7, 7};
  for (int& key : keys) {  // the same pointer, and an equal one
    EXPECT_EQ(qt_dictionary_put(d, &keys[0], nullptr), nullptr);
    EXPECT_EQ(qt_dictionary_get(d, &key), nullptr);
    EXPECT_EQ(qt_dictionary_put_if_absent(d, &key, &value), &value);
    EXPECT_EQ(qt_dictionary_get(d, &key), &value);
    EXPECT_EQ(qt_dictionary_put_if_absent(d, &key, &other), &value);
    EXPECT_EQ(qt_dictionary_get(d, &keys[0]), &value);
  }
  EXPECT_EQ(qt_dictionary_delete(d, &keys[0]), &value);
  EXPECT_EQ(qt_dictionary_get(d, &keys[1]), nullptr);
  qt_dictionary_destroy(d);
}

TEST_F(structures, tasks_share_a_dictionary_and_iterators_meet_all) {
  static qt_dictionary* d;
  d = qt_dictionary_create(same_number, good_hash, nullptr);
  const auto fill = [](void* arg) -> aligned_t {
    for (aligned_t i = as_number(arg); i < 2'000; i += 4) {
      qt_dictionary_put(d, as_argument(i + 1), as_argument(2 * i + 2));
      qt_dictionary_put_if_absent(d, as_argument(5'000 + i / 4), as_argument(1));
    }
    return 0;
  };
  aligned_t rets[4];
  for (aligned_t i = 0; i < 4; ++i) qthread_fork(fill, as_argument(i), &rets[i]);
  for (aligned_t& r : rets) qthread_readFF(nullptr, &r);
  size_t entries = 0;
  qt_dictionary_iterator* it = qt_dictionary_iterator_create(d);
  qt_dictionary_iterator* end = qt_dictionary_end(d);
  EXPECT_EQ(qt_dictionary_iterator_get(it), nullptr);
  while (list_entry* e = qt_dictionary_iterator_next(it)) {
    ++entries;
    EXPECT_EQ(qt_dictionary_iterator_get(it), e);
    EXPECT_EQ(as_number(e->value), as_number(e->key) < 5'000 ? 2 * as_number(e->key) : 1);
    if (entries == 10) {
      qt_dictionary_iterator* copy = qt_dictionary_iterator_copy(it);
      EXPECT_EQ(qt_dictionary_iterator_equals(it, copy), 1);
      qt_dictionary_iterator_next(copy);
      EXPECT_EQ(qt_dictionary_iterator_equals(it, copy), 0);
      qt_dictionary_iterator_destroy(copy);
    }
  }
  EXPECT_EQ(entries, 2'500u);
  EXPECT_EQ(qt_dictionary_iterator_equals(it, end), 1);
  qt_dictionary_iterator_destroy(it);
  qt_dictionary_iterator_destroy(end);
  EXPECT_EQ(qt_dictionary_iterator_create(nullptr), ERROR);
  qt_dictionary_destroy(d);
}

TEST_F(structures, a_put_leaves_the_key_that_came_last) {
  const auto same = [](void* a, void* b) -> int {
    return *static_cast<int*>(a) == *static_cast<int*>(b);
  };
  const auto hash = [](void* key) -> int { return *static_cast<int*>(key); };
  int first = 7, second = 7, third = 7;
  qt_dictionary* d = qt_dictionary_create(same, hash, nullptr);
  qt_dictionary_put(d, &first, as_argument(1));
  qt_dictionary_put(d, &second, as_argument(2));
  EXPECT_EQ(qt_dictionary_put_if_absent(d, &third, as_argument(3)), as_argument(2));
  first = 8;  // its memory is used again
  EXPECT_EQ(qt_dictionary_get(d, &third), as_argument(2));
  qt_dictionary_iterator* it = qt_dictionary_iterator_create(d);
  const list_entry* e = qt_dictionary_iterator_next(it);
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->key, &second);
  EXPECT_EQ(qt_dictionary_iterator_next(it), nullptr);
  qt_dictionary_iterator_destroy(it);
  qt_dictionary_destroy(d);
}

// A key is looked for while others of its shard come, go and make the table grow.
TEST_F(structures, a_dictionary_never_misses_a_key_that_stays) {
  static qt_dictionary* d;
  static std::atomic<bool> over;
  static std::atomic<int> missed;
  d = qt_dictionary_create(same_number, bad_hash, nullptr);
  over = false;
  missed = 0;
  for (aligned_t i = 1; i <= 3; ++i) qt_dictionary_put(d, as_argument(i), as_argument(i));
  const auto look = [](void* arg) -> aligned_t {
    const aligned_t wanted = as_number(arg);
    do {
      void* value = qt_dictionary_get(d, as_argument(wanted));
      if (as_number(value) % 1'000 != wanted) missed.fetch_add(1);
      void* other = qt_dictionary_get(d, as_argument(wanted + 30));
      if (other != nullptr && as_number(other) != wanted + 30) missed.fetch_add(1);
      qthread_yield();
    } while (!over.load());
    return 0;
  };
  const auto change = [](void*) -> aligned_t {
    for (aligned_t round = 1; round <= 200; ++round) {
      for (aligned_t i = 4; i < 60; ++i)
        qt_dictionary_put_if_absent(d, as_argument(i), as_argument(i));
      for (aligned_t i = 1; i <= 3; ++i)
        qt_dictionary_put(d, as_argument(i), as_argument(1'000 * round + i));
      for (aligned_t i = 4; i < 60; ++i) qt_dictionary_delete(d, as_argument(i));
      qthread_yield();
    }
    over = true;
    return 0;
  };
  aligned_t rets[4];
  for (aligned_t i = 1; i <= 3; ++i) qthread_fork(look, as_argument(i), &rets[i]);
  qthread_fork(change, nullptr, &rets[0]);
  for (aligned_t& r : rets) qthread_readFF(nullptr, &r);
  EXPECT_EQ(missed, 0);
  qt_dictionary_destroy(d);
}

// The comparison gives way while the dictionary is its own.
TEST_F(structures, a_eureka_ends_who_compares_keys_afterwards) {
  static qt_dictionary* d;
  static int keys[] = {7, 7};
  static std::atomic<bool> inside, over;
  static std::atomic<int> late;
  const auto same = [](void* a, void* b) -> int {
    if (!inside.exchange(true))
      while (!over) qthread_yield();
    return *static_cast<int*>(a) == *static_cast<int*>(b);
  };
  const auto hash = [](void* key) -> int { return *static_cast<int*>(key); };
  static const qthread_f uses[] = {
      [](void* key) -> aligned_t { return as_number(qt_dictionary_get(d, key)) + ++late; },
      [](void* key) -> aligned_t {
        return as_number(qt_dictionary_put(d, key, as_argument(5))) + ++late;
      },
      [](void* key) -> aligned_t {
        return as_number(qt_dictionary_put_if_absent(d, key, as_argument(6))) + ++late;
      },
      [](void* key) -> aligned_t { return as_number(qt_dictionary_delete(d, key)) + ++late; }};
  const auto leads = [](void* which) -> aligned_t {
    qthread_fork(uses[as_number(which)], &keys[1], nullptr);
    while (!inside) qthread_yield();
    qt_team_eureka();
    over = true;
    return 3;
  };
  late = 0;
  for (aligned_t which = 0; which < std::size(uses); ++which) {
    d = qt_dictionary_create(same, hash, nullptr);
    inside = over = true;
    qt_dictionary_put(d, &keys[0], as_argument(4));
    inside = over = false;
    aligned_t ret = 0;
    ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
    ASSERT_EQ(qthread_fork_new_team(leads, as_argument(which), &ret), QTHREAD_SUCCESS);
    EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 3u);
    const auto gets = [](void* key) -> aligned_t { return as_number(qt_dictionary_get(d, key)); };
    (void)value_of(gets, &keys[1]);
    qthread_finalize();  // all have ended
    const aligned_t expected[] = {4, 5, 4, 0};
    EXPECT_EQ(as_number(qt_dictionary_get(d, &keys[1])), expected[which]);
    qt_dictionary_destroy(d);
  }
  EXPECT_EQ(late, 0);
}

TEST_F(structures, hashes_depend_on_every_byte_and_the_state) {
  char text[] = "sixteen bytes ok";
  const aligned_t h = qt_hash_bytes(text, 16, 1);
  EXPECT_EQ(qt_hash_bytes(text, 16, 1), h);
  EXPECT_NE(qt_hash_bytes(text, 16, 2), h);
  EXPECT_NE(qt_hash_bytes(text, 15, 1), h);
  for (char& c : text) {
    c ^= 1;
    if (c != 1) {
      EXPECT_NE(qt_hash_bytes(text, 16, 1), h);
    }
    c ^= 1;
  }
  EXPECT_NE(qt_hash64(1), qt_hash64(2));
}

// An address at which a file can be mapped again after it was unmapped: the kernel gives other
// mappings, such as those of workers that begin meanwhile, what is next to the last one, and not
// what is so far away.
char* far_from_other_mappings() {
  const std::size_t distance = std::size_t{64} << 30;
  void* next = mmap(nullptr, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (next == MAP_FAILED) return nullptr;
  munmap(next, 1 << 20);
  return static_cast<char*>(next) - distance;
}

TEST_F(structures, memory_in_files_is_there_again_when_they_are_loaded) {
  char name[] = "/tmp/weft-qalloc-XXXXXX";
  char sized[] = "/tmp/weft-qalloc-XXXXXX";
  close(mkstemp(name));
  close(mkstemp(sized));
  char* const place = far_from_other_mappings();
  void* fixed = qalloc_makestatmap(1 << 16, place, name, 24, 1);
  void* any = qalloc_makedynmap(1 << 16, place + (1 << 16), sized, 1);
  ASSERT_NE(fixed, nullptr);
  ASSERT_NE(any, nullptr);
  auto* a = static_cast<char*>(qalloc_malloc(fixed, 0));
  auto* b = static_cast<char*>(qalloc_malloc(any, 1'000));
  EXPECT_EQ(qalloc_malloc(any, 1 << 17), nullptr);
  std::strcpy(a, "fixed");
  std::strcpy(b, "any");
  void* again = qalloc_malloc(any, 1'000);
  qalloc_free(again, any);
  EXPECT_EQ(qalloc_malloc(any, 900), again);  // of the same class
  int blocks = 1;
  while (qalloc_malloc(fixed, 0) != nullptr) ++blocks;
  EXPECT_GT(blocks, 1'000);
  qalloc_checkpoint();
  qalloc_cleanup();
  fixed = qalloc_loadmap(name);
  any = qalloc_makedynmap(1 << 16, nullptr, sized, 1);
  ASSERT_NE(fixed, nullptr);
  ASSERT_NE(any, nullptr);
  EXPECT_STREQ(a, "fixed");
  EXPECT_STREQ(b, "any");
  EXPECT_EQ(qalloc_malloc(fixed, 0), nullptr);
  qalloc_free(a, fixed);
  EXPECT_EQ(qalloc_malloc(fixed, 0), a);
  qalloc_cleanup();
  EXPECT_EQ(qalloc_loadmap("/tmp/no/such/file"), nullptr);
  EXPECT_EQ(qalloc_makestatmap(16, nullptr, name, 24, 1), nullptr);
  unlink(name);
  unlink(sized);
}

TEST_F(structures, large_blocks_that_are_free_again_serve_small_ones) {
  char name[] = "/tmp/weft-qalloc-XXXXXX";
  close(mkstemp(name));
  void* map = qalloc_makedynmap(1 << 16, nullptr, name, 1);
  ASSERT_NE(map, nullptr);
  std::vector<char*> large;
  while (void* block = qalloc_malloc(map, 4'000)) large.push_back(static_cast<char*>(block));
  EXPECT_GE(large.size(), 14u);
  while (qalloc_malloc(map, 1) != nullptr) {
  }
  for (char* block : large) qalloc_free(block, map);
  std::set<char*> small;
  constexpr std::size_t bytes = 900;
  while (void* block = qalloc_malloc(map, bytes)) {
    std::memset(block, 7, bytes);
    small.insert(static_cast<char*>(block));
  }
  EXPECT_EQ(small.size(), 4 * large.size());
  char* before = nullptr;
  for (char* block : small) {
    EXPECT_TRUE(before == nullptr || block - before >= std::ptrdiff_t{bytes});
    before = block;
  }
  EXPECT_EQ(qalloc_malloc(map, 4'000), nullptr);
  for (char* block : small) qalloc_free(block, map);
  EXPECT_EQ(qalloc_malloc(map, 4'000), nullptr);  // halves are not joined
  qalloc_cleanup();
  unlink(name);
}

TEST_F(structures, a_file_that_cannot_be_mapped_there_is_mapped_elsewhere_later) {
  char name[] = "/tmp/weft-qalloc-XXXXXX";
  close(mkstemp(name));
  void* taken = mmap(nullptr, 1 << 16, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_EQ(qalloc_makedynmap(1 << 16, taken, name, 1), nullptr);
  EXPECT_EQ(errno, EEXIST);
  void* map = qalloc_makedynmap(1 << 16, nullptr, name, 1);
  ASSERT_NE(map, nullptr);
  EXPECT_NE(qalloc_malloc(map, 100), nullptr);
  qalloc_cleanup();
  munmap(taken, 1 << 16);
  unlink(name);
}

TEST_F(structures, a_child_of_fork_has_memory_in_files_whatever_others_did) {
  static void* map;
  static std::atomic<bool> go_on;
  char name[] = "/tmp/weft-qalloc-XXXXXX";
  close(mkstemp(name));
  map = qalloc_makestatmap(1 << 16, nullptr, name, 24, 1);
  ASSERT_NE(map, nullptr);
  go_on = true;
  std::thread other([] {
    while (go_on.load()) qalloc_free(qalloc_malloc(map, 0), map);
  });
  for (int round = 0; round < 100; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // if a lock of the other thread is held for ever
      _exit(qalloc_malloc(map, 0) == nullptr);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << round;
    if (status != 0) break;
  }
  go_on = false;
  other.join();
  qalloc_cleanup();
  unlink(name);
}

TEST_F(structures, keys_hold_a_value_for_each_task_and_thread) {
  static qthread_key_t key;
  static std::atomic<int> destroyed;
  destroyed = 0;
  ASSERT_EQ(qthread_key_create(&key, [](void*) { destroyed.fetch_add(1); }), 0);
  const auto uses = [](void* arg) -> aligned_t {
    if (qthread_getspecific(key) != nullptr) return 1;
    qthread_setspecific(key, arg);
    qthread_yield();
    return qthread_getspecific(key) == arg ? 0 : 2;
  };
  EXPECT_EQ(value_of(uses, as_argument(5)), 0u);
  EXPECT_EQ(value_of(uses, as_argument(6)), 0u);
  outside([&] { EXPECT_EQ(uses(as_argument(7)), 0u); });
  // The values of tasks go when they end, which may be just after their return word was filled.
  while (destroyed != 3) qthread_yield();
  EXPECT_EQ(qthread_getspecific(key), nullptr);
  EXPECT_EQ(qthread_key_delete(key), 0);
}

TEST_F(structures, keys_do_not_share_values_nor_destructors) {
  constexpr aligned_t n = 40;
  static qthread_key_t keys[n];
  static std::atomic<aligned_t> destroyed, last;
  destroyed = last = 0;
  for (aligned_t i = 0; i < n - 1; ++i)
    ASSERT_EQ(qthread_key_create(&keys[i], [](void* v) { destroyed += as_number(v); }), 0);
  ASSERT_EQ(qthread_key_create(&keys[n - 1], [](void* v) { last += as_number(v); }), 0);
  // Values are 1 to n times what each is given; those of every third key are taken away again.
  const auto uses = [](void* arg) -> aligned_t {
    const aligned_t by = as_number(arg);
    bool right = true;
    for (aligned_t i = 0; i < n; ++i) {
      right &= qthread_getspecific(keys[i]) == nullptr;
      right &= qthread_setspecific(keys[i], as_argument(by * (i + 1))) == 0;
    }
    qthread_yield();
    for (aligned_t i = 0; i < n; ++i) {
      right &= as_number(qthread_getspecific(keys[i])) == by * (i + 1);
      if (i % 3 == 0) right &= qthread_setspecific(keys[i], nullptr) == 0;
    }
    qthread_yield();
    for (aligned_t i = 0; i < n; ++i)
      right &= as_number(qthread_getspecific(keys[i])) == (i % 3 == 0 ? 0 : by * (i + 1));
    return right;
  };
  aligned_t kept = 0;
  for (aligned_t i = 0; i < n - 1; ++i) kept += i % 3 == 0 ? 0 : i + 1;
  static_assert((n - 1) % 3 == 0, "the last key's values are taken away, too");
  aligned_t rets[20], given = 0;
  for (aligned_t i = 0; i < 20; ++i) {
    given += 100 * (i + 1);
    ASSERT_EQ(qthread_fork(uses, as_argument(100 * (i + 1)), &rets[i]), QTHREAD_SUCCESS);
  }
  for (aligned_t& r : rets) {
    qthread_readFF(nullptr, &r);
    EXPECT_EQ(r, 1u);
  }
  // They go just after the return words were filled.
  while (destroyed < given * kept) qthread_yield();
  EXPECT_EQ(destroyed, given * kept);
  EXPECT_EQ(last, 0u);
  // A deleted key's values stay with their task, and its place may be another key's, in which they
  // are not seen.
  EXPECT_EQ(qthread_setspecific(keys[1], as_argument(77)), 0);
  EXPECT_EQ(qthread_key_delete(keys[1]), 0);
  ASSERT_EQ(qthread_key_create(&keys[1], nullptr), 0);
  EXPECT_EQ(qthread_getspecific(keys[1]), nullptr);
  EXPECT_EQ(destroyed, given * kept);
  for (qthread_key_t k : keys) EXPECT_EQ(qthread_key_delete(k), 0);
}

TEST_F(structures, a_pool_of_threads_runs_a_function_on_each_in_every_round) {
  static std::atomic<int> ran;
  ran = 0;
  const auto counts = [](void* by) {
    ran.fetch_add(static_cast<int>(as_number(by)));
    return 0;
  };
  hw_pool_run_on_all(counts, as_argument(1));  // there is none
  EXPECT_EQ(hw_pool_init(0), POOL_INIT_NO_THREADS_SPECIFIED);
  EXPECT_EQ(hw_pool_init(3), POOL_INIT_SUCCESS);
  EXPECT_EQ(hw_pool_init(3), POOL_INIT_ALREADY_INITIALIZED);
  for (int round = 1; round <= 5; ++round) {
    hw_pool_run_on_all(counts, as_argument(2));
    EXPECT_EQ(ran, 6 * round);
  }
  hw_pool_destroy();
  hw_pool_destroy();
}

TEST(pool_of_threads, ends_with_a_child_of_the_process_that_has_none_of_them) {
  if (asan)
    GTEST_SKIP() << "a child keeps the runtime's memory of its parent, which is found at its exit";
  ASSERT_EQ(hw_pool_init(2), POOL_INIT_SUCCESS);
  const outcome o = in_child([] {
    alarm(20);
    hw_pool_run_on_all([](void*) { return 0; }, nullptr);  // there is none here
    std::exit(3);
  });
  EXPECT_TRUE(o.exited_with(3)) << o.status << o.errors;
  hw_pool_destroy();
}

TEST_F(structures, a_blocking_action_belongs_to_no_shepherd) {
  const auto acts = [](void*) -> aligned_t {
    qt_begin_blocking_action();
    const bool away = qthread_shep() == NO_SHEPHERD && qthread_id() != 0;
    qt_end_blocking_action();
    return away && qthread_shep() != NO_SHEPHERD;
  };
  EXPECT_EQ(value_of(acts), 1u);
  EXPECT_EQ(acts(nullptr), 1u);  // main, too
}

}  // namespace
}  // namespace weft::test
