// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System calls during which the worker runs other tasks, beside those of the system.
// WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <qthread/qt_syscalls.h>
#include <string>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <weft/time.h>

#include "support.hpp"

namespace weft::test {
namespace {

class syscalls : public at_shepherds {};

// At an abstract name, which the kernel chooses.
struct local_listener {
  void begin() {
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    name.sun_family = AF_UNIX;
    length = sizeof(sa_family_t);
    ASSERT_EQ(bind(fd, address(), length), 0);
    length = sizeof name;
    ASSERT_EQ(getsockname(fd, address(), &length), 0);
    ASSERT_EQ(listen(fd, 8), 0);
  }
  sockaddr* address() { return reinterpret_cast<sockaddr*>(&name); }

  int fd = -1;
  sockaddr_un name{};
  socklen_t length = 0;
};

TEST_F(syscalls, a_read_that_waits_lets_others_run) {
  static int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto reads = [](void*) -> aligned_t {
    char text[8] = {};
    return aligned_t(qt_read(ends[0], text, sizeof text)) == 5 && std::string(text) == "hello";
  };
  aligned_t ret = 0;
  qthread_fork(reads, nullptr, &ret);
  for (int i = 0; i < 5; ++i) qthread_yield();  // one worker: it would not come back
  EXPECT_EQ(qthread_feb_status(&ret), 0);
  EXPECT_EQ(qt_write(ends[1], "hello", 5), 5);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 1u);
  close(ends[1]);
  char c;
  EXPECT_EQ(qt_read(ends[0], &c, 1), 0);
  close(ends[0]);
  EXPECT_EQ(qt_read(ends[0], &c, 1), -1);
  EXPECT_EQ(errno, EBADF);
}

TEST_F(syscalls, a_write_of_more_than_fits_waits_for_the_reader) {
  static int ends[2];
  constexpr size_t n = 300'000;
  ASSERT_EQ(pipe(ends), 0);
  const auto writes = [](void*) -> aligned_t {
    const std::vector<char> much(n, 'x');
    return aligned_t(qt_write(ends[1], much.data(), n));
  };
  aligned_t ret = 0;
  qthread_fork(writes, nullptr, &ret);
  size_t got = 0;
  std::vector<char> some(40'000);
  while (got < n) {
    const ssize_t r = qt_read(ends[0], some.data(), some.size());
    ASSERT_GT(r, 0);
    got += static_cast<size_t>(r);
  }
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, n);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(syscalls, poll_and_select_tell_the_same_as_the_systems) {
  int first[2], second[2];
  ASSERT_EQ(pipe(first), 0);
  ASSERT_EQ(pipe(second), 0);
  pollfd fds[3] = {{first[0], POLLIN, 0}, {second[0], POLLIN, 0}, {-1, POLLIN, 0}};
  EXPECT_EQ(qt_poll(fds, 3, 1), 0);
  static int later;
  later = second[1];
  const auto writes = [](void*) -> aligned_t { return aligned_t(write(later, "x", 1)); };
  aligned_t ret = 0;
  qthread_fork(writes, nullptr, &ret);
  EXPECT_EQ(qt_poll(fds, 3, -1), 1);
  EXPECT_EQ(fds[0].revents, 0);
  EXPECT_EQ(fds[1].revents, POLLIN);
  fd_set in, out;
  FD_ZERO(&in);
  FD_ZERO(&out);
  FD_SET(first[0], &in);
  FD_SET(second[0], &in);
  FD_SET(second[1], &out);
  EXPECT_EQ(qt_select(second[1] + 1, &in, &out, nullptr, nullptr), 2);
  EXPECT_FALSE(FD_ISSET(first[0], &in));
  EXPECT_TRUE(FD_ISSET(second[0], &in));
  EXPECT_TRUE(FD_ISSET(second[1], &out));
  FD_CLR(second[0], &in);
  FD_SET(first[0], &in);
  timeval soon{0, 1'000};
  EXPECT_EQ(qt_select(first[0] + 1, &in, nullptr, nullptr, &soon), 0);
  EXPECT_EQ(soon.tv_sec, 0);
  EXPECT_EQ(soon.tv_usec, 0);
  FD_SET(second[0], &in);
  timeval late{1'000, 0};
  EXPECT_EQ(qt_select(second[0] + 1, &in, nullptr, nullptr, &late), 1);
  EXPECT_GE(late.tv_sec, 1);  // what is left of it
  EXPECT_LT(late.tv_sec, 1'000);
  qthread_readFF(nullptr, &ret);
  for (const int fd : {first[0], first[1], second[0], second[1]}) close(fd);
}

TEST_F(syscalls, sockets_files_and_children_are_served) {
  static local_listener listener;
  listener.begin();
  const auto accepts = [](void*) -> aligned_t {
    const int fd = qt_accept(listener.fd, nullptr, nullptr);
    char c = 0;
    const bool right = qt_read(fd, &c, 1) == 1 && c == 'k';
    close(fd);
    return right;
  };
  aligned_t ret = 0;
  qthread_fork(accepts, nullptr, &ret);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(qt_connect(fd, listener.address(), listener.length), 0);
  EXPECT_EQ(qt_write(fd, "k", 1), 1);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 1u);
  close(fd);
  close(listener.fd);

  char name[] = "/tmp/weft-io-XXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  EXPECT_EQ(qt_pwrite(file, "abcdef", 6, 2), 6);
  char text[4] = {};
  EXPECT_EQ(qt_pread(file, text, 3, 4), 3);
  EXPECT_STREQ(text, "cde");
  EXPECT_EQ(qt_read(file, text, 2), 2);
  EXPECT_EQ(text[1], '\0');
  close(file);

  EXPECT_EQ(WEXITSTATUS(qt_system("exit 7")), 7);
  const pid_t child = fork();
  if (child == 0) _exit(5);
  int status = 0;
  EXPECT_EQ(qt_wait4(child, &status, 0, nullptr), child);
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST_F(syscalls, whatever_events_are_polled_for_is_answered_as_by_the_system) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto agree = [&](short events, int fd) {
    pollfd theirs{fd, events, 0}, ours{fd, events, 0};
    const int expected = poll(&theirs, 1, 2);
    EXPECT_EQ(qt_poll(&ours, 1, 2), expected) << events;
    EXPECT_EQ(ours.revents, theirs.revents) << events;
  };
  constexpr short each[] = {POLLIN,
                            POLLIN | POLLERR | POLLHUP,
                            0,
                            POLLRDNORM,
                            POLLIN | POLLRDNORM,
                            POLLIN | POLLPRI | POLLRDHUP,
                            POLLRDBAND,
                            POLLHUP};
  for (const short events : each) agree(events, ends[0]);
  for (const short events : each) agree(events | POLLOUT, ends[1]);
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  for (const short events : each) agree(events, ends[0]);
  close(ends[1]);
  for (const short events : each) agree(events, ends[0]);
  close(ends[0]);
  agree(POLLIN, ends[0]);
}

TEST_F(syscalls, a_time_of_select_is_a_time_or_refused) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  fd_set in;
  FD_ZERO(&in);
  FD_SET(ends[0], &in);
  for (timeval wrong : {timeval{-1, 0}, timeval{0, -1}}) {
    EXPECT_EQ(qt_select(ends[0] + 1, &in, nullptr, nullptr, &wrong), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_TRUE(FD_ISSET(ends[0], &in));
  }
  static int out;
  out = ends[1];
  const auto writes = [](void*) -> aligned_t { return aligned_t(write(out, "x", 1)); };
  aligned_t ret = 0;
  qthread_fork(writes, nullptr, &ret);
  timeval most{LONG_MAX, 999'999};
  EXPECT_EQ(qt_select(ends[0] + 1, &in, nullptr, nullptr, &most), 1);
  qthread_readFF(nullptr, &ret);
  for (const int fd : ends) close(fd);
}

TEST_F(syscalls, a_hang_up_ends_no_select_for_errors) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[1]);
  fd_set errors;
  FD_ZERO(&errors);
  FD_SET(ends[0], &errors);
  timeval some{0, 20'000};
  const int64_t end = weft_time_now_ns() + 20'000'000;
  EXPECT_EQ(qt_select(ends[0] + 1, nullptr, nullptr, &errors, &some), 0);
  EXPECT_GE(weft_time_now_ns(), end);
  EXPECT_FALSE(FD_ISSET(ends[0], &errors));
  close(ends[0]);
}

// Those that are used already stay, and no number is left.
class no_more_descriptors {
 public:
  no_more_descriptors() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int next = dup(STDIN_FILENO);
    close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~no_more_descriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  no_more_descriptors(const no_more_descriptors&) = delete;
  no_more_descriptors& operator=(const no_more_descriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(syscalls, a_poll_without_means_to_wait_lets_others_run) {
  static int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const no_more_descriptors here;
  pollfd p{ends[0], POLLIN, 0};
  const auto writes = [](void*) -> aligned_t { return aligned_t(write(ends[1], "x", 1)); };
  aligned_t ret = 0;
  qthread_fork(writes, nullptr, &ret);
  EXPECT_EQ(qt_poll(&p, 1, -1), 1);
  qthread_readFF(nullptr, &ret);
  for (const int fd : ends) close(fd);
}

TEST_F(syscalls, a_read_and_a_write_without_means_to_wait_let_others_run) {
  if (asan) GTEST_SKIP() << "the sanitizer takes a descriptor to look at an object";
  static int ends[2];
  constexpr size_t n = 300'000;
  ASSERT_EQ(pipe(ends), 0);
  const no_more_descriptors here;
  const auto writes = [](void*) -> aligned_t { return aligned_t(qt_write(ends[1], "x", 1)); };
  aligned_t ret = 0;
  qthread_fork(writes, nullptr, &ret);
  char c = 0;
  EXPECT_EQ(qt_read(ends[0], &c, 1), 1);
  EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 1u);
  const auto writes_much = [](void*) -> aligned_t {
    const std::vector<char> much(n, 'x');
    return aligned_t(qt_write(ends[1], much.data(), n));
  };
  qthread_fork(writes_much, nullptr, &ret);
  std::vector<char> some(40'000);
  for (size_t got = 0; got < n;) {
    const ssize_t r = qt_read(ends[0], some.data(), some.size());
    ASSERT_GT(r, 0);
    got += static_cast<size_t>(r);
  }
  EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), n);
  for (const int fd : ends) close(fd);
}

// One number is left, which an accept takes before it waits. To wait for a descriptor takes two.
TEST_F(syscalls, an_accept_without_means_to_wait_lets_others_run) {
  if (asan) GTEST_SKIP() << "the sanitizer takes a descriptor to look at an object";
  static local_listener listener;
  listener.begin();
  const int client = socket(AF_UNIX, SOCK_STREAM, 0);
  const int spare = dup(STDIN_FILENO);
  const auto accepts = [](void*) -> aligned_t {
    return aligned_t(qt_accept(listener.fd, nullptr, nullptr));
  };
  aligned_t ret = 0;
  {
    const no_more_descriptors here;
    close(spare);
    qthread_fork(accepts, nullptr, &ret);
    EXPECT_EQ(qt_connect(client, listener.address(), listener.length), 0);
    EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), aligned_t(spare));
  }
  for (const int fd : {client, spare, listener.fd}) close(fd);
}

TEST_F(syscalls, a_sockets_own_limit_ends_a_read) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const timeval limit{0, 5'000};
  ASSERT_EQ(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
  char c;
  EXPECT_EQ(qt_read(ends[0], &c, 1), -1);
  EXPECT_EQ(errno, EAGAIN);
  for (const int fd : ends) close(fd);
}

// All see that somebody has come, and one gets him; the others need no thread, and connects find
// one.
TEST(syscalls_with_few_threads, any_number_accept_at_one_listener) {
  setenv("QT_MAX_IO_WORKERS", "2", 1);
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  constexpr int count = 5;
  static local_listener listener;
  static std::atomic<int> accepted;
  accepted = 0;
  listener.begin();
  const auto accepts = [](void*) -> aligned_t {
    const int fd = qt_accept(listener.fd, nullptr, nullptr);
    ++accepted;
    return fd >= 0 && close(fd) == 0;
  };
  aligned_t rets[count] = {};
  for (aligned_t& ret : rets) qthread_fork(accepts, nullptr, &ret);
  while (qthread_readstate(NODE_BUSYNESS) != 1) qthread_yield();  // all wait
  for (int i = 0; i < count; ++i) {
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(qt_connect(fd, listener.address(), listener.length), 0);
    while (accepted <= i) qthread_yield();
    close(fd);
  }
  for (aligned_t& ret : rets) EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 1u);
  close(listener.fd);
  qthread_finalize();
  unsetenv("QT_MAX_IO_WORKERS");
}

TEST_F(syscalls, where_nobody_can_connect_an_accept_fails_at_once) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(qt_accept(ends[0], nullptr, nullptr), -1);
  EXPECT_EQ(errno, ENOTSOCK);
  const int datagrams = socket(AF_UNIX, SOCK_DGRAM, 0);
  EXPECT_EQ(qt_accept(datagrams, nullptr, nullptr), -1);
  EXPECT_EQ(errno, EOPNOTSUPP);
  for (const int fd : {ends[0], ends[1], datagrams}) close(fd);
}

TEST_F(syscalls, writing_nothing_sends_an_empty_datagram) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
  EXPECT_EQ(qt_write(ends[0], "", 0), 0);
  char c;
  EXPECT_EQ(recv(ends[1], &c, 1, MSG_DONTWAIT), 0);
  for (const int fd : ends) close(fd);
}

TEST_F(syscalls, a_file_is_read_whole_though_only_its_begin_lies_in_memory) {
  char name[] = "/tmp/weft-io-XXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  std::vector<char> text(std::size_t{1} << 20, 'x');
  ASSERT_EQ(write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
  ASSERT_EQ(pread(file, text.data(), 4096, 0), 4096);
  lseek(file, 0, SEEK_SET);
  EXPECT_EQ(qt_read(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  EXPECT_EQ(qt_read(file, text.data(), text.size()), 0);
  close(file);
}

}  // namespace
}  // namespace weft::test
