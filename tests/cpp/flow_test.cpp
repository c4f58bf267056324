// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels, select, groups and task_local of weft.hpp.
// WEFT_TEST_AT_WORKERS
#include <array>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <vector>

#include <weft/weft.hpp>

#include "support.hpp"
#include "support/child.hpp"

namespace weft::test {
namespace {

using namespace std::chrono_literals;
using cpp_channel = at_workers;
using cpp_select = at_workers;
using cpp_group = at_workers;
using cpp_task_local = at_workers;

// Counts how many there are; neither trivial nor copyable.
struct counted {
  explicit counted(int n = 0) : number(n) { ++alive; }
  counted(counted&& other) noexcept : number(std::exchange(other.number, -1)) { ++alive; }
  counted& operator=(counted&& other) noexcept {
    number = std::exchange(other.number, -1);
    return *this;
  }
  ~counted() { --alive; }
  int number;
  static inline std::atomic<int> alive{0};
};

TEST_F(cpp_channel, gives_a_range_for_all_that_was_sent) {
  for (std::size_t room : {0u, 1u, 7u}) {
    channel<int> numbers(room);
    channel<std::string> texts(room);
    auto sender = weft::spawn([&] {
      for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(numbers.send(i));
        EXPECT_TRUE(texts.send("text number " + std::to_string(i)));
      }
      EXPECT_TRUE(numbers.close());
      EXPECT_TRUE(texts.close());
      EXPECT_FALSE(texts.close());
    });
    int next = 0;
    for (const int& number : numbers) {
      EXPECT_EQ(number, next);
      EXPECT_EQ(texts.receive(), "text number " + std::to_string(next++));
    }
    EXPECT_EQ(next, 100);
    EXPECT_EQ(texts.receive(), std::nullopt);
    EXPECT_FALSE(texts.send("late"));
    sender.join();
  }
}

TEST_F(cpp_channel, loses_and_doubles_no_object) {
  {
    channel<counted> few(2);
    counted third(3);
    EXPECT_EQ(few.try_send(counted(1)), channel_status::ok);
    EXPECT_TRUE(few.send(counted(2)));
    EXPECT_EQ(few.try_send(third), channel_status::would_wait);
    EXPECT_EQ(few.send_for(third, 1ms), channel_status::timed_out);
    EXPECT_EQ(third.number, 3);
    counted got;
    EXPECT_EQ(few.try_receive(got), channel_status::ok);
    EXPECT_EQ(got.number, 1);
    EXPECT_EQ(few.send_until(third, std::chrono::system_clock::now() + 1h), channel_status::ok);
    EXPECT_EQ(few.size(), 2u);
    few.close();
    EXPECT_EQ(few.try_send(got), channel_status::closed);
    EXPECT_EQ(got.number, 1);
    EXPECT_FALSE(few.send(counted(4)));
    EXPECT_EQ(few.receive()->number, 2);
    EXPECT_EQ(counted::alive, 3);  // third, got, and the one in the channel
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST_F(cpp_channel, keeps_a_value_that_a_cancelled_send_did_not_send) {
  channel<std::string> full(1);
  EXPECT_TRUE(full.send("first"));
  canceller c;
  c.request();
  std::string value = "a value that is not lost, long enough for the heap";
  const std::string same = value;
  {
    const cancel_scope in(c);
    EXPECT_THROW((void)full.send_for(value, 1h), std::system_error);
  }
  EXPECT_EQ(value, same);
}

TEST_F(cpp_channel, keeps_no_value_of_a_range_for_while_it_waits_for_the_next) {
  channel<promise<int>> requests;
  auto server = weft::spawn([&] {
    for (const promise<int>& each : requests) (void)each;
  });
  promise<int> request;
  auto answer = request.get_future();
  EXPECT_TRUE(requests.send(std::move(request)));
  EXPECT_TRUE(answer.wait_for(patience));
  requests.close();
  server.join();
  EXPECT_THROW((void)answer.get(), std::system_error);
}

struct only_moved {
  explicit only_moved(int n) : number(n) {}
  only_moved(only_moved&&) = default;
  only_moved& operator=(only_moved&&) = default;
  int number;
};
static_assert(std::is_trivially_copyable_v<only_moved>);

TEST_F(cpp_channel, takes_what_can_only_be_moved_as_bytes) {
  channel<only_moved> numbers(1);
  EXPECT_TRUE(numbers.send(only_moved(3)));
  EXPECT_EQ(numbers.receive()->number, 3);
}

// Who waits there when Weft stops is abandoned, and what belongs to it is lost: a child's loss is
// not told.
TEST(cpp_channel_alone, is_destroyed_after_a_stop_though_a_task_wanted_to_receive) {
  const outcome child = in_child([] {
    if (weft_start(nullptr) != 0) _exit(1);
    {
      channel<std::string> requests(4);
      std::atomic<int> served{0};
      weft::spawn_detached([&] {
        for (const std::string& request : requests) served += static_cast<int>(request.size());
      });
      if (!requests.send("four")) _exit(2);
      if (!yield_until([&] { return served == 4; })) _exit(3);
      if (weft_stop() != 1) _exit(4);
    }
    _exit(42);
  });
  EXPECT_TRUE(child.exited_with(42)) << child.status << child.errors;
}

TEST(cpp_channel_alone, is_destroyed_after_a_stop_though_a_task_wanted_to_send) {
  for (const size_t capacity : {size_t{0}, size_t{2}}) {
    const outcome child = in_child([&] {
      if (weft_start(nullptr) != 0) _exit(1);
      {
        channel<std::string> full(capacity);
        std::atomic<size_t> sent{0};
        weft::spawn_detached([&] {
          while (full.send("more")) ++sent;
        });
        if (!yield_until([&] { return sent == capacity; })) _exit(2);
        if (weft_stop() != 1) _exit(3);
      }
      _exit(42);
    });
    EXPECT_TRUE(child.exited_with(42)) << capacity << child.status << child.errors;
  }
}

TEST_F(cpp_channel, is_received_from_by_time) {
  channel<int> none;
  int got = 7;
  EXPECT_EQ(none.try_receive(got), channel_status::would_wait);
  EXPECT_EQ(none.receive_for(got, 1ms), channel_status::timed_out);
  auto sender = weft::spawn([&] { none.send(8); });
  EXPECT_EQ(none.receive_for(got, 1h), channel_status::ok);
  EXPECT_EQ(got, 8);
  sender.join();
  none.close();
  EXPECT_EQ(none.receive_for(got, 1h), channel_status::closed);
}

TEST_F(cpp_select, takes_each_message_of_several_channels_once) {
  channel<int> numbers;
  channel<std::unique_ptr<int>> boxes(3);
  std::vector<task<void>> senders;
  const int each = scaled(200);
  for (int t = 0; t < 2; ++t) {
    senders.push_back(weft::spawn([&] {
      for (int i = 1; i <= each; ++i) numbers.send(i);
    }));
    senders.push_back(weft::spawn([&] {
      for (int i = 1; i <= each; ++i)
        weft::select(
            on_send(boxes, std::make_unique<int>(i), [](bool sent) { EXPECT_TRUE(sent); }));
    }));
  }
  int sum = 0;
  for (int i = 0; i < 4 * each; ++i) {
    const std::size_t taken = weft::select(
        on_receive(numbers, [&](std::optional<int> n) { sum += n.value(); }),
        on_receive(boxes, [&](std::optional<std::unique_ptr<int>> n) { sum += *n.value(); }),
        on_timeout(1h, [] { FAIL() << "an hour was over"; }));
    EXPECT_LT(taken, 2u);
  }
  for (auto& s : senders) s.join();
  EXPECT_EQ(sum, 4 * each * (each + 1) / 2);
  boxes.close();
  bool ended = false;
  weft::select(on_receive(boxes, [&](auto box) { ended = !box.has_value(); }));
  EXPECT_TRUE(ended);
  bool refused = false;
  weft::select(on_send(boxes, std::make_unique<int>(1), [&](bool sent) { refused = !sent; }));
  EXPECT_TRUE(refused);
}

TEST_F(cpp_select, takes_a_clause_that_was_taken_before) {
  channel<std::string> texts(8);
  const std::string all[] = {"the first text, on the heap", "the second text, on the heap",
                             "the third text, on the heap"};
  for (const std::string& text : all) EXPECT_TRUE(texts.send(text));
  std::vector<std::string> got;
  auto receive = on_receive(texts, [&](std::optional<std::string> text) { got.push_back(*text); });
  for (int i = 0; i < 3; ++i) weft::select(receive);
  EXPECT_EQ(got, std::vector<std::string>(std::begin(all), std::end(all)));
  // One that sends has sent its value.
  int sent = 0;
  auto send = on_send(texts, all[0], [&](bool) { ++sent; });
  weft::select(send);
  EXPECT_THROW(weft::select(send), std::system_error);
  EXPECT_EQ(sent, 1);
  EXPECT_EQ(texts.size(), 1u);
  channel<int> numbers(8);
  auto number = on_send(numbers, 7, [&](bool) { ++sent; });
  weft::select(number);
  EXPECT_THROW(weft::select(number), std::system_error);
  EXPECT_EQ(sent, 2);
  EXPECT_EQ(numbers.size(), 1u);
}

TEST_F(cpp_select, waits_for_tasks_units_locks_and_futures) {
  binary_semaphore unit(0);
  mutex held;
  held.lock();
  promise<int> later;
  auto f = later.get_future();
  auto t = weft::spawn([&] { unit.acquire(); });
  int told = 0;
  const auto wait = [&] {
    return weft::try_select(on_end(t, [&] { told = 1; }), on_lock(held, [&] { told = 2; }),
                            on_set(f, [&] { told = 3; }));
  };
  EXPECT_EQ(wait(), std::nullopt);
  later.set_value(5);
  EXPECT_EQ(wait(), 2u);
  EXPECT_EQ(f.get(), 5);
  weft::select(on_acquire(unit, [&] { told = 4; }), on_timeout(1ms, [&] { told = 5; }));
  EXPECT_EQ(told, 5);
  unit.release();
  EXPECT_EQ(weft::select(on_end(t, [&] { told = 6; })), 0u);
  EXPECT_EQ(told, 6);
  EXPECT_TRUE(t.done());
  t.join();
  EXPECT_THROW(weft::select(on_end(t, [&] { told = 8; })),
               std::system_error);  // it is no task any more
  held.unlock();
  EXPECT_EQ(weft::select(on_lock(held, [&] { told = 7; })), 0u);
  EXPECT_EQ(told, 7);
  held.unlock();
}

TEST_F(cpp_select, waits_for_descriptors_beside_channels) {
  weft::spawn([] {
    std::array<int, 2> fd{};
    ASSERT_EQ(::pipe2(fd.data(), O_NONBLOCK | O_CLOEXEC), 0);
    const auto [in, out] = fd;
    channel<int> numbers(1);
    int came = 0;
    int received = 0;
    const auto wait = [&] {
      return weft::select(
          on_receive(numbers, [&](std::optional<int> n) { received = n.value_or(-1); }),
          on_fd(in, POLLIN, [&](int events) { came = events; }));
    };
    const auto nothing = weft::try_select(on_fd(in, POLLIN, [&](int events) { came = events; }),
                                          on_timeout(1h, [] {}));
    EXPECT_EQ(nothing, std::nullopt);
    auto writer = weft::spawn([out] {
      weft::this_task::yield();
      EXPECT_EQ(::write(out, "x", 1), 1);
    });
    EXPECT_EQ(wait(), 1u);
    EXPECT_EQ(came, POLLIN);
    writer.join();
    char c = 0;
    EXPECT_EQ(::read(in, &c, 1), 1);
    auto sender = weft::spawn([&] { EXPECT_TRUE(numbers.send(7)); });
    EXPECT_EQ(wait(), 0u);
    EXPECT_EQ(received, 7);
    sender.join();
    EXPECT_EQ(weft::select(on_fd(out, POLLOUT, [&](int events) { came = events; })), 0u);
    EXPECT_EQ(came, POLLOUT);
    ::close(out);
    EXPECT_EQ(wait(), 1u);
    EXPECT_NE(came & POLLHUP, 0);
    ::close(in);
    EXPECT_THROW((void)weft::select(on_fd(-1, POLLIN, [](int) {})), std::system_error);
  }).join();
}

void count_leaves(group& g, int depth, std::atomic<int>& leaves) {
  if (depth == 0) {
    ++leaves;
    return;
  }
  for (int i = 0; i < 2; ++i) g.spawn([&g, depth, &leaves] { count_leaves(g, depth - 1, leaves); });
}

TEST_F(cpp_group, waits_for_the_tasks_that_its_tasks_spawn) {
  for (int i = 0; i < scaled(10) + 1; ++i) {
    std::atomic<int> leaves{0};
    group g;
    count_leaves(g, 7, leaves);
    if (i % 2 == 0) {
      g.wait();
    } else {
      EXPECT_TRUE(g.wait_for(1h));
    }
    EXPECT_EQ(leaves, 128);
    EXPECT_FALSE(g.cancelled());
    g.spawn([&] { ++leaves; });
    g.wait();
    EXPECT_EQ(leaves, 129);
  }
}

TEST_F(cpp_group, is_cancelled_by_the_first_exception_which_the_wait_throws) {
  for (int i = 0; i < scaled(50); ++i) {
    group g;
    std::atomic<int> stopped{0};
    for (int t = 0; t < 3; ++t)
      g.spawn([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) weft::this_task::yield();
        ++stopped;
      });
    if (i % 2 == 0) weft::this_task::yield();
    g.spawn([] { throw std::runtime_error("first"); });
    EXPECT_THROW(g.wait(), std::runtime_error);
    EXPECT_TRUE(g.cancelled());
    EXPECT_LE(stopped, 3);
    bool ran = false;
    g.spawn([&] { ran = true; });
    g.wait();
    EXPECT_FALSE(ran);
  }
}

TEST_F(cpp_group, ends_what_its_callables_hold_before_it_is_waited_for) {
  for (const bool cancelled : {false, true}) {
    promise<int> with_the_task;
    auto told = with_the_task.get_future();
    group g;
    if (cancelled) g.cancel();
    g.spawn([p = std::move(with_the_task)] {});
    EXPECT_TRUE(told.wait_for(patience));
    g.wait();
  }
}

TEST(cpp_group_alone, is_waited_for_after_weft_has_stopped) {
  for (const bool by_time : {false, true}) {
    ASSERT_EQ(weft_start(nullptr), 0);
    std::atomic<int> ran{0};
    group g;
    for (int i = 0; i < 3; ++i) g.spawn([&] { ++ran; });
    EXPECT_EQ(weft_stop(), 0);
    if (by_time) {
      EXPECT_TRUE(g.wait_for(1h));
    } else {
      g.wait();
    }
    EXPECT_EQ(ran, 3);
  }
}

TEST(cpp_group_alone, ends_after_weft_has_stopped) {
  ASSERT_EQ(weft_start(nullptr), 0);
  std::atomic<int> ran{0};
  {
    group all;
    for (int i = 0; i < 3; ++i) all.spawn([&] { ++ran; });
    EXPECT_EQ(weft_stop(), 0);
  }
  EXPECT_EQ(ran, 3);
}

TEST_F(cpp_group, is_cancelled_by_its_parent_its_end_and_by_hand) {
  std::stop_source parent;
  std::atomic<int> ended{0};
  const auto until_stopped = [&](const std::stop_token& stop) {
    mutex m;
    condition_variable_any never;
    std::unique_lock held(m);
    never.wait(held, stop, [] { return false; });
    ++ended;
  };
  {
    group g(parent.get_token());
    std::atomic<bool> began{false};
    g.spawn([&](const std::stop_token& stop) {
      began = true;
      until_stopped(stop);
    });
    EXPECT_TRUE(yield_until([&] { return began.load(); }));
    EXPECT_FALSE(g.wait_for(1ms));
    parent.request_stop();
    g.wait();
    EXPECT_EQ(ended, 1);
    group late(parent.get_token());
    EXPECT_TRUE(late.cancelled());
  }
  std::atomic<bool> began{false};
  {
    group g;
    g.spawn([&](const std::stop_token& stop) {
      began = true;
      until_stopped(stop);
    });
    EXPECT_TRUE(yield_until([&] { return began.load(); }));
  }
  EXPECT_EQ(ended, 2);
}

TEST_F(cpp_task_local, is_another_one_in_each_task_and_ends_with_it) {
  {
    task_local<counted> mine([] { return counted(1); });
    std::vector<task<void>> tasks;
    for (int t = 0; t < 10; ++t)
      tasks.push_back(weft::spawn([&, t] {
        EXPECT_EQ(mine->number, 1);
        mine->number = t;
        weft::this_task::yield();
        EXPECT_EQ((*mine).number, t);
        fork_join([&] { EXPECT_EQ(mine->number, 1); }, [&] { EXPECT_EQ(mine->number, t); });
      }));
    for (auto& t : tasks) t.join();
    EXPECT_EQ(counted::alive, 0);
  }
  task_local<std::unique_ptr<int>> owned(
      [first = std::make_unique<int>(4)] { return std::make_unique<int>(*first); });
  EXPECT_EQ(**owned, 4);
  task_local<int> zero;
  EXPECT_EQ(*zero, 0);
}

TEST_F(cpp_task_local, is_made_by_what_several_tasks_may_call) {
  const auto counts = [n = 0]() mutable { return ++n; };
  static_assert(!std::is_constructible_v<task_local<int>, decltype(counts)>);
  const auto two = [n = 2] { return n; };
  static_assert(std::is_constructible_v<task_local<int>, decltype(two)>);
  task_local<int> mine(two);
  EXPECT_EQ(*mine, 2);
}

TEST_F(cpp_task_local, has_none_outside_a_task) {
  task_local<int> mine;
  std::thread([&] { EXPECT_THROW((void)*mine, std::system_error); }).join();
}

}  // namespace
}  // namespace weft::test
