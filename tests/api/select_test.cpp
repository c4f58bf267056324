// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Select over channels and deadlines: what is taken, what is left alone, and that the choice is
// fair.
#include <array>
#include <cerrno>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

class channels {
 public:
  channels(std::size_t count, std::size_t capacity) : all_(count) {
    for (weft_channel_t& c : all_) EXPECT_EQ(weft_channel_create(sizeof(int), capacity, &c), 0);
  }
  channels(const channels&) = delete;
  channels& operator=(const channels&) = delete;
  // Whoever selected has left all queues.
  ~channels() {
    for (weft_channel_t c : all_) EXPECT_EQ(weft_channel_destroy(c), 0);
  }
  weft_channel_t operator[](std::size_t i) const { return all_[i]; }

  void send(std::size_t i, int v) { EXPECT_EQ(weft_channel_send(all_[i], &v), 0); }
  int receive(std::size_t i) {
    int v = -1;
    EXPECT_EQ(weft_channel_receive(all_[i], &v), 0);
    return v;
  }

 private:
  std::vector<weft_channel_t> all_;
};

int64_t in_ms(int64_t ms) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() + ms * 1'000'000;
}
constexpr int64_t long_ms = 600'000;

TEST(select, takes_the_one_that_is_ready) {
  channels c(3, 1);
  c.send(1, 42);
  int v[3] = {};
  weft_case_t cases[] = {weft_case_receive(c[0], &v[0]), weft_case_receive(c[1], &v[1]),
                         weft_case_receive(c[2], &v[2])};
  EXPECT_EQ(weft_case_select(cases, 3), 1);
  EXPECT_EQ(cases[1].result, 0);
  EXPECT_EQ(v[0], 0);
  EXPECT_EQ(v[1], 42);
  EXPECT_EQ(v[2], 0);
  EXPECT_EQ(weft_case_try_select(cases, 3), -EBUSY);
}

TEST(select, sends_where_there_is_room) {
  channels c(2, 1);
  c.send(0, 1);
  const int v = 9;
  weft_case_t cases[] = {weft_case_send(c[0], &v), weft_case_send(c[1], &v)};
  EXPECT_EQ(weft_case_select(cases, 2), 1);
  EXPECT_EQ(weft_case_try_select(cases, 2), -EBUSY);
  EXPECT_EQ(c.receive(0), 1);
  EXPECT_EQ(c.receive(1), 9);
}

TEST(select, each_ready_case_is_as_likely_as_the_other) {
  channels c(4, 3000);
  int v = 0;
  weft_case_t cases[] = {weft_case_receive(nullptr, &v), weft_case_send(c[0], &v),
                         weft_case_send(c[1], &v), weft_case_receive(c[3], &v),
                         weft_case_send(c[2], &v)};
  std::array<int, 5> taken{};
  for (int i = 0; i < 3000; ++i) ++taken.at(static_cast<std::size_t>(weft_case_select(cases, 5)));
  // 1,000 each, with a deviation of 26.
  for (const int i : {1, 2, 4}) {
    EXPECT_GT(taken[i], 850);
    EXPECT_LT(taken[i], 1150);
  }
  int left = 0;
  for (int i = 0; i < 3; ++i)
    while (weft_channel_try_receive(c[i], &v) == 0) ++left;
  EXPECT_EQ(left, 3000);
}

TEST(select, in_a_task_the_choice_is_fair_too) {
  const runtime weft(1);
  channels c(2, 2000);
  int v = 0;
  std::array<int, 2> taken{};
  auto body = [&] {
    weft_case_t cases[] = {weft_case_send(c[0], &v), weft_case_send(c[1], &v)};
    for (int i = 0; i < 2000; ++i) ++taken.at(static_cast<std::size_t>(weft_case_select(cases, 2)));
  };
  run_apart(body);
  EXPECT_GT(taken[0], 850);
  EXPECT_GT(taken[1], 850);
}

TEST(select, waits_until_somebody_sends) {
  const runtime weft(1);
  channels c(3, 0);
  std::atomic<int> taken{-1};
  std::atomic<int> value{0};
  auto body = [&] {
    int v[3] = {};
    weft_case_t cases[] = {weft_case_receive(c[0], &v[0]), weft_case_receive(c[1], &v[1]),
                           weft_case_receive(c[2], &v[2])};
    taken = weft_case_select(cases, 3);
    value = v[taken];
  };
  for (int i = 0; i < 3; ++i) {
    const weft_task_t t = spawn(body);
    weft_task_yield();
    c.send(i, 10 + i);
    join(t);
    EXPECT_EQ(taken, i);
    EXPECT_EQ(value, 10 + i);
    const int v = 0;
    for (int j = 0; j < 3; ++j) EXPECT_EQ(weft_channel_try_send(c[j], &v), -EBUSY);
  }
}

TEST(select, waits_until_somebody_receives) {
  const runtime weft(1);
  channels c(3, 0);
  std::atomic<int> taken{-1};
  auto body = [&] {
    const int v[3] = {20, 21, 22};
    weft_case_t cases[] = {weft_case_send(c[0], &v[0]), weft_case_send(c[1], &v[1]),
                           weft_case_send(c[2], &v[2])};
    taken = weft_case_select(cases, 3);
  };
  for (int i = 0; i < 3; ++i) {
    const weft_task_t t = spawn(body);
    weft_task_yield();
    EXPECT_EQ(c.receive(i), 20 + i);
    join(t);
    EXPECT_EQ(taken, i);
    int v = 0;
    for (int j = 0; j < 3; ++j) EXPECT_EQ(weft_channel_try_receive(c[j], &v), -EBUSY);
  }
}

TEST(select, a_close_makes_a_case_ready) {
  const runtime weft(1);
  channels c(2, 0);
  std::atomic<int> taken{-1};
  std::atomic<int> result{1};
  auto body = [&] {
    int v = 0;
    weft_case_t cases[] = {weft_case_send(c[0], &v), weft_case_receive(c[1], &v)};
    taken = weft_case_select(cases, 2);
    result = cases[taken].result;
  };
  weft_task_t t = spawn(body);
  weft_task_yield();
  EXPECT_EQ(weft_channel_close(c[0]), 0);
  join(t);
  EXPECT_EQ(taken, 0);
  EXPECT_EQ(result, -EPIPE);
  body();
  EXPECT_EQ(taken, 0) << "it stays ready";
  int v = 0;
  weft_case_t both[] = {weft_case_receive(c[0], &v), weft_case_receive(c[1], &v)};
  EXPECT_EQ(weft_case_select(both, 2), 0);
  EXPECT_EQ(both[0].result, -EPIPE);
}

TEST(select, two_selects_meet) {
  const runtime weft(1);
  channels c(2, 0);
  std::atomic<int> got{0};
  auto receiver = [&] {
    int v[2] = {};
    weft_case_t cases[] = {weft_case_receive(c[0], &v[0]), weft_case_receive(c[1], &v[1])};
    got = v[weft_case_select(cases, 2)];
  };
  auto sender = [&] {
    const int v = 5;
    weft_case_t cases[] = {weft_case_send(c[1], &v), weft_case_send(c[0], &v)};
    const int taken = weft_case_select(cases, 2);
    EXPECT_TRUE(taken == 0 || taken == 1);
  };
  for (int round = 0; round < 20; ++round) {
    got = 0;
    const weft_task_t r = spawn(receiver);
    weft_task_yield();
    sender();
    join(r);
    EXPECT_EQ(got, 5);
    got = 0;
    const weft_task_t s = spawn(sender);
    weft_task_yield();
    receiver();
    join(s);
    EXPECT_EQ(got, 5);
  }
}

TEST(select, does_not_meet_itself) {
  const runtime weft(1);
  channels c(1, 0);
  int out = 1;
  int in = 0;
  weft_case_t cases[] = {weft_case_send(c[0], &out), weft_case_receive(c[0], &in)};
  EXPECT_EQ(weft_case_try_select(cases, 2), -EBUSY);
  EXPECT_EQ(weft_case_select_until(cases, 2, in_ms(5)), -ETIMEDOUT);
  EXPECT_EQ(in, 0);
  auto receives = [&] { EXPECT_EQ(c.receive(0), 1); };
  const weft_task_t r = spawn(receives);
  weft_task_yield();
  EXPECT_EQ(weft_case_select(cases, 2), 0);
  join(r);
  auto sends = [&] { c.send(0, 8); };
  const weft_task_t s = spawn(sends);
  EXPECT_EQ(weft_case_select(cases, 2), 1);
  EXPECT_EQ(in, 8);
  join(s);
}

TEST(select, one_channel_may_be_named_often) {
  const runtime weft(1);
  channels c(2, 0);
  int v[4] = {};
  std::atomic<int> taken{-1};
  auto body = [&] {
    weft_case_t cases[] = {weft_case_receive(c[1], &v[0]), weft_case_receive(c[0], &v[1]),
                           weft_case_receive(c[1], &v[2]), weft_case_receive(c[0], &v[3])};
    taken = weft_case_select(cases, 4);
  };
  const weft_task_t t = spawn(body);
  weft_task_yield();
  c.send(0, 6);
  join(t);
  ASSERT_TRUE(taken == 1 || taken == 3);
  EXPECT_EQ(v[0] + v[1] + v[2] + v[3], 6);
  EXPECT_EQ(v[taken], 6);
}

TEST(select, more_cases_than_any_stack_would_hold) {
  const runtime weft(1);
  constexpr int many = 500;
  channels c(many, 0);
  std::vector<int> v(many);
  std::vector<weft_case_t> cases(many);
  for (int i = 0; i < many; ++i) cases[i] = weft_case_receive(c[i], &v[i]);
  std::atomic<int> taken{-1};
  auto body = [&] { taken = weft_case_select(cases.data(), cases.size()); };
  for (const int i : {0, 1, 250, 499}) {
    const weft_task_t t = spawn(body);
    weft_task_yield();
    c.send(i, i + 1);
    join(t);
    EXPECT_EQ(taken, i);
    EXPECT_EQ(v[i], i + 1);
  }
}

// --- deadlines -----------------------------------------------------------------------------------

TEST(select_deadline, gives_up_and_stands_nowhere_afterwards) {
  const runtime weft(1);
  channels c(2, 0);
  int v = 4;
  auto body = [&] {
    weft_case_t cases[] = {weft_case_receive(c[0], &v), weft_case_send(c[1], &v)};
    EXPECT_EQ(weft_case_select_until(cases, 2, in_ms(3)), -ETIMEDOUT);
    EXPECT_EQ(weft_case_select_until(cases, 2, 0), -ETIMEDOUT);
    EXPECT_EQ(weft_case_select_until(nullptr, 0, in_ms(3)), -ETIMEDOUT);
    EXPECT_EQ(weft_case_try_select(nullptr, 0), -EBUSY);
    EXPECT_EQ(weft_channel_try_send(c[0], &v), -EBUSY);
    EXPECT_EQ(weft_channel_try_receive(c[1], &v), -EBUSY);
    EXPECT_EQ(v, 4);
  };
  body();
  run_apart(body);
  std::thread(body).join();
}

TEST(select_deadline, a_moment_may_be_a_case) {
  const runtime weft(1);
  channels c(1, 0);
  int v = 0;
  auto body = [&] {
    const int64_t soon = in_ms(3);
    weft_case_t cases[] = {weft_case_receive(c[0], &v), weft_case_deadline(in_ms(long_ms)),
                           weft_case_deadline(soon)};
    EXPECT_EQ(weft_case_try_select(cases, 2), -EBUSY);
    EXPECT_EQ(weft_case_select(cases, 3), 2);
    EXPECT_EQ(cases[2].result, 0);
    EXPECT_GE(in_ms(0), soon);
    EXPECT_EQ(weft_case_try_select(cases, 3), 2) << "it stays ready";
    // The call's own deadline comes first.
    EXPECT_EQ(weft_case_select_until(cases, 2, in_ms(3)), -ETIMEDOUT);
    // The case's comes first.
    cases[1] = weft_case_deadline(in_ms(3));
    EXPECT_EQ(weft_case_select_until(cases, 2, in_ms(long_ms)), 1);
  };
  body();
  run_apart(body);
  std::thread(body).join();
}

TEST(select_deadline, one_that_is_far_does_not_keep_others_waiting) {
  const runtime weft(1);
  channels c(1, 0);
  int v = 0;
  auto sends = [&] { c.send(0, 3); };
  const weft_task_t t = spawn(sends);
  weft_case_t cases[] = {weft_case_receive(c[0], &v), weft_case_deadline(in_ms(long_ms))};
  EXPECT_EQ(weft_case_select_until(cases, 2, in_ms(long_ms)), 0);
  EXPECT_EQ(v, 3);
  join(t);
}

// --- arguments -----------------------------------------------------------------------------------

TEST(select_arguments, what_cannot_be_is_refused) {
  channels c(1, 1);
  const int v = 0;
  EXPECT_EQ(weft_case_select(nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_case_try_select(nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_case_select_until(nullptr, 1, 0), -EINVAL);
  weft_case_t cases[] = {weft_case_send(c[0], &v), weft_case_make(99, c[0], nullptr, 0)};
  EXPECT_EQ(weft_case_select(cases, 2), -EINVAL);
  EXPECT_EQ(weft_case_try_select(cases, std::size_t{1} << 40), -EINVAL);
  EXPECT_EQ(weft_channel_length(c[0]), 0u) << "nothing was sent";
}

TEST(select_arguments, a_case_without_an_object_is_never_ready) {
  channels c(1, 1);
  int v = 0;
  weft_case_t cases[] = {weft_case_send(nullptr, &v), weft_case_receive(nullptr, &v),
                         weft_case_send(c[0], &v)};
  EXPECT_EQ(weft_case_try_select(cases, 2), -EBUSY);
  EXPECT_EQ(weft_case_select_until(cases, 2, in_ms(2)), -ETIMEDOUT);
  EXPECT_EQ(weft_case_select(cases, 3), 2);
}

TEST(select_arguments, a_stackless_task_may_take_what_is_ready) {
  const runtime weft(1);
  channels c(1, 1);
  int results[3] = {};
  auto body = [&] {
    int v = 1;
    weft_case_t one = weft_case_send(c[0], &v);
    results[0] = weft_case_select(&one, 1);
    results[1] = weft_case_select(&one, 1);
    results[2] = weft_case_try_select(&one, 1);
  };
  testing::internal::CaptureStderr();
  join(spawn(body, with_flags(WEFT_SPAWN_STACKLESS)));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("a stackless task cannot block"),
            std::string::npos);
  EXPECT_EQ(results[0], 0);
  EXPECT_EQ(results[1], -EPERM);
  EXPECT_EQ(results[2], -EBUSY);
}

// --- many flows ----------------------------------------------------------------------------------

// WEFT_TEST_AT_WORKERS
class select_flows : public at_workers {};

// Every node has something for each other and takes what comes: selects against selects, both ways.
TEST_F(select_flows, nodes_that_send_and_receive_at_once_all_finish) {
  constexpr int nodes = 6;
  const int each = scaled(1'000);
  channels c(nodes, 0);
  std::atomic<int64_t> sent{0};
  std::atomic<int64_t> received{0};
  struct node {
    channels& c;
    int me;
    int each;
    std::atomic<int64_t>& sent;
    std::atomic<int64_t>& received;
    // Sends `each` values to its neighbour and receives as many from the other one.
    void operator()() const {
      int to_send = each;
      int to_receive = each;
      int value = 0;
      int out = me + 1;
      while (to_send > 0 || to_receive > 0) {
        weft_case_t cases[] = {
            weft_case_send(to_send > 0 ? c[static_cast<std::size_t>((me + 1) % nodes)] : nullptr,
                           &out),
            weft_case_receive(to_receive > 0 ? c[static_cast<std::size_t>(me)] : nullptr, &value)};
        const int taken = weft_case_select(cases, 2);
        ASSERT_TRUE(taken == 0 || taken == 1) << taken;
        if (taken == 0) {
          --to_send;
          sent += out;
        } else {
          --to_receive;
          received += value;
        }
      }
    }
  };
  std::vector<node> bodies;
  for (int i = 0; i < nodes; ++i) bodies.push_back({c, i, each, sent, received});
  std::vector<weft_task_t> tasks;
  for (node& n : bodies) tasks.push_back(spawn(n));
  for (weft_task_t t : tasks) join(t);
  EXPECT_EQ(sent, received);
  EXPECT_EQ(sent, int64_t{each} * nodes * (nodes + 1) / 2);
}

}  // namespace
}  // namespace weft::test
