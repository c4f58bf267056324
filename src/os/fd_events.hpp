// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// File descriptors becoming ready: one look or a wait for one, and a set that one thread waits for.
//
// Events are the bits of poll(2), which epoll(7) shares. No call changes errno.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::rt::os {

// What a caller may ask for; errors and hang-ups are told unasked.
extern const std::uint32_t askable_events;

// The calling OS thread waits for one descriptor until deadline_ns (monotonic; 0: only a look;
// INT64_MAX: for ever). The events that came, 0 (the deadline), -EBADF, -ENOMEM.
[[nodiscard]] int poll_fd(int fd, std::uint32_t events, std::int64_t deadline_ns) noexcept;

// The events of `asked` that a file without readiness has, which is always ready.
[[nodiscard]] int always_ready(std::uint32_t asked) noexcept;

[[nodiscard]] bool close_fd(int fd, int& error) noexcept;

class fd_events {
 public:
  struct event {
    int fd;
    std::uint32_t arming;  // any number of the caller's; told with the event that it asked for
    std::uint32_t events;
  };

  fd_events() noexcept = default;
  fd_events(const fd_events&) = delete;
  fd_events& operator=(const fd_events&) = delete;

  // 0, -EMFILE, -ENFILE, -ENOMEM.
  [[nodiscard]] int open() noexcept;
  void close() noexcept;

  // Any thread. One event is told for the descriptor, at once if it is there; then it is armed no
  // more. 0, -EBADF, -EPERM (always ready), -ENOMEM.
  [[nodiscard]] int arm(const event& asked) noexcept;

  // The one thread: waits and writes up to `most` events. A negative descriptor: interrupt().
  [[nodiscard]] std::size_t wait(event* out, std::size_t most) noexcept;
  // Any thread.
  void interrupt() noexcept;

 private:
  int set_ = -1;
  int interrupts_ = -1;
};

}  // namespace weft::rt::os
