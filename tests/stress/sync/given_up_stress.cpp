// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits that end by what they wait for, by a deadline or by a canceller, in a crowd of all kinds of
// flows (support/crowd.hpp): who gave up has taken nothing, and nothing is lost.
//
// TEST_SECONDS=600 goes on for ten minutes instead of a fixed number of programs, TEST_SEED=n
// begins with that one.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <random>
#include <string>
#include <unistd.h>

#include <weft/weft.h>

#include "support/build.hpp"
#include "support/crowd.hpp"

namespace weft::test {
namespace {

constexpr int programs = tsan ? 200 : asan ? 300 : 400;
constexpr int rounds = 4;
constexpr int times = 12;  // that each flow does something

uint32_t flows(dice& random) { return 2 + random.below(5); }

void through_channels(crowd& all, dice& random) {
  weft_channel_t c[2];
  for (weft_channel_t& each : c)
    ASSERT_EQ(weft_channel_create(sizeof(int64_t), random.below(3), &each), 0);
  std::atomic<int64_t> sum{0};
  all.run(flows(random), times, [&](flow& me) {
    const int64_t out = 1 + me.random.below(1000);
    int64_t in = 0;
    weft_case_t cases[] = {weft_case_send(c[me.random.below(2)], &out),
                           weft_case_receive(c[me.random.below(2)], &in),
                           weft_case_deadline(me.soon())};
    const uint32_t way = me.random.below(5);
    const int result = way == 0   ? weft_channel_send_until(c[0], &out, me.soon())
                       : way == 1 ? weft_channel_receive_until(c[0], &in, me.soon())
                       : way == 2 ? weft_case_try_select(cases, 2)
                       : way == 3 ? weft_case_select_until(cases, 2, me.soon())
                                  : weft_case_select(cases, 3);
    if (me.gave_up(result)) return;
    ASSERT_GE(result, 0);
    if (way == 0 || (way > 1 && result == 0)) sum += out;
    if (way == 1 || (way > 1 && result == 1)) sum -= in;
  });
  for (const weft_channel_t each : c) {
    for (int64_t in = 0; weft_channel_try_receive(each, &in) == 0;) sum -= in;
    EXPECT_EQ(weft_channel_destroy(each), 0);
  }
  EXPECT_EQ(sum, 0);
}

void by_units_and_locks(crowd& all, dice& random) {
  weft_semaphore_t units;
  weft_mutex_t mutex;
  ASSERT_EQ(weft_semaphore_init(&units, 0), 0);
  ASSERT_EQ(weft_mutex_init(&mutex, random.below(4)), 0);  // all kinds
  std::atomic<int> left{0};
  std::atomic<int> locked{0};
  int counted = 0;
  all.run(flows(random), times, [&](flow& me) {
    weft_case_t cases[] = {weft_case_semaphore(&units), weft_case_mutex(&mutex),
                           weft_case_deadline(me.soon())};
    const uint32_t way = me.random.below(4);
    if (way == 0) {
      ++left;
      EXPECT_EQ(weft_semaphore_post(&units, 1), 0);
      return;
    }
    const int result = way == 1   ? weft_semaphore_wait_until(&units, me.soon())
                       : way == 2 ? weft_mutex_lock_until(&mutex, me.soon())
                                  : weft_case_select(cases, 3);
    if (me.gave_up(result)) return;
    ASSERT_GE(result, 0);
    if (way == 1 || (way == 3 && result == 0)) --left;
    if (way == 2 || (way == 3 && result == 1)) {
      ++locked;
      ++counted;
      if (me.random.one_in(3)) (void)weft_task_yield();
      EXPECT_EQ(weft_mutex_unlock(&mutex), 0);
    }
  });
  EXPECT_EQ(weft_semaphore_value(&units), left);
  EXPECT_EQ(counted, locked);
}

void through_words(crowd& all, dice& random) {
  uint64_t word = 0;
  weft_syncvar_t syncvar = WEFT_SYNCVAR_INIT_EMPTY;
  ASSERT_EQ(weft_word_empty(&word), 0);
  std::atomic<uint64_t> sum{0};
  all.run(flows(random), times, [&](flow& me) {
    const uint64_t out = 1 + me.random.below(1000);
    uint64_t in = 0;
    weft_case_t cases[] = {weft_case_write_ef(&word, out), weft_case_read_fe(&word, &in),
                           weft_case_read_ff(&word, nullptr), weft_case_deadline(me.soon())};
    const uint32_t way = me.random.below(6);
    const int result = way == 0   ? weft_word_write_ef_until(&word, out, me.soon())
                       : way == 1 ? weft_word_read_fe_until(&word, &in, me.soon())
                       : way == 2 ? weft_word_read_ff_until(&word, nullptr, me.soon())
                       : way == 3 ? weft_syncvar_write_ef_until(&syncvar, out, me.soon())
                       : way == 4 ? weft_syncvar_read_fe_until(&syncvar, &in, me.soon())
                                  : weft_case_select(cases, 4);
    if (me.gave_up(result)) return;
    ASSERT_GE(result, 0);
    if (way == 0 || way == 3 || (way == 5 && result == 0)) sum += out;
    if (way == 1 || way == 4 || (way == 5 && result == 1)) sum -= in;
  });
  uint64_t in = 0;
  if (weft_word_try_read_fe(&word, &in) == 0) sum -= in;
  if (weft_syncvar_try_read_fe(&syncvar, &in) == 0) sum -= in;
  EXPECT_EQ(weft_word_fill(&word), 0);
  EXPECT_EQ(sum, 0u);
}

void at_a_barrier(crowd& all, dice& random) {
  const uint32_t parties = 2 + random.below(3);
  weft_barrier_t barrier;
  ASSERT_EQ(weft_barrier_init(&barrier, parties), 0);
  std::atomic<uint32_t> arrived{0};
  std::atomic<uint32_t> last{0};
  all.run(parties + random.below(3), times, [&](flow& me) {
    const int result = weft_barrier_wait_until(&barrier, me.soon());
    if (me.gave_up(result)) return;
    ASSERT_GE(result, 0);
    ++arrived;
    last += static_cast<uint32_t>(result);
  });
  EXPECT_EQ(arrived, last * parties);
}

void by_a_condition(crowd& all, dice& random) {
  weft_mutex_t mutex;
  weft_condition_t condition = WEFT_CONDITION_INIT;
  ASSERT_EQ(weft_mutex_init(&mutex, random.below(4)), 0);
  int here = 0;
  int put = 0;
  int got = 0;
  all.run(flows(random), times, [&](flow& me) {
    const int64_t deadline = me.soon();
    int result = weft_mutex_lock_until(&mutex, deadline);
    if (me.gave_up(result)) return;
    ASSERT_EQ(result, 0);
    if (me.random.one_in(2)) {
      ++here;
      ++put;
      EXPECT_EQ(weft_condition_signal(&condition), 0);
    } else {
      while (here == 0 && result == 0)
        result = weft_condition_wait_until(&condition, &mutex, deadline);
      if (here == 0) {
        EXPECT_TRUE(me.gave_up(result)) << result;
      } else {
        --here;
        ++got;
      }
    }
    EXPECT_EQ(weft_mutex_unlock(&mutex), 0);
  });
  EXPECT_EQ(here, put - got);
}

void for_the_ends_of_tasks(crowd& all, dice& random) {
  constexpr uint32_t count = 4;
  struct child {
    weft_semaphore_t go = WEFT_SEMAPHORE_INIT(0);
    std::atomic<weft_task_t> handle{nullptr};  // NULL: somebody waits for it, or has joined it
    std::atomic<int> joined{0};
    static void* run(void* me) {
      EXPECT_EQ(weft_semaphore_wait(&static_cast<child*>(me)->go), 0);
      return me;
    }
  } children[count];
  for (child& c : children) {
    weft_task_t t = nullptr;
    ASSERT_EQ(weft_task_spawn(child::run, &c, &t), 0);
    c.handle = t;
  }
  all.run(flows(random), times, [&](flow& me) {
    child& c = children[me.random.below(count)];
    if (me.random.one_in(3)) {
      EXPECT_EQ(weft_semaphore_post(&c.go, 1), 0);
    }
    const weft_task_t t = c.handle.exchange(nullptr);
    void* value = nullptr;
    weft_case_t cases[] = {weft_case_join(t, &value), weft_case_deadline(me.soon())};
    const int result = weft_case_select(cases, 2);
    if (!me.gave_up(result)) {
      ASSERT_GE(result, 0);
      EXPECT_EQ(cases[result].result, 0);
      if (result == 0) {
        EXPECT_EQ(value, &c);
        ++c.joined;
        return;
      }
    }
    if (t != nullptr) c.handle = t;
  });
  for (child& c : children) {
    EXPECT_EQ(weft_semaphore_post(&c.go, 1), 0);
    if (const weft_task_t t = c.handle) {
      EXPECT_EQ(weft_task_join(t, nullptr), 0);
      ++c.joined;
    }
    EXPECT_EQ(c.joined, 1);
  }
}

void for_a_descriptor(crowd& all, dice& random) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  std::atomic<int> written{0};
  std::atomic<int> got{0};
  all.run(flows(random), times, [&](flow& me) {
    char byte = 'w';
    if (me.random.one_in(2)) {
      written += write(ends[1], &byte, 1) == 1;
      return;
    }
    const int result = weft_fd_wait_until(ends[0], POLLIN, me.soon());
    if (me.gave_up(result)) return;
    EXPECT_EQ(result, POLLIN);
    got += read(ends[0], &byte, 1) == 1;  // another may have been faster
  });
  for (char byte = 0; read(ends[0], &byte, 1) == 1;) ++got;
  EXPECT_EQ(written, got);
  for (const int end : ends) EXPECT_EQ(weft_fd_close(end), 0);
}

constexpr void (*waits[])(crowd& all, dice& random) = {
    through_channels, by_units_and_locks,    through_words,   at_a_barrier,
    by_a_condition,   for_the_ends_of_tasks, for_a_descriptor};

uint32_t first_seed() {
  const char* const given = std::getenv("TEST_SEED");
  return given != nullptr ? static_cast<uint32_t>(std::strtoul(given, nullptr, 0))
                          : std::random_device{}();
}

TEST(given_up_stress, waits_that_give_up_take_nothing) {
  const char* const seconds = std::getenv("TEST_SECONDS");
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::seconds(seconds != nullptr ? std::atoi(seconds) : 0);
  const uint32_t first = first_seed();
  std::printf("TEST_SEED=%u\n", first);
  for (uint32_t i = 0; (seconds == nullptr && i < programs) ||
                       (seconds != nullptr && std::chrono::steady_clock::now() < until);
       ++i) {
    SCOPED_TRACE("TEST_SEED=" + std::to_string(first + i));
    dice random(first + i);
    crowd all(random.seed());
    for (int k = 0; k < rounds; ++k) waits[random.below(std::size(waits))](all, random);
    EXPECT_EQ(weft_report_waiting(-1), 0);
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace weft::test
