// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that wait for pipes, sockets and files. WEFT_TEST_AT_WORKERS
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

constexpr int64_t ms = 1'000'000;

// Two ends; `in` is read from, `out` is written to.
struct ends {
  int in = -1;
  int out = -1;

  static ends pipe() {
    int fd[2];
    EXPECT_EQ(::pipe2(fd, O_NONBLOCK | O_CLOEXEC), 0);
    return {fd[0], fd[1]};
  }
  static ends socketpair() {
    int fd[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fd), 0);
    return {fd[0], fd[1]};
  }
  void close() const {
    ::close(in);
    ::close(out);
  }
  void fill() const {
    const std::array<char, 4096> block{};
    while (::write(out, block.data(), block.size()) > 0) {
    }
    EXPECT_EQ(errno, EAGAIN);
  }
  void drain() const {
    std::array<char, 4096> block{};
    while (::read(in, block.data(), block.size()) > 0) {
    }
    EXPECT_EQ(errno, EAGAIN);
  }
};

// Reads and writes whole blocks, waiting whenever the kernel would.
void read_all(int fd, char* into, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = ::read(fd, into, bytes);
    if (n > 0) {
      into += n;
      bytes -= static_cast<std::size_t>(n);
    } else {
      ASSERT_EQ(errno, EAGAIN);
      ASSERT_GT(weft_fd_wait(fd, POLLIN), 0);
    }
  }
}
void write_all(int fd, const char* from, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = ::write(fd, from, bytes);
    if (n > 0) {
      from += n;
      bytes -= static_cast<std::size_t>(n);
    } else {
      ASSERT_EQ(errno, EAGAIN);
      ASSERT_GT(weft_fd_wait(fd, POLLOUT), 0);
    }
  }
}

// How many are shown to wait.
int waits_now() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const int found = weft_report_waiting(nowhere);
  ::close(nowhere);
  return found;
}
void until_wait(int count) {
  while (waits_now() < count) std::this_thread::yield();
}
void until_one_waits() { until_wait(1); }

using fd_of_tasks = at_workers;

TEST_F(fd_of_tasks, what_is_ready_needs_no_wait) {
  const ends p = ends::pipe();
  EXPECT_EQ(weft_fd_try_wait(p.out, POLLOUT), POLLOUT);
  EXPECT_EQ(weft_fd_wait(p.out, POLLOUT), POLLOUT);
  EXPECT_EQ(weft_fd_try_wait(p.in, POLLIN), -EBUSY);
  EXPECT_EQ(weft_fd_wait_until(p.in, POLLIN, 0), -ETIMEDOUT);
  ASSERT_EQ(::write(p.out, "x", 1), 1);
  EXPECT_EQ(weft_fd_try_wait(p.in, POLLIN), POLLIN);
  EXPECT_EQ(weft_fd_wait(p.in, POLLIN | POLLPRI), POLLIN);
  EXPECT_EQ(weft_fd_wait_until(p.in, POLLIN, 0), POLLIN);
  p.close();
}

TEST_F(fd_of_tasks, bad_arguments_are_refused) {
  const ends p = ends::pipe();
  EXPECT_EQ(weft_fd_wait(p.in, 0), -EINVAL);
  EXPECT_EQ(weft_fd_wait(p.in, POLLHUP), -EINVAL);
  EXPECT_EQ(weft_fd_wait(p.in, -1), -EINVAL);
  EXPECT_EQ(weft_fd_try_wait(p.in, 1 << 20), -EINVAL);
  EXPECT_EQ(weft_fd_wait_until(p.in, 0, 0), -EINVAL);
  p.close();
  EXPECT_EQ(weft_fd_wait(p.in, POLLIN), -EBADF);
  EXPECT_EQ(weft_fd_try_wait(p.in, POLLIN), -EBADF);
  EXPECT_EQ(weft_fd_wait(-1, POLLIN), -EBADF);
  EXPECT_EQ(weft_fd_close(p.in), -EBADF);
  EXPECT_EQ(weft_fd_close(-1), -EBADF);
}

TEST_F(fd_of_tasks, a_stackless_task_may_look_but_not_wait) {
  const ends p = ends::pipe();
  int seen[3] = {};
  auto body = [&] {
    seen[0] = weft_fd_wait(p.out, POLLOUT);
    seen[1] = weft_fd_try_wait(p.in, POLLIN);
    seen[2] = weft_fd_wait(p.in, POLLIN);
  };
  join(spawn(body, with_flags(WEFT_SPAWN_STACKLESS)));
  EXPECT_EQ(seen[0], POLLOUT);
  EXPECT_EQ(seen[1], -EBUSY);
  EXPECT_EQ(seen[2], -EPERM);
  p.close();
}

TEST_F(fd_of_tasks, a_regular_file_is_always_ready) {
  char name[] = "/tmp/weft_fd_test_XXXXXX";
  const int fd = ::mkstemp(name);
  ASSERT_GE(fd, 0);
  ::unlink(name);
  EXPECT_EQ(weft_fd_wait(fd, POLLIN), POLLIN);
  EXPECT_EQ(weft_fd_wait(fd, POLLIN | POLLOUT), POLLIN | POLLOUT);
  EXPECT_EQ(weft_fd_close(fd), 0);
}

// Urgent data never comes of a file; many at once stand in its queue, each with the lock.
TEST_F(fd_of_tasks, what_a_regular_file_never_has_is_waited_for_until_the_deadline_or_a_close) {
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  auto waits = [&] {
    for (int i = 0; i < scaled(500); ++i) {
      EXPECT_EQ(weft_fd_wait_until(file, POLLPRI, weft_time_now_ns() + i % 3 * 500), -ETIMEDOUT);
      weft_case_t c = weft_case_fd(file, POLLRDHUP);
      EXPECT_EQ(weft_case_select_until(&c, 1, weft_time_now_ns() + i % 3 * 500), -ETIMEDOUT);
    }
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 16; ++i) tasks.push_back(spawn(waits));
  for (weft_task_t t : tasks) join(t);
  std::atomic<bool> begun{false};
  auto waits_on = [&] {
    begun = true;
    EXPECT_EQ(weft_fd_wait(file, POLLPRI), -EBADF);
  };
  const weft_task_t t = spawn(waits_on);
  ASSERT_TRUE(yield_until([&] { return begun.load(); }));
  EXPECT_EQ(weft_fd_close(file), 0);
  join(t);
}

TEST_F(fd_of_tasks, a_writer_wakes_the_task_that_waits_to_read) {
  const ends p = ends::pipe();
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> came{0};
    auto reader = [&] { came = weft_fd_wait(p.in, POLLIN); };
    const weft_task_t t = spawn(reader);
    weft_task_yield();
    ASSERT_EQ(::write(p.out, "x", 1), 1);
    join(t);
    EXPECT_EQ(came, POLLIN);
    p.drain();
  }
  p.close();
}

TEST_F(fd_of_tasks, a_hang_up_is_told_unasked) {
  const ends p = ends::pipe();
  std::atomic<int> came{0};
  auto reader = [&] { came = weft_fd_wait(p.in, POLLIN); };
  const weft_task_t t = spawn(reader);
  weft_task_yield();
  ::close(p.out);
  join(t);
  EXPECT_TRUE((came & POLLHUP) != 0) << came;
  ::close(p.in);
}

TEST_F(fd_of_tasks, both_directions_of_one_socket_have_waiters_of_their_own) {
  const ends s = ends::socketpair();
  s.fill();  // s.out takes no more
  std::atomic<int> readable{0};
  std::atomic<int> writable{0};
  auto reads = [&] { readable = weft_fd_wait(s.out, POLLIN); };
  auto writes = [&] { writable = weft_fd_wait(s.out, POLLOUT); };
  const weft_task_t r = spawn(reads);
  const weft_task_t w = spawn(writes);
  weft_task_yield();
  weft_task_yield();
  s.drain();
  join(w);
  EXPECT_EQ(writable, POLLOUT);
  EXPECT_EQ(readable, 0);
  ASSERT_EQ(::write(s.in, "x", 1), 1);
  join(r);
  EXPECT_EQ(readable, POLLIN);
  s.close();
}

TEST_F(fd_of_tasks, all_that_wait_for_one_descriptor_are_woken) {
  const ends p = ends::pipe();
  std::atomic<int> woken{0};
  auto reader = [&] {
    EXPECT_EQ(weft_fd_wait(p.in, POLLIN), POLLIN);
    ++woken;
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 20; ++i) tasks.push_back(spawn(reader));
  weft_task_yield();
  ASSERT_EQ(::write(p.out, "x", 1), 1);
  for (weft_task_t t : tasks) join(t);
  EXPECT_EQ(woken, 20);
  p.close();
}

TEST_F(fd_of_tasks, a_deadline_ends_the_wait_and_leaves_others_waiting) {
  const ends p = ends::pipe();
  std::atomic<int> came{0};
  auto waits_on = [&] { came = weft_fd_wait(p.in, POLLIN); };
  const weft_task_t t = spawn(waits_on);
  weft_task_yield();
  for (int i = 0; i < 5; ++i) {
    const int64_t deadline = weft_time_now_ns() + ms;
    EXPECT_EQ(weft_fd_wait_until(p.in, POLLIN, deadline), -ETIMEDOUT);
    EXPECT_GE(weft_time_now_ns(), deadline);
  }
  EXPECT_EQ(came, 0);
  ASSERT_EQ(::write(p.out, "x", 1), 1);
  join(t);
  EXPECT_EQ(came, POLLIN);
  p.close();
}

TEST_F(fd_of_tasks, close_wakes_those_who_wait_with_ebadf) {
  const ends s = ends::socketpair();
  s.fill();
  std::array<std::atomic<int>, 4> came{};
  std::atomic<int> started{0};
  std::vector<weft_task_t> tasks;
  const auto body = [&](std::size_t i) {
    ++started;
    came[i] = weft_fd_wait(s.out, i % 2 == 0 ? POLLIN : POLLOUT);
  };
  auto b0 = [&] { body(0); };
  auto b1 = [&] { body(1); };
  auto b2 = [&] { body(2); };
  auto b3 = [&] { body(3); };
  tasks = {spawn(b0), spawn(b1), spawn(b2), spawn(b3)};
  ASSERT_TRUE(yield_until([&] { return started == 4; }));
  // Whoever comes after the close finds it closed, with the same result.
  EXPECT_EQ(weft_fd_close(s.out), 0);
  for (weft_task_t t : tasks) join(t);
  for (const auto& c : came) EXPECT_EQ(c, -EBADF);
  ::close(s.in);
}

TEST_F(fd_of_tasks, a_number_that_is_used_again_is_watched_again) {
  for (int round = 0; round < 20; ++round) {
    const ends p = ends::pipe();
    std::atomic<int> came{0};
    auto reader = [&] { came = weft_fd_wait(p.in, POLLIN); };
    const weft_task_t t = spawn(reader);
    weft_task_yield();
    ASSERT_EQ(::write(p.out, "x", 1), 1);
    join(t);
    EXPECT_EQ(came, POLLIN);
    if (round % 2 == 0) {
      p.close();
    } else {
      EXPECT_EQ(weft_fd_close(p.in), 0);
      EXPECT_EQ(weft_fd_close(p.out), 0);
    }
  }
}

// A plain close(2) tells nobody, and the arming goes with it. The next who waits for the number
// waits for what a file never has, so that it waits on.
TEST_F(fd_of_tasks, who_waits_for_a_number_that_became_a_file_is_told_when_it_is_waited_for) {
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  for (int round = 0; round < 3; ++round) {
    const ends p = ends::pipe();
    weft_cancel_t over = WEFT_CANCEL_INIT;
    auto before = [&] {
      const int64_t in_vain = weft_time_now_ns() + std::chrono::nanoseconds(patience).count();
      EXPECT_EQ(weft_fd_wait_until(p.in, POLLIN, in_vain), POLLIN);
    };
    const weft_task_t waits = spawn(before);
    ASSERT_TRUE(yield_until([] { return waits_now() > 0; }));
    ASSERT_EQ(::dup3(file, p.in, O_CLOEXEC), p.in);
    auto after = [&] {
      weft_cancel_scope_t scope;
      EXPECT_EQ(weft_cancel_enter(&over, &scope), 0);
      weft_case_t c = weft_case_fd(p.in, POLLPRI);
      EXPECT_EQ(round == 0 ? weft_case_select(&c, 1) : weft_fd_wait(p.in, POLLPRI), -ECANCELED);
      EXPECT_EQ(weft_cancel_leave(&scope), 0);
    };
    std::thread outside;
    weft_task_t next = nullptr;
    if (round == 2) {
      outside = std::thread(after);
    } else {
      next = spawn(after);
    }
    join(waits);
    EXPECT_EQ(weft_cancel_request(&over), 0);
    if (round == 2) {
      outside.join();
    } else {
      join(next);
    }
    p.close();
  }
  ::close(file);
}

// A ring of sockets, one task each, through which a block of text goes round unchanged.
TEST_F(fd_of_tasks, a_block_goes_round_a_ring_of_sockets) {
  constexpr std::size_t places = 16;
  const int rounds = scaled(200);
  std::vector<ends> links;
  for (std::size_t i = 0; i < places; ++i) links.push_back(ends::socketpair());
  std::string block(100'000, ' ');
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<char>('a' + i % 23);
  struct body {
    const ends& from;
    const ends& to;
    const std::string& block;
    int rounds;
    bool first;
    void operator()() const {
      std::string mine(block.size(), '?');
      for (int r = 0; r < rounds; ++r) {
        if (first) write_all(to.out, block.data(), block.size());
        read_all(from.in, mine.data(), mine.size());
        EXPECT_EQ(mine, block);
        if (!first) write_all(to.out, mine.data(), mine.size());
      }
    }
  };
  std::vector<body> bodies;
  for (std::size_t i = 0; i < places; ++i)
    bodies.push_back({links[i], links[(i + 1) % places], block, rounds / 10 + 1, i == 0});
  std::vector<weft_task_t> tasks;
  for (body& b : bodies) tasks.push_back(spawn(b));
  for (weft_task_t t : tasks) join(t);
  for (const ends& l : links) l.close();
}

TEST(fd, outside_weft_it_is_poll) {
  const ends p = ends::pipe();
  EXPECT_EQ(weft_fd_try_wait(p.in, POLLIN), -EBUSY);
  EXPECT_EQ(weft_fd_wait_until(p.in, POLLIN, weft_time_now_ns() + ms), -ETIMEDOUT);
  std::thread writer([&] { EXPECT_EQ(::write(p.out, "x", 1), 1); });
  EXPECT_EQ(weft_fd_wait(p.in, POLLIN), POLLIN);
  writer.join();
  EXPECT_EQ(weft_worker_count(), 0u);
  EXPECT_EQ(weft_fd_close(p.in), 0);
  EXPECT_EQ(weft_fd_close(p.out), 0);
}

TEST(fd, outside_weft_a_canceller_that_is_requested_already_ends_the_wait) {
  const ends p = ends::pipe();
  weft_cancel_t cancel = WEFT_CANCEL_INIT;
  weft_cancel_scope_t scope;
  ASSERT_EQ(weft_cancel_enter(&cancel, &scope), 0);
  EXPECT_EQ(weft_fd_wait_until(p.in, POLLIN, weft_time_now_ns() + ms), -ETIMEDOUT);
  weft_cancel_request(&cancel);
  EXPECT_EQ(weft_fd_wait(p.in, POLLIN), -ECANCELED);
  EXPECT_EQ(weft_fd_wait(p.out, POLLOUT), POLLOUT);  // needs no wait
  EXPECT_EQ(weft_cancel_leave(&scope), 0);
  p.close();
}

// Scopes further out make its look at cancellers long, and who waits before it what the request has
// to do after that.
TEST(fd, outside_weft_a_request_leaves_the_scope_alone_once_the_wait_has_ended) {
  struct in_scope {
    explicit in_scope(weft_cancel_t& c) { EXPECT_EQ(weft_cancel_enter(&c, scope.get()), 0); }
    ~in_scope() {
      EXPECT_EQ(weft_cancel_leave(scope.get()), 0);
      std::memset(scope.get(), 0xff, sizeof *scope);
    }
    std::unique_ptr<weft_cancel_scope_t> scope = std::make_unique<weft_cancel_scope_t>();
  };
  constexpr int sleepers = 4;
  const ends p = ends::pipe();
  std::array<weft_cancel_t, 50> far_out{};
  std::deque<in_scope> far_scopes;
  for (weft_cancel_t& c : far_out) far_scopes.emplace_back(c);
  for (int round = 0; round < scaled(100) + 20; ++round) {
    weft_cancel_t cancel = WEFT_CANCEL_INIT;
    weft_semaphore_t never = WEFT_SEMAPHORE_INIT(0);
    std::atomic<int> looks{0};
    std::vector<std::thread> others;
    for (int i = 0; i < sleepers; ++i)
      others.emplace_back([&] {
        const in_scope scope(cancel);
        EXPECT_EQ(weft_semaphore_wait(&never), -ECANCELED);
      });
    until_wait(sleepers);
    others.emplace_back([&] {
      while (looks <= round % 8) std::this_thread::yield();
      EXPECT_EQ(weft_cancel_request(&cancel), 0);
    });
    int came;
    {
      const in_scope scope(cancel);
      while ((came = weft_fd_wait_until(p.in, POLLIN, 0)) == -ETIMEDOUT) ++looks;
    }
    EXPECT_EQ(came, -ECANCELED);
    for (std::thread& t : others) t.join();
  }
  while (!far_scopes.empty()) far_scopes.pop_back();
  p.close();
}

TEST(fd, a_thread_outside_is_woken_by_a_close) {
  const runtime weft(2);
  const ends p = ends::pipe();
  std::thread outside([&] { EXPECT_EQ(weft_fd_wait(p.in, POLLIN), -EBADF); });
  until_one_waits();
  EXPECT_EQ(weft_fd_close(p.in), 0);
  outside.join();
  EXPECT_EQ(weft_fd_close(p.out), 0);
}

TEST(fd, a_thread_outside_may_close_while_weft_starts_and_stops) {
  const ends p = ends::pipe();
  std::atomic<bool> over{false};
  std::thread closer([&] {
    while (!over) EXPECT_EQ(weft_fd_close(::dup(p.in)), 0);
  });
  for (int round = 0; round < scaled(500); ++round) {
    const runtime weft(1);
    auto waits = [&] {
      EXPECT_EQ(weft_fd_wait_until(p.in, POLLIN, weft_time_now_ns() + ms / 10), -ETIMEDOUT);
    };
    join(spawn(waits));
  }
  over = true;
  closer.join();
  p.close();
}

// Two ends of a TCP connection of this machine with so much written that `out` lingers when it is
// closed.
ends lingering() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener, any, size), 0);
  EXPECT_EQ(::listen(listener, 1), 0);
  EXPECT_EQ(::getsockname(listener, any, &size), 0);
  ends e;
  e.out = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::connect(e.out, any, size), 0);
  e.in = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  ::close(listener);
  EXPECT_EQ(::fcntl(e.out, F_SETFL, O_NONBLOCK), 0);
  e.fill();
  EXPECT_EQ(::fcntl(e.out, F_SETFL, 0), 0);
  const linger half_a_minute{1, 30};
  EXPECT_EQ(::setsockopt(e.out, SOL_SOCKET, SO_LINGER, &half_a_minute, sizeof half_a_minute), 0);
  return e;
}

TEST(fd, a_close_that_lingers_holds_up_nobody_at_the_next_file_of_its_number) {
  const runtime weft(2);
  const ends slow = lingering();
  const ends p = ends::pipe();
  auto waits = [&] { EXPECT_EQ(weft_fd_wait(slow.out, POLLIN | POLLRDHUP), -EBADF); };
  const weft_task_t waiter = spawn(waits);
  until_one_waits();
  std::atomic<bool> closed{false};
  std::thread closer([&] {
    EXPECT_EQ(weft_fd_close(slow.out), 0);
    closed = true;
  });
  join(waiter);
  std::vector<int> others;  // until the number is free
  int next;
  while ((next = ::dup(p.in)) != slow.out) others.push_back(next);
  auto waits_for_next = [&] {
    EXPECT_EQ(weft_fd_wait_until(next, POLLIN, weft_time_now_ns() + 5 * ms), -ETIMEDOUT);
  };
  join(spawn(waits_for_next));
  EXPECT_FALSE(closed);
  ::close(slow.in);  // with data that was not read, which ends the connection at once
  closer.join();
  for (const int fd : others) ::close(fd);
  ::close(next);
  p.close();
}

TEST(fd, a_close_by_a_thread_outside_that_lingers_does_not_hold_up_a_stop) {
  const ends slow = lingering();
  const ends p = ends::pipe();
  std::atomic<bool> closed{false};
  std::thread closer;
  std::vector<int> others;  // the last has the number
  {
    const runtime weft(2);
    auto waits = [&] { EXPECT_EQ(weft_fd_wait(slow.out, POLLIN | POLLRDHUP), -EBADF); };
    const weft_task_t waiter = spawn(waits);
    until_one_waits();
    closer = std::thread([&] {
      EXPECT_EQ(weft_fd_close(slow.out), 0);
      closed = true;
    });
    join(waiter);
    do {
      others.push_back(::dup(p.in));
    } while (others.back() != slow.out);
  }
  EXPECT_FALSE(closed);
  ::close(slow.in);
  closer.join();
  for (const int fd : others) ::close(fd);
  p.close();
}

TEST(fd, a_thread_outside_waits_on_while_weft_stops) {
  const ends p = ends::pipe();
  std::thread outside;
  {
    const runtime weft(2);
    outside = std::thread([&] { EXPECT_EQ(weft_fd_wait(p.in, POLLIN), POLLIN); });
    until_one_waits();
  }
  EXPECT_EQ(::write(p.out, "x", 1), 1);
  outside.join();
  p.close();
}

TEST(fd, waits_of_each_start_are_of_that_start_alone) {
  for (int round = 0; round < 5; ++round) {
    const ends p = ends::pipe();
    {
      const runtime weft(2);
      std::atomic<int> came{0};
      auto reader = [&] { came = weft_fd_wait(p.in, POLLIN); };
      const weft_task_t t = spawn(reader);
      weft_task_yield();
      ASSERT_EQ(::write(p.out, "x", 1), 1);
      join(t);
      EXPECT_EQ(came, POLLIN);
    }
    p.close();
  }
}

cpu_set_t processors_of(pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(thread, sizeof set, &set), 0);
  return set;
}

// Who makes the thread that waits for all may be bound.
TEST(fd, the_thread_that_waits_for_all_may_run_where_the_process_may) {
  const cpu_set_t all = processors_of(0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one processor";
  const runtime weft(1);
  const auto here = static_cast<uint32_t>(weft_worker_processor(0));
  EXPECT_EQ(weft_worker_bind(0, here), 0);
  EXPECT_TRUE(yield_until([] {
    const cpu_set_t now = processors_of(0);
    return CPU_COUNT(&now) == 1;
  }));
  const ends p = ends::pipe();
  auto writer = [&] { EXPECT_EQ(::write(p.out, "x", 1), 1); };
  const weft_task_t t = spawn(writer);
  EXPECT_EQ(weft_fd_wait(p.in, POLLIN), POLLIN);  // told by that thread
  join(t);
  int seen = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    if (name != "weft-poller") continue;
    ++seen;
    const cpu_set_t its = processors_of(std::stoi(thread.path().filename().string()));
    EXPECT_TRUE(CPU_EQUAL(&its, &all));
  }
  EXPECT_EQ(seen, 1);
  p.close();
}

TEST(fd, a_task_that_waits_for_ever_is_abandoned_by_stop) {
  const ends p = ends::pipe();
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 2;
  ASSERT_EQ(weft_start(&config), 0);
  std::atomic<bool> waits{false};
  auto reader = [&] {
    waits = true;
    (void)weft_fd_wait(p.in, POLLIN);
  };
  (void)spawn(reader);
  ASSERT_TRUE(yield_until([&] { return waits.load(); }));
  EXPECT_EQ(weft_stop(), 1);
  p.close();
}

// --- a stop while events come --------------------------------------------------------------------

// Reads what comes to a pipe, for ever.
struct reader {
  ends pipe = ends::pipe();
  std::atomic<long> reads{0};
  std::atomic<int> refused{0};

  static void* run(void* arg) {
    auto* r = static_cast<reader*>(arg);
    for (;;) {
      std::array<char, 64> block{};
      while (::read(r->pipe.in, block.data(), block.size()) > 0) {  // errno is another thread's
      }
      ++r->reads;
      if (weft_fd_wait(r->pipe.in, POLLIN) != POLLIN) ++r->refused;
    }
  }
};

TEST(fd_stop, what_comes_while_weft_stops_wakes_no_task_that_it_abandons) {
  constexpr int rounds = scaled(300) < 20 ? 20 : scaled(300);
  std::array<reader, 8> readers;
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (unsigned i = 0; !over; ++i) {
      for (const reader& r : readers) (void)!::write(r.pipe.out, "x", 1);  // or it is full
      std::this_thread::sleep_for(std::chrono::microseconds(i * 7 % 60));
    }
  });
  for (int i = 0; i < rounds && !testing::Test::HasFailure(); ++i) {
    ASSERT_EQ(weft_start(nullptr), 0);
    const long before = readers[0].reads;
    for (reader& r : readers) ASSERT_EQ(weft_task_spawn(reader::run, &r, nullptr), 0);
    EXPECT_TRUE(yield_until([&] { return readers[0].reads >= before + 2; }));
    EXPECT_EQ(weft_stop(), static_cast<int>(readers.size()));
    for (const reader& r : readers) EXPECT_EQ(r.refused, 0);
  }
  over = true;
  writer.join();
  for (const reader& r : readers) r.pipe.close();
}

}  // namespace
}  // namespace weft::test
