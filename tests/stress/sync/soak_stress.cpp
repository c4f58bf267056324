// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that a task can wait for, mixed at random by tasks and OS threads: nothing is lost.
// WEFT_TEST_AT_WORKERS
//
// SOAK_SECONDS=600 goes on for ten minutes instead of a fixed number of steps.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <random>
#include <thread>
#include <unistd.h>
#include <vector>

#include <weft/weft.h>

#include "base/build.hpp"

namespace weft::rt {
namespace {

constexpr int tasks = 24;
constexpr int threads = 2;
constexpr int actors = tasks + threads;
constexpr int steps = build::tsan ? 100 : build::asan ? 300 : 2'000;
constexpr int buffer_size = 4;

using random_source = std::minstd_rand;

// What each actor counts for itself; the sums must match what the world counted.
struct counts {
  int64_t mutex = 0, writes = 0, word = 0, syncvar = 0, sent = 0, received = 0, put = 0, got = 0,
          bytes_in = 0, bytes_out = 0, timeouts = 0, groups = 0, sleeps = 0, selected = 0;
};

struct world {
  world() {
    EXPECT_EQ(weft_mutex_init(&fair, WEFT_MUTEX_HAND_OVER), 0);
    EXPECT_EQ(weft_semaphore_init(&units, 3), 0);
    EXPECT_EQ(weft_channel_create(sizeof(int64_t), 0, &direct), 0);
    EXPECT_EQ(weft_channel_create(sizeof(int64_t), 5, &buffered), 0);
    EXPECT_EQ(::pipe2(pipe, O_NONBLOCK | O_CLOEXEC), 0);
  }
  ~world() {
    EXPECT_EQ(weft_channel_destroy(direct), 0);
    EXPECT_EQ(weft_channel_destroy(buffered), 0);
    EXPECT_EQ(weft_fd_close(pipe[0]), 0);
    EXPECT_EQ(::close(pipe[1]), 0);
  }
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  weft_mutex_t barging = WEFT_MUTEX_INIT;
  weft_mutex_t fair{};
  int64_t under_barging = 0;
  int64_t under_fair = 0;
  weft_rwlock_t rwlock = WEFT_RWLOCK_INIT;
  int64_t left = 0, right = 0;  // equal, under rwlock
  weft_semaphore_t units{};
  std::atomic<int> inside{0};  // of units
  uint64_t word = 0;
  weft_syncvar_t syncvar = WEFT_SYNCVAR_INIT;
  weft_channel_t direct = nullptr;
  weft_channel_t buffered = nullptr;
  std::atomic<int64_t> channel_sum{0};
  weft_mutex_t buffer_lock = WEFT_MUTEX_INIT;
  weft_condition_t not_full = WEFT_CONDITION_INIT;
  weft_condition_t not_empty = WEFT_CONDITION_INIT;
  int buffered_items = 0;
  int pipe[2] = {-1, -1};
};

struct actor {
  world* w;
  unsigned seed;
  std::chrono::steady_clock::time_point until;  // or `steps`, if in the past
  counts mine;
};

// Up to 50 us from now.
int64_t soon(random_source& random) {
  return weft_time_now_ns() + static_cast<int64_t>(random() % 50'000);
}

// One of the three forms of a wait. True: it has what it waited for.
template <class Plain, class Try, class Until>
bool wait_somehow(random_source& random, counts& mine, Plain&& plain, Try&& attempt,
                  Until&& until) {
  const unsigned way = static_cast<unsigned>(random()) % 3;
  const int result = way == 0 ? plain() : way == 1 ? attempt() : until(soon(random));
  if (result >= 0) return true;
  EXPECT_EQ(result, way == 1 ? -EBUSY : -ETIMEDOUT);
  ++mine.timeouts;
  return false;
}

void use_mutex(weft_mutex_t& m, int64_t& guarded, random_source& random, counts& mine) {
  if (!wait_somehow(
          random, mine, [&] { return weft_mutex_lock(&m); },
          [&] { return weft_mutex_try_lock(&m); },
          [&](int64_t t) { return weft_mutex_lock_until(&m, t); }))
    return;
  ++guarded;
  ++mine.mutex;
  if (random() % 8 == 0) (void)weft_task_yield();
  EXPECT_EQ(weft_mutex_unlock(&m), 0);
}

void use_rwlock(world& w, random_source& random, counts& mine) {
  weft_rwlock_t& l = w.rwlock;
  if (random() % 4 == 0) {
    if (!wait_somehow(
            random, mine, [&] { return weft_rwlock_write_lock(&l); },
            [&] { return weft_rwlock_try_write_lock(&l); },
            [&](int64_t t) { return weft_rwlock_write_lock_until(&l, t); }))
      return;
    ++w.left;
    if (random() % 8 == 0) (void)weft_task_yield();
    ++w.right;
    ++mine.writes;
    EXPECT_EQ(weft_rwlock_write_unlock(&l), 0);
    return;
  }
  if (!wait_somehow(
          random, mine, [&] { return weft_rwlock_read_lock(&l); },
          [&] { return weft_rwlock_try_read_lock(&l); },
          [&](int64_t t) { return weft_rwlock_read_lock_until(&l, t); }))
    return;
  EXPECT_EQ(w.left, w.right);
  EXPECT_EQ(weft_rwlock_read_unlock(&l), 0);
}

void use_semaphore(world& w, random_source& random, counts& mine) {
  if (!wait_somehow(
          random, mine, [&] { return weft_semaphore_wait(&w.units); },
          [&] { return weft_semaphore_try_wait(&w.units); },
          [&](int64_t t) { return weft_semaphore_wait_until(&w.units, t); }))
    return;
  EXPECT_LE(++w.inside, 3);
  (void)weft_task_yield();
  --w.inside;
  EXPECT_EQ(weft_semaphore_post(&w.units, 1), 0);
}

void use_word(world& w, random_source& random, counts& mine) {
  uint64_t value = 0;
  if (!wait_somehow(
          random, mine, [&] { return weft_word_read_fe(&w.word, &value); },
          [&] { return weft_word_try_read_fe(&w.word, &value); },
          [&](int64_t t) { return weft_word_read_fe_until(&w.word, &value, t); }))
    return;
  if (random() % 8 == 0) (void)weft_task_yield();
  EXPECT_EQ(weft_word_write_ef(&w.word, value + 1), 0);
  ++mine.word;
}

void use_syncvar(world& w, random_source& random, counts& mine) {
  uint64_t value = 0;
  if (!wait_somehow(
          random, mine, [&] { return weft_syncvar_read_fe(&w.syncvar, &value); },
          [&] { return weft_syncvar_try_read_fe(&w.syncvar, &value); },
          [&](int64_t t) { return weft_syncvar_read_fe_until(&w.syncvar, &value, t); }))
    return;
  EXPECT_EQ(weft_syncvar_write_ef(&w.syncvar, value + 1), 0);
  ++mine.syncvar;
}

void use_channels(world& w, random_source& random, counts& mine) {
  weft_channel_t c = random() % 2 == 0 ? w.direct : w.buffered;
  int64_t value = static_cast<int64_t>(random() % 1000);
  if (random() % 2 == 0) {
    const int sent = weft_channel_send_until(c, &value, soon(random));
    if (sent != 0) {
      EXPECT_EQ(sent, -ETIMEDOUT);
      ++mine.timeouts;
      return;
    }
    w.channel_sum += value;
    ++mine.sent;
    return;
  }
  const int received = weft_channel_receive_until(c, &value, soon(random));
  if (received != 0) {
    EXPECT_EQ(received, -ETIMEDOUT);
    ++mine.timeouts;
    return;
  }
  w.channel_sum -= value;
  ++mine.received;
}

// Several things at once; the deadline is one of them.
void use_select(world& w, random_source& random, counts& mine) {
  int64_t value = 0;
  uint64_t word = 0;
  weft_case_t cases[] = {
      weft_case_receive(w.direct, &value), weft_case_receive(w.buffered, &value),
      weft_case_read_fe(&w.word, &word),   weft_case_mutex(&w.barging),
      weft_case_semaphore(&w.units),       weft_case_deadline(soon(random)),
  };
  const int taken = weft_case_select(cases, std::size(cases));
  ASSERT_GE(taken, 0);
  ASSERT_EQ(cases[taken].result, 0);
  ++mine.selected;
  switch (taken) {
    case 0:
    case 1:
      w.channel_sum -= value;
      ++mine.received;
      break;
    case 2:
      EXPECT_EQ(weft_word_write_ef(&w.word, word + 1), 0);
      ++mine.word;
      break;
    case 3:
      ++w.under_barging;
      ++mine.mutex;
      EXPECT_EQ(weft_mutex_unlock(&w.barging), 0);
      break;
    case 4:
      EXPECT_EQ(weft_semaphore_post(&w.units, 1), 0);
      break;
    default:
      ++mine.timeouts;
  }
}

void use_buffer(world& w, random_source& random, counts& mine) {
  const bool puts = random() % 2 == 0;
  weft_condition_t& wanted = puts ? w.not_full : w.not_empty;
  const int64_t deadline = soon(random);
  EXPECT_EQ(weft_mutex_lock(&w.buffer_lock), 0);
  const auto blocked = [&] { return w.buffered_items == (puts ? buffer_size : 0); };
  int result = 0;
  while (blocked() && result == 0)
    result = weft_condition_wait_until(&wanted, &w.buffer_lock, deadline);
  if (blocked()) {
    EXPECT_EQ(result, -ETIMEDOUT);
    ++mine.timeouts;
  } else {
    w.buffered_items += puts ? 1 : -1;
    ++(puts ? mine.put : mine.got);
    weft_condition_t& other = puts ? w.not_empty : w.not_full;
    EXPECT_EQ(random() % 2 == 0 ? weft_condition_signal(&other) : weft_condition_broadcast(&other),
              0);
  }
  EXPECT_EQ(weft_mutex_unlock(&w.buffer_lock), 0);
}

void use_pipe(world& w, random_source& random, counts& mine) {
  char byte = 'w';
  if (random() % 2 == 0) {
    mine.bytes_in += ::write(w.pipe[1], &byte, 1) == 1;  // full: then not
    return;
  }
  const int ready = weft_fd_wait_until(w.pipe[0], POLLIN, soon(random));
  if (ready == -ETIMEDOUT) {
    ++mine.timeouts;
    return;
  }
  EXPECT_EQ(ready, POLLIN);
  mine.bytes_out += ::read(w.pipe[0], &byte, 1) == 1;  // another may have been faster
}

struct group {
  weft_sinc_t sinc{};
  weft_barrier_t barrier{};
  weft_latch_t latch = WEFT_LATCH_INIT(3);
  weft_once_t once = WEFT_ONCE_INIT;
  weft_future_t future = WEFT_FUTURE_INIT;
  std::atomic<int> last_arrivals{0};
  std::atomic<int> onces{0};
  std::atomic<int64_t> number{0};
};

void add(void* into, const void* value) {
  *static_cast<int64_t*>(into) += *static_cast<const int64_t*>(value);
}

void* group_member(void* arg) {
  auto& g = *static_cast<group*>(arg);
  const int64_t number = ++g.number;
  EXPECT_EQ(
      weft_once_call(&g.once, [](void* o) { ++*static_cast<std::atomic<int>*>(o); }, &g.onces), 0);
  const int arrived = weft_barrier_wait(&g.barrier);
  EXPECT_GE(arrived, 0);
  g.last_arrivals += arrived;
  EXPECT_EQ(weft_latch_count_down(&g.latch, 1), 0);
  void* value = nullptr;
  EXPECT_EQ(weft_future_get(&g.future, &value), 0);
  EXPECT_EQ(value, &g);
  EXPECT_EQ(weft_sinc_submit(&g.sinc, &number), 0);
  return nullptr;
}

// Three tasks that meet at a barrier, a latch, a once, a future and a sinc.
void use_group(counts& mine) {
  group g;
  const int64_t zero = 0;
  EXPECT_EQ(weft_sinc_init(&g.sinc, &zero, sizeof zero, add, 3), 0);
  EXPECT_EQ(weft_barrier_init(&g.barrier, 3), 0);
  weft_task_t members[3];
  for (weft_task_t& m : members) EXPECT_EQ(weft_task_spawn(group_member, &g, &m), 0);
  EXPECT_EQ(weft_latch_wait(&g.latch), 0);
  EXPECT_EQ(weft_future_set(&g.future, &g), 0);
  int64_t sum = 0;
  EXPECT_EQ(weft_sinc_wait(&g.sinc, &sum), 0);
  EXPECT_EQ(sum, 1 + 2 + 3);
  EXPECT_EQ(weft_task_join_many(members, 3, nullptr), 0);
  EXPECT_EQ(g.last_arrivals, 1);
  EXPECT_EQ(g.onces, 1);
  EXPECT_EQ(weft_sinc_destroy(&g.sinc), 0);
  ++mine.groups;
}

void use_suspended(counts& mine) {
  weft_task_t t = nullptr;
  EXPECT_EQ(weft_task_spawn(
                [](void*) -> void* {
                  EXPECT_EQ(weft_task_suspend(), 0);
                  return nullptr;
                },
                nullptr, &t),
            0);
  EXPECT_EQ(weft_task_resume(t), 0);
  EXPECT_EQ(weft_task_join(t, nullptr), 0);
  ++mine.groups;
}

void step(world& w, random_source& random, counts& mine) {
  switch (random() % 14) {
    case 0:
      return use_mutex(w.barging, w.under_barging, random, mine);
    case 1:
      return use_mutex(w.fair, w.under_fair, random, mine);
    case 2:
      return use_rwlock(w, random, mine);
    case 3:
      return use_semaphore(w, random, mine);
    case 4:
      return use_word(w, random, mine);
    case 5:
      return use_syncvar(w, random, mine);
    case 6:
      return use_channels(w, random, mine);
    case 7:
      return use_select(w, random, mine);
    case 8:
      return use_buffer(w, random, mine);
    case 9:
      return use_pipe(w, random, mine);
    case 10:
      return use_group(mine);
    case 11:
      return use_suspended(mine);
    case 12:
      EXPECT_EQ(weft_task_sleep_for(static_cast<int64_t>(random() % 50'000)), 0);
      ++mine.sleeps;
      return;
    default:
      if (weft_task_self() != nullptr && random() % 16 == 0) {
        const auto to = static_cast<uint32_t>(random()) % weft_worker_count();
        const int moved = weft_task_migrate(to);
        EXPECT_TRUE(moved == 0 || moved == -EDEADLK) << moved;  // called on main's own stack
        EXPECT_EQ(weft_task_migrate(WEFT_ANYWHERE), 0);
      } else {
        (void)weft_task_yield();
      }
  }
}

void* act(void* arg) {
  auto& me = *static_cast<actor*>(arg);
  random_source random(me.seed);
  for (int n = 0; n < steps || std::chrono::steady_clock::now() < me.until; ++n)
    step(*me.w, random, me.mine);
  return nullptr;
}

TEST(soak, everything_at_once_loses_nothing) {
  const char* given = std::getenv("SOAK_SECONDS");
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::seconds(given != nullptr ? std::atoi(given) : 0);
  ASSERT_EQ(weft_start(nullptr), 0);
  world w;
  std::vector<actor> all;
  for (int i = 0; i < actors; ++i) all.push_back({&w, 1u + static_cast<unsigned>(i), until, {}});
  weft_task_t handles[tasks];
  for (int i = 0; i < tasks; ++i) ASSERT_EQ(weft_task_spawn(act, &all[i], &handles[i]), 0);
  std::vector<std::thread> outside;
  weft_latch_t ended = WEFT_LATCH_INIT(threads);
  for (int i = tasks; i < actors; ++i)
    outside.emplace_back([&, i] {
      act(&all[i]);
      EXPECT_EQ(weft_latch_count_down(&ended, 1), 0);
    });
  ASSERT_EQ(weft_task_join_many(handles, tasks, nullptr), 0);
  ASSERT_EQ(weft_latch_wait(&ended), 0);  // not by join: they need this worker
  for (std::thread& t : outside) t.join();

  counts sum;
  for (const actor& a : all) {
    sum.mutex += a.mine.mutex;
    sum.writes += a.mine.writes;
    sum.word += a.mine.word;
    sum.syncvar += a.mine.syncvar;
    sum.sent += a.mine.sent;
    sum.received += a.mine.received;
    sum.put += a.mine.put;
    sum.got += a.mine.got;
    sum.bytes_in += a.mine.bytes_in;
    sum.bytes_out += a.mine.bytes_out;
    sum.timeouts += a.mine.timeouts;
    sum.groups += a.mine.groups;
    sum.sleeps += a.mine.sleeps;
    sum.selected += a.mine.selected;
  }
  EXPECT_EQ(w.under_barging + w.under_fair, sum.mutex);
  EXPECT_EQ(w.left, sum.writes);
  EXPECT_EQ(w.right, sum.writes);
  EXPECT_EQ(static_cast<int64_t>(w.word), sum.word);
  uint64_t last = 0;
  EXPECT_EQ(weft_syncvar_read_ff(&w.syncvar, &last), 0);
  EXPECT_EQ(static_cast<int64_t>(last), sum.syncvar);
  EXPECT_EQ(w.inside, 0);
  EXPECT_EQ(weft_semaphore_value(&w.units), 3);
  for (int64_t value = 0; weft_channel_try_receive(w.buffered, &value) == 0; ++sum.received)
    w.channel_sum -= value;
  EXPECT_EQ(sum.sent, sum.received);
  EXPECT_EQ(w.channel_sum, 0);
  EXPECT_EQ(w.buffered_items, sum.put - sum.got);
  for (char byte; ::read(w.pipe[0], &byte, 1) == 1;) ++sum.bytes_out;
  EXPECT_EQ(sum.bytes_in, sum.bytes_out);
  EXPECT_EQ(weft_report_waiting(-1), 0);
  std::printf(
      "mutex %ld rwlock %ld word %ld syncvar %ld channel %ld condition %ld fd %ld select %ld "
      "groups %ld sleeps %ld timeouts %ld\n",
      long(sum.mutex), long(sum.writes), long(sum.word), long(sum.syncvar), long(sum.sent),
      long(sum.put), long(sum.bytes_in), long(sum.selected), long(sum.groups), long(sum.sleeps),
      long(sum.timeouts));
  EXPECT_EQ(weft_stop(), 0);
}

}  // namespace
}  // namespace weft::rt
