// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/fd.h.
#include "io/fd.hpp"

#include <cerrno>
#include <cstdint>

#include <weft/fd.h>

#include "base/attributes.hpp"
#include "os/fd_events.hpp"

namespace rt = weft::rt;

namespace {

bool good(int events) noexcept {
  return events > 0 && (static_cast<uint32_t>(events) & ~rt::os::askable_events) == 0;
}

}  // namespace

__attribute__((noinline)) int weft_fd_wait(int fd, int events) {
  if (!good(events)) return -EINVAL;
  return rt::fd_wait(fd, static_cast<uint32_t>(events), INT64_MAX, WEFT_CALL_SITE);
}

int weft_fd_try_wait(int fd, int events) {
  return good(events) ? rt::fd_try_wait(fd, static_cast<uint32_t>(events)) : -EINVAL;
}

__attribute__((noinline)) int weft_fd_wait_until(int fd, int events, int64_t deadline_ns) {
  if (!good(events)) return -EINVAL;
  if (deadline_ns < 0) deadline_ns = 0;
  return rt::fd_wait(fd, static_cast<uint32_t>(events), deadline_ns, WEFT_CALL_SITE);
}

int weft_fd_close(int fd) { return rt::fd_close(fd); }
