// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels: order, sizes, buffers, close, deadlines, no channel, from tasks and from threads
// outside.
#include <array>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

// A channel of values of type T, destroyed at the end: nobody may wait then.
template <class T>
class channel_of {
 public:
  explicit channel_of(std::size_t capacity = 0) {
    EXPECT_EQ(weft_channel_create(sizeof(T), capacity, &c_), 0);
  }
  channel_of(const channel_of&) = delete;
  channel_of& operator=(const channel_of&) = delete;
  ~channel_of() { EXPECT_EQ(weft_channel_destroy(c_), 0); }

  operator weft_channel_t() const { return c_; }

  int send(const T& v) { return weft_channel_send(c_, &v); }
  int try_send(const T& v) { return weft_channel_try_send(c_, &v); }
  // What was received; the result must be 0.
  T receive() {
    T v{};
    EXPECT_EQ(weft_channel_receive(c_, &v), 0);
    return v;
  }
  T try_receive() {
    T v{};
    EXPECT_EQ(weft_channel_try_receive(c_, &v), 0);
    return v;
  }

 private:
  weft_channel_t c_ = nullptr;
};

int64_t in_ms(int64_t ms) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() + ms * 1'000'000;
}
constexpr int64_t long_ms = 600'000;

TEST(channel, needs_no_runtime_to_buffer) {
  channel_of<int> c(3);
  EXPECT_EQ(weft_channel_capacity(c), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(c.send(i), 0);
  EXPECT_EQ(c.try_send(3), -EBUSY);
  EXPECT_EQ(weft_channel_length(c), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(c.receive(), i);
  int v = 0;
  EXPECT_EQ(weft_channel_try_receive(c, &v), -EBUSY);
  EXPECT_EQ(weft_channel_length(c), 0u);
  EXPECT_EQ(weft_worker_count(), 0u);
}

TEST(channel, two_threads_without_a_runtime_hand_over) {
  channel_of<int> c;
  std::thread sender([&] {
    for (int i = 0; i < scaled(20'000); ++i) ASSERT_EQ(c.send(i), 0);
  });
  for (int i = 0; i < scaled(20'000); ++i) ASSERT_EQ(c.receive(), i);
  sender.join();
  EXPECT_EQ(weft_worker_count(), 0u);
}

TEST(channel, the_buffer_goes_round) {
  channel_of<int> c(5);
  int sent = 0;
  int received = 0;
  for (int round = 0; round < 100; ++round) {
    const int n = round % 6;
    for (int i = 0; i < n; ++i) ASSERT_EQ(c.send(sent++), 0);
    for (int i = 0; i < n; ++i) ASSERT_EQ(c.receive(), received++);
  }
  EXPECT_EQ(sent, received);
}

template <std::size_t Bytes>
void copies_whole_values() {
  using block = std::array<unsigned char, Bytes>;
  for (const std::size_t capacity : {0, 2}) {
    channel_of<block> c(capacity);
    auto sends = [&] {
      for (int i = 0; i < 5; ++i) {
        block b;
        b.fill(static_cast<unsigned char>(i + 1));
        EXPECT_EQ(c.send(b), 0);
        b.fill(0);  // it was copied
      }
    };
    const weft_task_t t = spawn(sends);
    for (int i = 0; i < 5; ++i) {
      // One byte more on both sides must stay as it is.
      struct {
        unsigned char before = 0xee;
        block b{};
        unsigned char after = 0xee;
      } v;
      EXPECT_EQ(weft_channel_receive(c, &v.b), 0);
      for (const unsigned char byte : v.b) EXPECT_EQ(byte, i + 1);
      EXPECT_EQ(v.before, 0xee);
      EXPECT_EQ(v.after, 0xee);
    }
    join(t);
  }
}

TEST(channel, values_of_any_size_are_copied_whole) {
  const runtime weft(1);
  copies_whole_values<1>();
  copies_whole_values<4>();
  copies_whole_values<8>();
  copies_whole_values<13>();
  copies_whole_values<64>();
  copies_whole_values<5000>();
}

TEST(channel, values_without_bytes_are_counted) {
  const runtime weft(1);
  weft_channel_t c = nullptr;
  ASSERT_EQ(weft_channel_create(0, 2, &c), 0);
  EXPECT_EQ(weft_channel_send(c, nullptr), 0);
  EXPECT_EQ(weft_channel_send(c, nullptr), 0);
  EXPECT_EQ(weft_channel_try_send(c, nullptr), -EBUSY);
  EXPECT_EQ(weft_channel_length(c), 2u);
  EXPECT_EQ(weft_channel_receive(c, nullptr), 0);
  EXPECT_EQ(weft_channel_receive(c, nullptr), 0);
  EXPECT_EQ(weft_channel_try_receive(c, nullptr), -EBUSY);
  EXPECT_EQ(weft_channel_destroy(c), 0);
}

TEST(channel, an_unbuffered_send_waits_for_its_receive) {
  const runtime weft(1);
  channel_of<int> c;
  letters order;
  auto sends = [&] {
    order += 's';
    EXPECT_EQ(c.send(7), 0);
    order += 'd';
  };
  const weft_task_t t = spawn(sends);
  weft_task_yield();
  EXPECT_EQ(order.text(), "s");
  EXPECT_EQ(c.receive(), 7);
  weft_task_yield();
  EXPECT_EQ(order.text(), "sd");
  join(t);
}

TEST(channel, says_whether_somebody_waits) {
  EXPECT_EQ(weft_channel_is_waited_for(nullptr), 0);
  channel_of<int> c;
  EXPECT_EQ(weft_channel_is_waited_for(c), 0);
  const runtime weft(1);
  auto receives = [&] { EXPECT_EQ(c.receive(), 7); };
  auto sends = [&] { EXPECT_EQ(c.send(8), 0); };
  const weft_task_t receiver = spawn(receives);
  weft_task_yield();
  EXPECT_EQ(weft_channel_is_waited_for(c), 1);
  EXPECT_EQ(weft_channel_destroy(c), -EBUSY);
  EXPECT_EQ(c.send(7), 0);
  join(receiver);
  EXPECT_EQ(weft_channel_is_waited_for(c), 0);
  const weft_task_t sender = spawn(sends);
  weft_task_yield();
  EXPECT_EQ(weft_channel_is_waited_for(c), 1);
  EXPECT_EQ(c.receive(), 8);
  join(sender);
  EXPECT_EQ(weft_channel_is_waited_for(c), 0);
}

TEST(channel, a_full_buffer_keeps_senders_waiting_in_order) {
  const runtime weft(1);
  channel_of<int> c(2);
  std::atomic<int> done{0};
  struct body {
    channel_of<int>& c;
    std::atomic<int>& done;
    int value;
    void operator()() const {
      EXPECT_EQ(c.send(value), 0);
      ++done;
    }
  };
  std::vector<body> bodies;
  for (int i = 0; i < 5; ++i) bodies.push_back({c, done, i});
  std::vector<weft_task_t> tasks;
  for (body& b : bodies) {
    tasks.push_back(spawn(b));
    weft_task_yield();
  }
  EXPECT_EQ(done, 2);
  EXPECT_EQ(weft_channel_length(c), 2u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(c.receive(), i);
  for (weft_task_t t : tasks) join(t);
  EXPECT_EQ(done, 5);
}

TEST(channel, waiting_receivers_are_served_in_order_and_past_the_buffer) {
  const runtime weft(1);
  channel_of<int> c(4);
  std::atomic<int> got[3] = {};
  struct body {
    channel_of<int>& c;
    std::atomic<int>& got;
    void operator()() const { got = c.receive(); }
  };
  body bodies[3] = {{c, got[0]}, {c, got[1]}, {c, got[2]}};
  weft_task_t tasks[3];
  for (int i = 0; i < 3; ++i) {
    tasks[i] = spawn(bodies[i]);
    weft_task_yield();
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(c.try_send(10 + i), 0);
  EXPECT_EQ(weft_channel_length(c), 0u);
  for (int i = 0; i < 3; ++i) {
    join(tasks[i]);
    EXPECT_EQ(got[i], 10 + i);
  }
}

TEST(channel, a_receive_may_drop_the_value) {
  const runtime weft(1);
  channel_of<int> c(1);
  EXPECT_EQ(c.send(1), 0);
  EXPECT_EQ(weft_channel_receive(c, nullptr), 0);
  auto drops = [&] { EXPECT_EQ(weft_channel_receive(c, nullptr), 0); };
  const weft_task_t t = spawn(drops);
  weft_task_yield();
  EXPECT_EQ(c.try_send(2), 0);
  join(t);
}

// --- close ---------------------------------------------------------------------------------------

TEST(channel_close, a_receive_loop_gets_what_is_left_and_ends) {
  const runtime weft(1);
  channel_of<int> c(10);
  for (int i = 1; i <= 10; ++i) EXPECT_EQ(c.send(i), 0);
  EXPECT_EQ(weft_channel_close(c), 0);
  int sum = 0;
  int v = 0;
  while (weft_channel_receive(c, &v) == 0) sum += v;
  EXPECT_EQ(sum, 55);
  EXPECT_EQ(weft_channel_receive(c, &v), -EPIPE);
  EXPECT_EQ(weft_channel_try_receive(c, &v), -EPIPE);
  EXPECT_EQ(weft_channel_receive_until(c, &v, in_ms(long_ms)), -EPIPE);
  EXPECT_EQ(v, 10) << "a receive that fails writes nothing";
}

TEST(channel_close, sends_are_refused_afterwards) {
  channel_of<int> c(10);
  EXPECT_EQ(weft_channel_close(c), 0);
  EXPECT_EQ(c.send(1), -EPIPE);
  EXPECT_EQ(c.try_send(1), -EPIPE);
  const int v = 1;
  EXPECT_EQ(weft_channel_send_until(c, &v, in_ms(long_ms)), -EPIPE);
  EXPECT_EQ(weft_channel_close(c), -EPIPE);
  EXPECT_EQ(weft_channel_length(c), 0u);
}

TEST(channel_close, all_who_wait_are_told) {
  const runtime weft(1);
  channel_of<int> full(1);
  channel_of<int> empty(1);
  EXPECT_EQ(full.send(0), 0);
  std::atomic<int> refused{0};
  auto sends = [&] { refused += full.send(1) == -EPIPE; };
  auto receives = [&] {
    int v = 77;
    refused += weft_channel_receive(empty, &v) == -EPIPE && v == 77;
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 5; ++i) {
    tasks.push_back(spawn(sends));
    tasks.push_back(spawn(receives));
  }
  weft_task_yield();
  EXPECT_EQ(weft_channel_destroy(full), -EBUSY);
  EXPECT_EQ(weft_channel_destroy(empty), -EBUSY);
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(weft_channel_close(full), 0);
  EXPECT_EQ(weft_channel_close(empty), 0);
  for (weft_task_t t : tasks) join(t);
  EXPECT_EQ(refused, 10);
  EXPECT_EQ(full.receive(), 0);  // was sent before
}

// --- deadlines -----------------------------------------------------------------------------------

TEST(channel_deadline, what_has_passed_tries_once) {
  const runtime weft(1);
  channel_of<int> c(1);
  int v = 5;
  EXPECT_EQ(weft_channel_receive_until(c, &v, 0), -ETIMEDOUT);
  EXPECT_EQ(weft_channel_send_until(c, &v, 0), 0);
  EXPECT_EQ(weft_channel_send_until(c, &v, 0), -ETIMEDOUT);
  EXPECT_EQ(weft_channel_receive_until(c, &v, INT64_MIN), 0);
  EXPECT_EQ(weft_channel_receive_until(c, &v, INT64_MIN), -ETIMEDOUT);
}

TEST(channel_deadline, a_send_that_gave_up_sends_nothing) {
  const runtime weft(1);
  channel_of<int> c;
  const int v = 1;
  EXPECT_EQ(weft_channel_send_until(c, &v, in_ms(5)), -ETIMEDOUT);
  int got = 0;
  EXPECT_EQ(weft_channel_try_receive(c, &got), -EBUSY);
}

TEST(channel_deadline, a_receive_that_gave_up_takes_nothing) {
  const runtime weft(1);
  channel_of<int> c;
  int got = 0;
  EXPECT_EQ(weft_channel_receive_until(c, &got, in_ms(5)), -ETIMEDOUT);
  EXPECT_EQ(c.try_send(1), -EBUSY);
  EXPECT_EQ(got, 0);
}

TEST(channel_deadline, one_that_is_far_is_as_none) {
  const runtime weft(1);
  channel_of<int> c;
  auto sends = [&] {
    const int v = 3;
    EXPECT_EQ(weft_channel_send_until(c, &v, in_ms(long_ms)), 0);
  };
  auto receives = [&] {
    int v = 0;
    EXPECT_EQ(weft_channel_receive_until(c, &v, in_ms(long_ms)), 0);
    EXPECT_EQ(v, 3);
  };
  const weft_task_t s = spawn(sends);
  weft_task_yield();
  receives();
  join(s);
  const weft_task_t r = spawn(receives);
  weft_task_yield();
  sends();
  join(r);
}

TEST(channel_deadline, threads_outside_give_up_too) {
  channel_of<int> c;
  const int v = 1;
  int got = 0;
  EXPECT_EQ(weft_channel_send_until(c, &v, in_ms(5)), -ETIMEDOUT);
  EXPECT_EQ(weft_channel_receive_until(c, &got, in_ms(5)), -ETIMEDOUT);
  EXPECT_EQ(c.try_send(1), -EBUSY);
  EXPECT_EQ(weft_channel_try_receive(c, &got), -EBUSY);
}

// --- arguments, no channel -----------------------------------------------------------------------

TEST(channel_arguments, what_cannot_be_is_refused) {
  EXPECT_EQ(weft_channel_create(8, 1, nullptr), -EINVAL);
  weft_channel_t c = nullptr;
  EXPECT_EQ(weft_channel_create(SIZE_MAX, 2, &c), -ENOMEM);
  EXPECT_EQ(weft_channel_create(SIZE_MAX, 1, &c), -ENOMEM);
  EXPECT_EQ(weft_channel_create(std::size_t{1} << 62, 1, &c), -ENOMEM);
  EXPECT_EQ(c, nullptr);
  EXPECT_EQ(weft_channel_close(nullptr), -EINVAL);
  EXPECT_EQ(weft_channel_destroy(nullptr), 0);
}

TEST(channel_arguments, no_channel_is_never_ready) {
  const runtime weft(1);
  auto body = [] {
    int v = 0;
    EXPECT_EQ(weft_channel_try_send(nullptr, &v), -EBUSY);
    EXPECT_EQ(weft_channel_try_receive(nullptr, &v), -EBUSY);
    EXPECT_EQ(weft_channel_send_until(nullptr, &v, in_ms(2)), -ETIMEDOUT);
    EXPECT_EQ(weft_channel_receive_until(nullptr, &v, in_ms(2)), -ETIMEDOUT);
    EXPECT_EQ(weft_channel_length(nullptr), 0u);
    EXPECT_EQ(weft_channel_capacity(nullptr), 0u);
  };
  body();
  run_apart(body);
  std::thread(body).join();
}

TEST(channel_arguments, who_waits_for_no_channel_waits_for_ever) {
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 1;
  ASSERT_EQ(weft_start(&config), 0);
  std::atomic<int> began{0};
  auto sends = [&] {
    ++began;
    weft_channel_send(nullptr, nullptr);
    ADD_FAILURE();
  };
  auto receives = [&] {
    ++began;
    weft_channel_receive(nullptr, nullptr);
    ADD_FAILURE();
  };
  EXPECT_EQ(weft_task_detach(spawn(sends)), 0);
  EXPECT_EQ(weft_task_detach(spawn(receives)), 0);
  weft_task_yield();
  EXPECT_EQ(began, 2);
  EXPECT_EQ(weft_stop(), 2) << "both are still parked";
}

TEST(channel_arguments, a_stackless_task_may_do_all_but_wait) {
  const runtime weft(1);
  channel_of<int> c(1);
  int results[4] = {};
  auto body = [&] {
    results[0] = c.send(1);
    results[1] = c.send(2);
    results[2] = c.receive();
    int v = 0;
    results[3] = weft_channel_receive(c, &v);
  };
  testing::internal::CaptureStderr();
  join(spawn(body, with_flags(WEFT_SPAWN_STACKLESS)));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("a stackless task cannot block"),
            std::string::npos);
  EXPECT_EQ(results[0], 0);
  EXPECT_EQ(results[1], -EPERM);
  EXPECT_EQ(results[2], 1);
  EXPECT_EQ(results[3], -EPERM);
}

// --- many flows ----------------------------------------------------------------------------------

// WEFT_TEST_AT_WORKERS
class channel_flows : public at_workers {};

TEST_F(channel_flows, a_pipeline_keeps_the_order) {
  constexpr int stages = 20;
  const int values = scaled(2'000);
  std::vector<weft_channel_t> links(stages + 1);
  for (int i = 0; i <= stages; ++i)
    ASSERT_EQ(weft_channel_create(sizeof(int), i % 3, &links[i]), 0);
  struct stage {
    weft_channel_t in;
    weft_channel_t out;
    void operator()() const {
      int v = 0;
      while (weft_channel_receive(in, &v) == 0) {
        ++v;
        EXPECT_EQ(weft_channel_send(out, &v), 0);
      }
      EXPECT_EQ(weft_channel_close(out), 0);
    }
  };
  std::vector<stage> bodies;
  for (int i = 0; i < stages; ++i) bodies.push_back({links[i], links[i + 1]});
  std::vector<weft_task_t> tasks;
  for (stage& s : bodies) tasks.push_back(spawn(s));
  auto feeds = [&] {
    for (int i = 0; i < values; ++i) EXPECT_EQ(weft_channel_send(links[0], &i), 0);
    EXPECT_EQ(weft_channel_close(links[0]), 0);
  };
  tasks.push_back(spawn(feeds));
  int v = 0;
  int expected = stages;
  while (weft_channel_receive(links[stages], &v) == 0) ASSERT_EQ(v, expected++);
  EXPECT_EQ(expected, stages + values);
  for (weft_task_t t : tasks) join(t);
  for (weft_channel_t c : links) EXPECT_EQ(weft_channel_destroy(c), 0);
}

TEST_F(channel_flows, tasks_and_threads_outside_hand_over_to_each_other) {
  channel_of<int> there;
  channel_of<int> back;
  const int values = scaled(5'000);
  std::thread outside([&] {
    int v = 0;
    while (weft_channel_receive(there, &v) == 0) {
      v *= 2;
      ASSERT_EQ(back.send(v), 0);
    }
  });
  auto body = [&] {
    for (int i = 0; i < values; ++i) {
      EXPECT_EQ(there.send(i), 0);
      EXPECT_EQ(back.receive(), 2 * i);
    }
  };
  body();
  join(spawn(body));
  EXPECT_EQ(weft_channel_close(there), 0);
  outside.join();
}

}  // namespace
}  // namespace weft::test
