// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty words, syncvars, locks, queues of tasks, barriers, pools. WEFT_TEST_AT_WORKERS
#include <algorithm>
#include <atomic>
#include <cstring>
#include <qthread/barrier.h>
#include <qthread/feb_barrier.h>
#include <qthread/qpool.h>
#include <set>
#include <vector>

#include <weft/task.h>

#include "support.hpp"

namespace weft::test {
namespace {

class words : public at_shepherds {};

TEST_F(words, each_operation_waits_for_and_leaves_its_state) {
  aligned_t w = 5, got = 0, src = 6;
  EXPECT_EQ(qthread_feb_status(&w), 1);
  EXPECT_EQ(qthread_readFE(&got, &w), 0);
  EXPECT_EQ(got, 5u);
  EXPECT_EQ(qthread_readFE_nb(&got, &w), QTHREAD_OPFAIL);
  EXPECT_EQ(qthread_writeEF(&w, &src), 0);
  EXPECT_EQ(qthread_writeEF_const_nb(&w, 1), QTHREAD_OPFAIL);
  EXPECT_EQ(qthread_writeEF_nb(&w, &src), QTHREAD_OPFAIL);
  EXPECT_EQ(qthread_readFF(&w, &w), 0);
  EXPECT_EQ(qthread_readFF(nullptr, &w), 0);
  EXPECT_EQ(qthread_writeFF_const(&w, 8), 0);
  EXPECT_EQ(qthread_writeFF(&w, &src), 0);
  EXPECT_EQ(w, 6u);
  EXPECT_EQ(qthread_empty(&w), 0);
  EXPECT_EQ(qthread_feb_status(&w), 0);
  EXPECT_EQ(qthread_readXX(&got, &w), 0);
  EXPECT_EQ(got, 6u);
  EXPECT_EQ(qthread_writeF_const(&w, 9), 0);
  EXPECT_EQ(qthread_feb_status(&w), 1);
  EXPECT_EQ(qthread_purge(&w), 0);
  EXPECT_EQ(w, 0u);
  EXPECT_EQ(qthread_feb_status(&w), 0);
  EXPECT_EQ(qthread_purge_to_const(&w, 4), 0);
  EXPECT_EQ(w, 4u);
  EXPECT_EQ(qthread_purge_to(&w, &src), 0);
  EXPECT_EQ(qthread_writeF(&w, &src), 0);
  EXPECT_EQ(qthread_fill(&w), 0);
  EXPECT_EQ(qthread_writeEF(&w, nullptr), QTHREAD_BADARGS);
}

// Such a write has to wait; what comes to the word meanwhile stays there.
TEST_F(words, a_write_from_the_word_itself_leaves_what_is_there_by_then) {
  static aligned_t word;
  aligned_t ret = 0;
  const auto waits_at_it = [] {
    while (qthread_readstate(NODE_BUSYNESS) != 1) qthread_yield();
  };
  const auto writes_full = [](void*) -> aligned_t {
    return aligned_t(qthread_writeFF(&word, &word));
  };
  word = 0;
  qthread_empty(&word);
  qthread_fork(writes_full, nullptr, &ret);
  waits_at_it();
  EXPECT_EQ(qthread_writeEF_const(&word, 5), 0);
  EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 0u);
  EXPECT_EQ(word, 5u);
  const auto writes_empty = [](void*) -> aligned_t {
    return aligned_t(qthread_writeEF(&word, &word));
  };
  const aligned_t seven = 7;
  qthread_fork(writes_empty, nullptr, &ret);
  waits_at_it();
  EXPECT_EQ(qthread_purge_to(&word, &seven), 0);
  EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 0u);
  EXPECT_EQ(qthread_feb_status(&word), 1);
  EXPECT_EQ(word, 7u);
  EXPECT_EQ(qthread_writeEF_nb(&word, &word), QTHREAD_OPFAIL);
  EXPECT_EQ(qthread_purge_to(&word, &word), 0);
  EXPECT_EQ(qthread_feb_status(&word), 0);
  EXPECT_EQ(qthread_writeEF_nb(&word, &word), 0);
  EXPECT_EQ(qthread_empty(&word), 0);
  EXPECT_EQ(qthread_writeF(&word, &word), 0);
  EXPECT_EQ(qthread_feb_status(&word), 1);
  EXPECT_EQ(word, 7u);
}

// Each is a fill or an emptying, so no increment of another is lost.
TEST_F(words, a_write_from_the_word_itself_loses_no_increment) {
  static aligned_t word;
  static std::atomic<bool> begun, over;
  word = 0;
  begun = over = false;
  const auto writes = [](void*) -> aligned_t {
    while (!over) {
      begun = true;
      qthread_writeF(&word, &word);
      qthread_writeFF(&word, &word);
      qthread_purge_to(&word, &word);
      qthread_writeEF(&word, &word);
      qthread_yield();
    }
    return 0;
  };
  constexpr aligned_t n = 1'000'000;
  aligned_t ret = 0;
  const auto last = static_cast<qthread_shepherd_id_t>(qthread_num_shepherds() - 1);
  qthread_fork_to(writes, nullptr, &ret, last);
  while (!begun) qthread_yield();
  for (aligned_t i = 0; i < n; ++i) {
    qthread_incr(&word, 1);
    if (i % 1'000 == 0) qthread_yield();
  }
  over = true;
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(word, n);
}

TEST_F(words, a_purge_empties_for_a_writer_that_waits) {
  static aligned_t word;
  word = 3;
  const auto writes = [](void*) -> aligned_t { return aligned_t(qthread_writeEF_const(&word, 8)); };
  for (const auto purge :
       {+[] { return qthread_purge(&word); }, +[] { return qthread_purge_to_const(&word, 4); }}) {
    aligned_t ret = 0;
    qthread_fork(writes, nullptr, &ret);
    while (qthread_readstate(NODE_BUSYNESS) != 1) qthread_yield();
    EXPECT_EQ(purge(), 0);
    EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 0u);
    EXPECT_EQ((qthread_readFF(nullptr, &word), word), 8u);
  }
}

TEST_F(words, a_producer_and_a_consumer_take_turns_at_one_word) {
  static aligned_t box;
  constexpr aligned_t n = 300;
  box = 0;
  qthread_empty(&box);
  const auto consume = [](void*) -> aligned_t {
    aligned_t sum = 0, got = 0;
    for (aligned_t i = 0; i < n; ++i) {
      qthread_readFE(&got, &box);
      sum += got;
    }
    return sum;
  };
  aligned_t ret = 0;
  qthread_fork(consume, nullptr, &ret);
  for (aligned_t i = 1; i <= n; ++i) EXPECT_EQ(qthread_writeEF_const(&box, i), 0);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, n * (n + 1) / 2);
  qthread_fill(&box);
}

struct shown {
  aligned_t word;
  qthread_f f;
  void* arg;
  void* ret;
  unsigned id;
  unsigned char local;
  bool operator==(const shown&) const = default;
};

// What a callback tells of those who wait at words, or syncvars, that lie in these.
std::vector<shown> waiters_at(void (*show)(qt_feb_callback_f, void*), const void* from,
                              const void* to) {
  struct look {
    uintptr_t from, to;
    std::vector<shown> seen;
  } l{reinterpret_cast<uintptr_t>(from), reinterpret_cast<uintptr_t>(to), {}};
  l.seen.reserve(16);
  show(
      [](qt_key_t addr, qthread_f f, void* arg, void* ret, unsigned id, void* tls, void* callarg) {
        look& into = *static_cast<look*>(callarg);
        const auto at = reinterpret_cast<uintptr_t>(addr);
        if (at < into.from || at >= into.to) return;
        into.seen.push_back({(at - into.from) / sizeof(aligned_t), f, arg, ret, id,
                             *static_cast<unsigned char*>(tls)});
      },
      &l);
  std::sort(l.seen.begin(), l.seen.end(),
            [](const shown& a, const shown& b) { return a.word < b.word; });
  return l.seen;
}

TEST_F(words, a_callback_is_shown_all_tasks_that_wait) {
  static aligned_t w[4];
  static aligned_t rets[4];
  std::fill(w, w + 4, 0);
  for (aligned_t& each : w) qthread_empty(&each);
  const auto reads = [](void* at) -> aligned_t {
    return aligned_t(qthread_readFF(nullptr, static_cast<aligned_t*>(at)));
  };
  const auto takes_and_has = [](void*) -> aligned_t {
    EXPECT_EQ(qthread_id(), 1u);
    *static_cast<unsigned char*>(qthread_get_tasklocal(100)) = 42;
    return aligned_t(qthread_readFE(nullptr, &w[1]));
  };
  const auto writes = [](void* at) -> aligned_t {
    return aligned_t(qthread_writeFF_const(*static_cast<aligned_t**>(at), 7));
  };
  aligned_t* third = &w[2];
  ASSERT_EQ(qthread_fork(reads, &w[0], &rets[0]), QTHREAD_SUCCESS);
  ASSERT_EQ(qthread_fork_to(takes_and_has, &w[1], &rets[1], 0), QTHREAD_SUCCESS);
  ASSERT_EQ(qthread_fork_copyargs(writes, &third, sizeof third, &rets[2]), QTHREAD_SUCCESS);
  ASSERT_EQ(qthread_fork_precond(reads, &w[3], &rets[3], 1, &w[3]), QTHREAD_SUCCESS);
  std::vector<shown> all;
  while (all.size() < 4) {
    qthread_yield();
    all = waiters_at(qthread_feb_callback, w, w + 4);
  }
  ASSERT_EQ(all.size(), 4u);
  const void* const copy = all[2].arg;
  EXPECT_NE(copy, &third);
  EXPECT_EQ(*static_cast<aligned_t* const*>(copy), &w[2]);
  const qthread_f f[] = {reads, takes_and_has, writes, reads};
  for (aligned_t i = 0; i < 4; ++i) {
    const shown expected{i,
                         f[i],
                         i == 2 ? all[2].arg : &w[i],
                         &rets[i],
                         i == 1 ? 1 : QTHREAD_NULL_TASK_ID,
                         static_cast<unsigned char>(i == 1 ? 42 : 0)};
    EXPECT_EQ(all[i], expected) << i;
  }
  EXPECT_TRUE(waiters_at(qthread_syncvar_callback, w, w + 4).empty());
  for (aligned_t& each : w) qthread_fill(&each);
  for (aligned_t& ret : rets) EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 0u);
  EXPECT_TRUE(waiters_at(qthread_feb_callback, w, w + 4).empty());
  qthread_fill(&w[1]);
}

TEST_F(words, a_callback_is_shown_who_waits_at_syncvars_and_main) {
  static syncvar_t v[2];
  v[0] = v[1] = SYNCVAR_EMPTY_INITIALIZER;
  const auto reads = [](void* at) -> aligned_t {
    return aligned_t(qthread_syncvar_readFF(nullptr, static_cast<syncvar_t*>(at)));
  };
  const auto looks = [](void*) -> aligned_t {
    std::vector<shown> all;
    while (all.size() < 2) {
      qthread_yield();
      all = waiters_at(qthread_syncvar_callback, v, v + 2);
    }
    EXPECT_NE(all[0].f, nullptr);
    EXPECT_EQ(all[0].arg, &v[0]);
    EXPECT_EQ(all[1].f, nullptr);  // main was not forked
    EXPECT_EQ(all[1].id, 1u);
    EXPECT_TRUE(waiters_at(qthread_feb_callback, v, v + 2).empty());
    qthread_syncvar_fill(&v[0]);
    return aligned_t(qthread_syncvar_writeEF_const(&v[1], 5));
  };
  aligned_t ret = 0, looked = 0;
  uint64_t got = 0;
  EXPECT_EQ(qthread_id(), 1u);
  qthread_fork(reads, &v[0], &ret);
  qthread_fork(looks, nullptr, &looked);
  EXPECT_EQ(qthread_syncvar_readFE(&got, &v[1]), QTHREAD_SUCCESS);
  EXPECT_EQ(got, 5u);
  EXPECT_EQ((qthread_readFF(nullptr, &looked), looked), 0u);
  EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 0u);
  outside([] { qthread_syncvar_callback(nullptr, nullptr); });
}

TEST_F(words, a_callback_may_ask_how_busy_it_is) {
  static aligned_t w;
  static syncvar_t v;
  v = SYNCVAR_EMPTY_INITIALIZER;
  qthread_empty(&w);
  const auto nothing = [](void*) -> aligned_t { return 0; };
  const auto reads = [](void*) -> aligned_t {
    return aligned_t(qthread_syncvar_readFF(nullptr, &v));
  };
  const auto asks = [](qt_key_t at, qthread_f, void*, void*, unsigned, void*, void* count) {
    if (at != &w && at != &v) return;
    EXPECT_EQ(qthread_readstate(NODE_BUSYNESS), 1u);
    EXPECT_EQ(qthread_readstate(WORKER_OCCUPATION), 1u);
    (void)qthread_readstate(BUSYNESS);
    ++*static_cast<int*>(count);
  };
  aligned_t rets[2];
  // Those that have not begun are counted by a visit.
  ASSERT_EQ(qthread_fork_precond(nothing, nullptr, &rets[0], 1, &w), QTHREAD_SUCCESS);
  ASSERT_EQ(qthread_fork(reads, nullptr, &rets[1]), QTHREAD_SUCCESS);
  int at_words = 0, at_syncvars = 0;
  while (at_syncvars == 0) {
    while (qthread_readstate(NODE_BUSYNESS) != 1) qthread_yield();
    qthread_syncvar_callback(asks, &at_syncvars);
  }
  qthread_feb_callback(asks, &at_words);
  outside([&] { qthread_feb_callback(asks, &at_words); });
  EXPECT_EQ(at_words, 2);
  EXPECT_EQ(qthread_readstate(NODE_BUSYNESS), 1u);
  qthread_fill(&w);
  qthread_syncvar_fill(&v);
  for (aligned_t& ret : rets) EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 0u);
}

TEST_F(words, a_task_that_waits_is_not_busy) {
  static aligned_t gate;
  qthread_empty(&gate);
  aligned_t ret = 0;
  const auto waits = [](void*) -> aligned_t { return aligned_t(qthread_readFF(nullptr, &gate)); };
  EXPECT_EQ(qthread_readstate(NODE_BUSYNESS), 1u);
  EXPECT_EQ(qthread_readstate(BUSYNESS), 1u);
  EXPECT_EQ(qthread_readstate(WORKER_OCCUPATION), 1u);
  qthread_fork(waits, nullptr, &ret);
  while (qthread_readstate(NODE_BUSYNESS) != 1) qthread_yield();
  qthread_fill(&gate);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 0u);
}

TEST_F(words, syncvars_refuse_what_does_not_fit) {
  syncvar_t v = SYNCVAR_INITIALIZE_TO(5), empty = SYNCVAR_EMPTY_INITIALIZE_TO(5);
  EXPECT_EQ(v.u.w, 0x50u);
  EXPECT_EQ(empty.u.w, 0x54u);
  uint64_t got = 0, src = 3;
  EXPECT_EQ(qthread_syncvar_writeF_const(&v, uint64_t{1} << 60), QTHREAD_OVERFLOW);
  EXPECT_EQ(qthread_syncvar_readFE(&got, &v), 0);
  EXPECT_EQ(got, 5u);
  EXPECT_EQ(qthread_syncvar_readFE_nb(&got, &v), QTHREAD_OPFAIL);
  EXPECT_EQ(qthread_syncvar_readFF_nb(&got, &v), QTHREAD_OPFAIL);
  EXPECT_EQ(qthread_syncvar_writeEF(&v, &src), 0);
  EXPECT_EQ(qthread_syncvar_writeEF_nb(&v, &src), QTHREAD_OPFAIL);
  EXPECT_EQ(qthread_syncvar_writeEF_const_nb(&empty, 4), 0);
  EXPECT_EQ(qthread_syncvar_writeF(&v, &src), 0);
  EXPECT_EQ(qthread_syncvar_empty(&v), 0);
  EXPECT_EQ(qthread_syncvar_status(&v), 0);
  EXPECT_EQ(qthread_syncvar_fill(&v), 0);
  syncvar in_class(uint64_t{7});
  EXPECT_EQ(in_class.readFE(), 7u);
  EXPECT_EQ(in_class.writeEF(8), 0);
  EXPECT_EQ(in_class.incr(), 9u);
  EXPECT_EQ(in_class.read(), 9u);
}

TEST_F(words, increments_of_a_syncvar_are_not_lost_and_fill_it) {
  static syncvar_t v;
  v = SYNCVAR_EMPTY_INITIALIZER;
  const auto increment = [](void*) -> aligned_t {
    for (int i = 0; i < 100; ++i) {
      qthread_syncvar_incrF(&v, 2);
      if (i % 10 == 0) qthread_yield();
    }
    return 0;
  };
  // Waits at the empty variable, and is served by the first increment.
  const auto reads = [](void*) -> aligned_t {
    uint64_t got = 0;
    qthread_syncvar_readFF(&got, &v);
    return got;
  };
  aligned_t rets[8], read = 0;
  qthread_fork(reads, nullptr, &read);
  qthread_yield();
  for (aligned_t& r : rets) qthread_fork(increment, nullptr, &r);
  for (aligned_t& r : rets) qthread_readFF(nullptr, &r);
  qthread_readFF(nullptr, &read);
  EXPECT_GE(read, 2u);
  EXPECT_EQ(v.u.w, uint64_t{1600} << 4);
}

TEST_F(words, a_lock_at_a_word_excludes) {
  static aligned_t lock, declared, count;
  count = 0;
  ASSERT_EQ(qthread_lock_init(&declared, true), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_lock_init(&declared, true), QTHREAD_OPFAIL);
  const auto adds = [](void*) -> aligned_t {
    for (int i = 0; i < 50; ++i) {
      qthread_lock(&lock);
      qthread_lock(&declared);
      qthread_lock(&declared);
      const aligned_t seen = count;
      if (i % 16 == 0) qthread_yield();
      count = seen + 1;
      qthread_unlock(&declared);
      qthread_unlock(&declared);
      qthread_unlock(&lock);
    }
    return 0;
  };
  aligned_t rets[8];
  for (aligned_t& r : rets) qthread_fork(adds, nullptr, &r);
  for (aligned_t& r : rets) qthread_readFF(nullptr, &r);
  EXPECT_EQ(count, 400u);
  EXPECT_EQ(qthread_trylock(&lock), 0);
  EXPECT_EQ(qthread_trylock(&lock), QTHREAD_OPFAIL);
  EXPECT_EQ(qthread_unlock(&lock), 0);
  EXPECT_EQ(qthread_trylock(&declared), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_feb_status(&declared), 1);
  outside([] { EXPECT_EQ(qthread_trylock(&declared), QTHREAD_OPFAIL); });
  outside([] { EXPECT_EQ(qthread_unlock(&declared), QTHREAD_OPFAIL); });
  EXPECT_EQ(qthread_unlock(&declared), 0);
  EXPECT_EQ(qthread_unlock(&declared), 0);  // it is open
  EXPECT_EQ(qthread_lock_destroy(&declared), 0);
}

TEST_F(words, spinlocks_start_static_and_park_who_waits) {
  static qthread_spinlock_t lock = QTHREAD_MUTEX_INITIALIZER;
  static qthread_spinlock_t again = QTHREAD_RECURSIVE_MUTEX_INITIALIZER;
  static int count;
  count = 0;
  EXPECT_EQ(qthread_spinlock_lock(&again), 0);
  EXPECT_EQ(qthread_spinlock_trylock(&again), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_spinlock_unlock(&again), 0);
  outside([] { EXPECT_EQ(qthread_spinlock_trylock(&again), QTHREAD_OPFAIL); });
  EXPECT_EQ(qthread_spinlock_unlock(&again), 0);
  const auto adds = [](void*) -> aligned_t {
    qthread_spinlock_lock(&lock);
    const int seen = count;
    qthread_yield();  // the next one parks, and does not spin on this worker
    count = seen + 1;
    return aligned_t(qthread_spinlock_unlock(&lock));
  };
  aligned_t rets[20];
  for (aligned_t& r : rets) qthread_fork(adds, nullptr, &r);
  for (aligned_t& r : rets) EXPECT_EQ((qthread_readFF(nullptr, &r), r), 0u);
  EXPECT_EQ(count, 20);
}

TEST_F(words, a_recursive_lock_excludes_tasks_of_weft_too) {
  static qthread_spinlock_t lock = QTHREAD_RECURSIVE_MUTEX_INITIALIZER;
  static int inside, most;
  inside = most = 0;
  const auto uses = [](void*) -> void* {
    EXPECT_EQ(qthread_spinlock_lock(&lock), QTHREAD_SUCCESS);
    most = std::max(most, ++inside);
    for (int i = 0; i < 5; ++i) weft_task_yield();
    --inside;
    EXPECT_EQ(qthread_spinlock_unlock(&lock), QTHREAD_SUCCESS);
    return nullptr;
  };
  weft_task_t tasks[4];
  for (weft_task_t& t : tasks) ASSERT_EQ(weft_task_spawn(uses, nullptr, &t), 0);
  for (int i = 0; i < 20; ++i) qthread_yield();
  for (const weft_task_t t : tasks) EXPECT_EQ(weft_task_join(t, nullptr), 0);
  EXPECT_EQ(most, 1);
}

TEST_F(words, a_resume_by_another_interface_does_not_end_the_wait_in_a_queue) {
  static qthread_queue_t q;
  q = qthread_queue_create(0, 0);
  static std::atomic<bool> released;
  released = false;
  const auto joins = [](void*) -> aligned_t {
    weft_task_resume(weft_task_self());  // remembered
    return qthread_queue_join(q) == QTHREAD_SUCCESS && released;
  };
  aligned_t ret = 0;
  ASSERT_EQ(qthread_fork(joins, nullptr, &ret), QTHREAD_SUCCESS);
  while (qthread_queue_length(q) == 0) qthread_yield();
  for (int i = 0; i < 5; ++i) qthread_yield();
  EXPECT_EQ(qthread_queue_length(q), 1u);
  released = true;
  EXPECT_EQ(qthread_queue_release_one(q), QTHREAD_SUCCESS);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 1u);
  qthread_queue_destroy(q);
}

TEST_F(words, queues_release_in_the_order_of_joining) {
  static qthread_queue_t q;
  static std::atomic<int> awake;
  awake = 0;
  q = qthread_queue_create(QTHREAD_QUEUE_CAPPED, 3);
  const auto joins = [](void*) -> aligned_t {
    const int r = qthread_queue_join(q);
    awake.fetch_add(1);
    return aligned_t(r);
  };
  EXPECT_EQ(qthread_queue_release_one(q), QTHREAD_OPFAIL);
  aligned_t rets[3], fourth = 0;
  for (int i = 0; i < 3; ++i) {
    qthread_fork(joins, nullptr, &rets[i]);
    while (qthread_queue_length(q) != aligned_t(i) + 1) qthread_yield();
  }
  EXPECT_EQ(qthread_readstate(NODE_BUSYNESS), 1u);
  qthread_fork(joins, nullptr, &fourth);
  qthread_readFF(nullptr, &fourth);
  EXPECT_EQ(static_cast<int>(fourth), QTHREAD_OPFAIL);
  EXPECT_EQ(qthread_queue_release_one(q), 0);
  qthread_readFF(nullptr, &rets[0]);
  EXPECT_EQ(qthread_queue_length(q), 2u);
  EXPECT_EQ(qthread_queue_release_all(q), 0);
  for (aligned_t& r : rets) EXPECT_EQ((qthread_readFF(nullptr, &r), r), 0u);
  EXPECT_EQ(awake, 4);
  outside([] { EXPECT_EQ(qthread_queue_join(q), QTHREAD_NOT_ALLOWED); });
  EXPECT_EQ(qthread_queue_destroy(q), 0);
}

TEST_F(words, a_queue_may_be_destroyed_once_all_are_released) {
  static qthread_queue_t q;
  const auto joins = [](void*) -> aligned_t { return aligned_t(qthread_queue_join(q)); };
  for (int round = 0; round < (tsan || emulated ? 20 : 200); ++round) {
    q = qthread_queue_create(0, 0);
    aligned_t rets[4];
    for (aligned_t& r : rets) qthread_fork(joins, nullptr, &r);
    while (qthread_queue_length(q) != std::size(rets)) qthread_yield();
    EXPECT_EQ(qthread_queue_release_all(q), 0);
    EXPECT_EQ(qthread_queue_destroy(q), 0);
    for (aligned_t& r : rets) EXPECT_EQ((qthread_readFF(nullptr, &r), r), 0u);
  }
}

TEST_F(words, nobody_leaves_a_barrier_before_all_are_there) {
  static qt_barrier_t* barrier;
  static std::atomic<int> in, wrong;
  constexpr int n = 50;
  in = wrong = 0;
  barrier = qt_barrier_create(1, REGION_BARRIER);
  qt_barrier_enter(barrier);
  qt_barrier_resize(barrier, n);
  const auto rounds = [](void* id) -> aligned_t {
    for (int round = 1; round <= 5; ++round) {
      in.fetch_add(1);
      qt_barrier_enter_id(barrier, as_number(id));
      if (in.load() < round * n) wrong.fetch_add(1);
      qt_barrier_enter(barrier);
    }
    return 0;
  };
  aligned_t rets[n];
  for (int i = 0; i < n; ++i) qthread_fork(rounds, as_argument(aligned_t(i)), &rets[i]);
  for (aligned_t& r : rets) qthread_readFF(nullptr, &r);
  EXPECT_EQ(wrong, 0);
  qt_barrier_destroy(barrier);
  qt_feb_barrier_t* older = qt_feb_barrier_create(2);
  qt_feb_barrier_resize(older, 1);
  qt_feb_barrier_enter(older);
  qt_feb_barrier_destroy(older);
}

TEST_F(words, a_barrier_made_for_nobody_may_be_given_its_size_later) {
  static qt_barrier_t* barrier;
  barrier = qt_barrier_create(0, LOOP_BARRIER);
  ASSERT_NE(barrier, nullptr);
  qt_barrier_enter(barrier);  // there is nobody to wait for
  qt_barrier_resize(barrier, 2);
  const auto enters = [](void*) -> aligned_t {
    qt_barrier_enter(barrier);
    return 1;
  };
  aligned_t ret = 0;
  ASSERT_EQ(qthread_fork(enters, nullptr, &ret), QTHREAD_SUCCESS);
  for (int i = 0; i < 20; ++i) qthread_yield();
  EXPECT_EQ(qthread_feb_status(&ret), 0);
  qt_barrier_enter(barrier);
  EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 1u);
  qt_barrier_resize(barrier, 0);
  qt_barrier_enter(barrier);
  qt_barrier_destroy(barrier);
  EXPECT_EQ(qt_barrier_create(size_t{UINT32_MAX} + 1, LOOP_BARRIER), nullptr);
}

TEST_F(words, a_task_has_the_barrier_that_it_was_given) {
  static qt_barrier_t* barriers[2];
  static std::atomic<int> begun;
  begun = 0;
  for (qt_barrier_t*& b : barriers) ASSERT_NE(b = qt_barrier_create(1, REGION_BARRIER), nullptr);
  const auto keeps = [](void* number) -> aligned_t {
    qt_barrier_t* const mine = barriers[as_number(number)];
    if (qt_get_barrier() != nullptr) return 1;
    qt_set_barrier(mine);
    begun.fetch_add(1);
    while (begun.load() < 2) qthread_yield();
    if (qt_get_barrier() != mine) return 2;
    qt_barrier_enter(qt_get_barrier());
    return 0;
  };
  aligned_t rets[2];
  qt_set_barrier(barriers[0]);
  for (aligned_t i = 0; i < 2; ++i) qthread_fork(keeps, as_argument(i), &rets[i]);
  for (aligned_t& r : rets) EXPECT_EQ((qthread_readFF(nullptr, &r), r), 0u);
  EXPECT_EQ(qt_get_barrier(), barriers[0]);
  outside([] {
    EXPECT_EQ(qt_get_barrier(), nullptr);
    qt_set_barrier(barriers[1]);
    EXPECT_EQ(qt_get_barrier(), barriers[1]);
  });
  EXPECT_EQ(qt_get_barrier(), barriers[0]);
  qt_set_barrier(nullptr);
  EXPECT_EQ(qt_get_barrier(), nullptr);
  for (qt_barrier_t* b : barriers) qt_barrier_destroy(b);
}

TEST_F(words, blocks_of_a_pool_are_apart_and_aligned) {
  qpool* pool = qpool_create_aligned(24, 64);
  std::set<void*> blocks;
  for (int i = 0; i < 5'000; ++i) {
    void* b = qpool_alloc(pool);
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 64, 0u);
    EXPECT_TRUE(blocks.insert(b).second);
  }
  for (void* b : blocks) qpool_free(pool, b);
  int again = 0;
  for (int i = 0; i < 5'000; ++i) again += static_cast<int>(blocks.count(qpool_alloc(pool)));
  EXPECT_GE(again, 4'900);  // a few of the first were never given out
  qpool_destroy(pool);
  EXPECT_EQ(qpool_create_aligned(8, 24), nullptr);
  qpool* empty = qpool_create(0);
  ASSERT_NE(empty, nullptr);
  void* const first = qpool_alloc(empty);
  void* const second = qpool_alloc(empty);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(second, nullptr);
  EXPECT_NE(first, second);
  qpool_free(empty, first);
  qpool_destroy(empty);
}

TEST_F(words, pools_of_sizes_that_cannot_be_are_refused_and_large_alignments_are_kept) {
  for (const size_t size : {SIZE_MAX, SIZE_MAX - 100, SIZE_MAX / 8})
    EXPECT_EQ(qpool_create(size), nullptr) << size;
  EXPECT_EQ(qpool_create_aligned(8, size_t{1} << 63), nullptr);
  constexpr size_t align = size_t{1} << 17;
  qpool* pool = qpool_create_aligned(8, align);
  for (int i = 0; i < 10; ++i) {
    void* b = qpool_alloc(pool);
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % align, 0u);
    std::memset(b, i, 8);
  }
  qpool_destroy(pool);
}

}  // namespace
}  // namespace weft::test
