// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels and select under all their callers at once: every value arrives exactly once.
// WEFT_TEST_AT_WORKERS
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

#include <weft/weft.h>

#include "base/build.hpp"

namespace weft::rt {
namespace {

constexpr int values_each = build::tsan ? 300 : build::asan ? 1'000 : 5'000;

int64_t in_ns(int64_t ns) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() + ns;
}

void step_aside() {
  if (weft_task_yield() == -ENOTCONN) std::this_thread::yield();
}

// One value: who sent it, and its number among those.
struct parcel {
  int32_t from;
  int32_t number;
};

constexpr std::size_t capacities[] = {0, 0, 1, 3, 64};
constexpr int channel_count = std::size(capacities);

struct exchange {
  explicit exchange(int producers) : seen(static_cast<std::size_t>(producers) * values_each) {
    for (int i = 0; i < channel_count; ++i)
      EXPECT_EQ(weft_channel_create(sizeof(parcel), capacities[i], &channels[i]), 0);
  }
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;
  ~exchange() {
    for (weft_channel_t c : channels) EXPECT_EQ(weft_channel_destroy(c), 0);
  }

  weft_channel_t channels[channel_count] = {};
  std::vector<std::atomic<int>> seen;
  std::atomic<int64_t> timeouts{0};
};

using random_source = std::minstd_rand;

// One value by a way that chance picks. 0 or -EPIPE.
int send_somehow(exchange& x, random_source& random, parcel p) {
  for (;;) {
    const unsigned way = static_cast<unsigned>(random()) % 6;
    weft_channel_t c = x.channels[random() % channel_count];
    int result = -EBUSY;
    if (way == 0) {
      result = weft_channel_try_send(c, &p);
      if (result == -EBUSY) step_aside();
    } else if (way == 1) {
      result = weft_channel_send_until(c, &p, in_ns(random() % 20'000));
    } else if (way == 2) {
      result = weft_channel_send(c, &p);
    } else {
      weft_case_t cases[channel_count];
      const int count = 1 + static_cast<int>(random() % channel_count);
      const int first = static_cast<int>(random() % channel_count);
      for (int i = 0; i < count; ++i)
        cases[i] = weft_case_send(x.channels[(first + i) % channel_count], &p);
      const auto n = static_cast<std::size_t>(count);
      const int taken = way == 3   ? weft_case_try_select(cases, n)
                        : way == 4 ? weft_case_select_until(cases, n, in_ns(random() % 20'000))
                                   : weft_case_select(cases, n);
      result = taken >= 0 ? cases[taken].result : taken;
      if (result == -EBUSY) step_aside();
    }
    if (result == 0 || result == -EPIPE) return result;
    EXPECT_TRUE(result == -EBUSY || result == -ETIMEDOUT) << result;
    x.timeouts += result == -ETIMEDOUT;
  }
}

// Receives until all channels are closed and empty. Who looks at all channels never waits at one
// alone: at least one must, or all could wait where nobody sends.
void receive_all(exchange& x, unsigned seed, bool at_all) {
  random_source random(seed);
  bool open[channel_count];
  std::fill(std::begin(open), std::end(open), true);
  int left = channel_count;
  while (left > 0) {
    const unsigned way =
        at_all ? 3 + static_cast<unsigned>(random()) % 3 : static_cast<unsigned>(random()) % 6;
    parcel p{-1, -1};
    int at = static_cast<int>(random() % channel_count);
    int result = -EBUSY;
    if (way < 3) {
      if (!open[at]) continue;
      result = way == 0   ? weft_channel_try_receive(x.channels[at], &p)
               : way == 1 ? weft_channel_receive_until(x.channels[at], &p, in_ns(random() % 20'000))
                          : weft_channel_receive(x.channels[at], &p);
    } else {
      weft_case_t cases[channel_count];
      for (int i = 0; i < channel_count; ++i)
        cases[i] = weft_case_receive(open[i] ? x.channels[i] : nullptr, &p);
      at = way == 3   ? weft_case_try_select(cases, channel_count)
           : way == 4 ? weft_case_select_until(cases, channel_count, in_ns(random() % 20'000))
                      : weft_case_select(cases, channel_count);
      result = at >= 0 ? cases[at].result : at;
    }
    if (result == 0) {
      const auto index = static_cast<std::size_t>(p.from) * values_each + p.number;
      ASSERT_LT(index, x.seen.size());
      ASSERT_EQ(x.seen[index]++, 0) << "twice: " << p.from << ", " << p.number;
    } else if (result == -EPIPE) {
      open[at] = false;
      --left;
    } else if (result == -EBUSY) {
      step_aside();
    } else {
      ASSERT_EQ(result, -ETIMEDOUT);
      ++x.timeouts;
    }
  }
}

struct actor {
  exchange* x;
  int number;
};

void* produce(void* arg) {
  const auto* me = static_cast<actor*>(arg);
  random_source random(static_cast<unsigned>(me->number + 1));
  for (int i = 0; i < values_each; ++i) EXPECT_EQ(send_somehow(*me->x, random, {me->number, i}), 0);
  return nullptr;
}

void* consume(void* arg) {
  const auto* me = static_cast<actor*>(arg);
  receive_all(*me->x, static_cast<unsigned>(1000 + me->number), me->number == 1);
  return nullptr;
}

class channel_stress : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(weft_start(nullptr), 0); }
  void TearDown() override { EXPECT_EQ(weft_stop(), 0); }
};

TEST_F(channel_stress, every_value_arrives_once_whatever_the_way) {
  constexpr int producers = 8;  // of them, and of the consumers, one is a thread outside
  constexpr int consumers = 6;
  exchange x(producers);
  std::vector<actor> actors;
  for (int i = 0; i < std::max(producers, consumers); ++i) actors.push_back({&x, i});
  std::vector<weft_task_t> sending(producers - 1);
  std::vector<weft_task_t> receiving(consumers - 1);
  for (int i = 1; i < producers; ++i)
    ASSERT_EQ(weft_task_spawn(produce, &actors[i], &sending[i - 1]), 0);
  for (int i = 1; i < consumers; ++i)
    ASSERT_EQ(weft_task_spawn(consume, &actors[i], &receiving[i - 1]), 0);
  std::atomic<bool> outside_sent{false};
  std::thread outside_producer([&] {
    produce(&actors[0]);
    outside_sent = true;
  });
  std::thread outside_consumer(consume, &actors[0]);
  ASSERT_EQ(weft_task_join_many(sending.data(), sending.size(), nullptr), 0);
  while (!outside_sent) ASSERT_EQ(weft_task_yield(), 0);  // its receivers need this worker
  outside_producer.join();
  for (weft_channel_t c : x.channels) EXPECT_EQ(weft_channel_close(c), 0);
  ASSERT_EQ(weft_task_join_many(receiving.data(), receiving.size(), nullptr), 0);
  outside_consumer.join();
  EXPECT_EQ(std::count(x.seen.begin(), x.seen.end(), 1), producers * values_each);
  std::printf("%lld calls gave up at their deadline\n", static_cast<long long>(x.timeouts));
}

// A close in the middle: who was told that his value was sent sent it, and no other arrives.
TEST_F(channel_stress, what_a_close_refuses_was_not_sent) {
  constexpr int rounds = build::tsan ? 50 : 3'000;
  constexpr int senders = 6;
  for (int round = 0; round < rounds; ++round) {
    struct state {
      weft_channel_t c = nullptr;
      std::atomic<int64_t> sent{0};
      std::atomic<int64_t> received{0};
      int close_at = 0;
    } s;
    ASSERT_EQ(weft_channel_create(sizeof(int), static_cast<std::size_t>(round % 3), &s.c), 0);
    s.close_at = 5 + round % 40;
    const auto send = [](void* arg) -> void* {
      auto* in = static_cast<state*>(arg);
      for (int v = 1;; ++v) {
        weft_case_t one = weft_case_send(in->c, &v);
        const int result =
            v % 2 == 0 ? weft_channel_send(in->c, &v) : (weft_case_select(&one, 1), one.result);
        if (result == -EPIPE) return nullptr;
        EXPECT_EQ(result, 0);
        in->sent += v;
      }
    };
    const auto receive = [](void* arg) -> void* {
      auto* in = static_cast<state*>(arg);
      int v = 0;
      for (int count = 0; weft_channel_receive(in->c, &v) == 0; ++count) {
        in->received += v;
        if (count == in->close_at) {
          EXPECT_EQ(weft_channel_close(in->c), 0);
        }
      }
      return nullptr;
    };
    std::vector<weft_task_t> tasks(senders + 1);
    for (int i = 0; i < senders; ++i) ASSERT_EQ(weft_task_spawn(send, &s, &tasks[i]), 0);
    ASSERT_EQ(weft_task_spawn(receive, &s, &tasks[senders]), 0);
    ASSERT_EQ(weft_task_join_many(tasks.data(), tasks.size(), nullptr), 0);
    ASSERT_EQ(s.sent, s.received) << "round " << round;
    ASSERT_EQ(weft_channel_destroy(s.c), 0);
  }
}

// Who received the last value destroys the channel at once, while its sender is on the way back.
TEST_F(channel_stress, a_channel_may_be_destroyed_as_soon_as_it_has_served) {
  constexpr int rounds = build::tsan ? 500 : 30'000;
  for (int round = 0; round < rounds; ++round) {
    weft_channel_t c = nullptr;
    ASSERT_EQ(weft_channel_create(sizeof(int), static_cast<std::size_t>(round % 2), &c), 0);
    weft_task_t t = nullptr;
    ASSERT_EQ(weft_task_spawn(
                  [](void* arg) -> void* {
                    const int v = 1;
                    EXPECT_EQ(weft_channel_send(static_cast<weft_channel_t>(arg), &v), 0);
                    return nullptr;
                  },
                  c, &t),
              0);
    int v = 0;
    ASSERT_EQ(weft_channel_receive(c, &v), 0);
    ASSERT_EQ(weft_channel_destroy(c), 0);
    ASSERT_EQ(weft_task_join(t, nullptr), 0);
  }
}

}  // namespace
}  // namespace weft::rt
