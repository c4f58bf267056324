// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One look, one wait, and a set of descriptors: what each says, once.
#include "os/fd_events.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <thread>
#include <unistd.h>

#include "os/clock.hpp"

namespace weft::rt::os {
namespace {

class fd_events_test : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(pipe2(end_, O_CLOEXEC), 0);
    ASSERT_EQ(set_.open(), 0);
  }
  void TearDown() override {
    set_.close();
    ::close(end_[0]);
    ::close(end_[1]);
  }
  void write() { ASSERT_EQ(::write(end_[1], "x", 1), 1); }

  int end_[2];
  fd_events set_;
  fd_events::event found_[4];
};

TEST_F(fd_events_test, a_look_says_what_is_there) {
  EXPECT_EQ(poll_fd(end_[0], POLLIN, 0), 0);
  write();
  EXPECT_EQ(poll_fd(end_[0], POLLIN, 0), POLLIN);
  EXPECT_EQ(poll_fd(end_[0], POLLIN, INT64_MAX), POLLIN);
  EXPECT_EQ(poll_fd(-1, POLLIN, INT64_MAX), -EBADF);
}

TEST_F(fd_events_test, a_wait_lasts_until_its_deadline) {
  const std::int64_t deadline_ns = monotonic_ns() + 2'000'000;
  errno = 7;
  EXPECT_EQ(poll_fd(end_[0], POLLIN, deadline_ns), 0);
  EXPECT_GE(monotonic_ns(), deadline_ns);
  EXPECT_EQ(poll_fd(end_[0], POLLIN, 1), 0) << "it has passed";
  EXPECT_EQ(errno, 7);
}

TEST_F(fd_events_test, an_event_is_told_once_for_each_arm) {
  ASSERT_EQ(set_.arm({end_[0], 7, POLLIN}), 0);
  write();
  ASSERT_EQ(set_.wait(found_, 4), 1u);
  EXPECT_EQ(found_[0].fd, end_[0]);
  EXPECT_EQ(found_[0].events, static_cast<std::uint32_t>(POLLIN));
  // It is armed no more: only the interrupt is told.
  set_.interrupt();
  ASSERT_EQ(set_.wait(found_, 4), 1u);
  EXPECT_LT(found_[0].fd, 0);
  ASSERT_EQ(set_.arm({end_[0], 7, POLLIN}), 0);
  ASSERT_EQ(set_.wait(found_, 4), 2u);
}

TEST_F(fd_events_test, a_number_that_was_closed_and_used_again_is_armed_anew) {
  ASSERT_EQ(set_.arm({end_[0], 7, POLLIN}), 0);
  int other[2];
  ASSERT_EQ(pipe2(other, O_CLOEXEC), 0);
  ASSERT_EQ(dup3(other[0], end_[0], O_CLOEXEC), end_[0]);  // closes the old one
  ASSERT_EQ(::write(other[1], "x", 1), 1);
  ASSERT_EQ(set_.arm({end_[0], 7, POLLIN}), 0);
  ASSERT_EQ(set_.wait(found_, 4), 1u);
  EXPECT_EQ(found_[0].fd, end_[0]);
  ::close(other[0]);
  ::close(other[1]);
}

TEST_F(fd_events_test, an_event_names_the_arming_that_asked_for_it) {
  ASSERT_EQ(set_.arm({end_[0], 1, POLLIN}), 0);
  ASSERT_EQ(set_.arm({end_[0], UINT32_MAX, POLLIN}), 0);
  write();
  ASSERT_EQ(set_.wait(found_, 4), 1u);
  EXPECT_EQ(found_[0].arming, UINT32_MAX);
}

TEST_F(fd_events_test, what_cannot_be_watched_says_why) {
  EXPECT_EQ(set_.arm({-1, 0, POLLIN}), -EBADF);
  char name[] = "/tmp/weft_fd_events_test_XXXXXX";
  const int file = ::mkstemp(name);
  ASSERT_GE(file, 0);
  ::unlink(name);
  EXPECT_EQ(set_.arm({file, 0, POLLIN}), -EPERM);
  EXPECT_EQ(always_ready(POLLIN | POLLPRI), POLLIN);
  int error = 0;
  EXPECT_TRUE(close_fd(file, error));
  EXPECT_FALSE(close_fd(file, error));
  EXPECT_EQ(error, EBADF);
}

TEST_F(fd_events_test, an_interrupt_ends_a_wait) {
  std::thread other([&] { set_.interrupt(); });
  ASSERT_EQ(set_.wait(found_, 4), 1u);
  EXPECT_LT(found_[0].fd, 0);
  other.join();
}

}  // namespace
}  // namespace weft::rt::os
