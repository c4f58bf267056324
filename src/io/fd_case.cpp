// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The case of a select that waits for a file descriptor.
#include "io/fd.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

namespace {

int fd_of(const weft_case_t& c) noexcept { return static_cast<int>(c.argument & UINT32_MAX); }
uint32_t events_of(const weft_case_t& c) noexcept {
  return static_cast<uint32_t>(c.argument >> 32);
}

bool look(weft_case_t& c) noexcept { return settled_by(c, fd_try_wait(fd_of(c), events_of(c))); }

stood stand(weft_case_t& c, wait& w) noexcept {
  auto& me = make_waiter<fd_waiter>(c, w, events_of(c));
  const int came = w.of_task() ? fd_stand(fd_of(c), me) : -ENOTCONN;
  if (came == 0) return stood::queued;
  return take_if_claimed(w, [&] {
    c.result = came;
    return true;
  });
}

void leave(weft_case_t& c) noexcept { fd_leave(fd_of(c), waiter_of<fd_waiter>(c)); }

bool finish(weft_case_t& c) noexcept {
  c.result = waiter_of<fd_waiter>(c).came;
  return true;
}

}  // namespace

const select_ops fd_case = {.try_now = look, .stand = stand, .leave = leave, .finish = finish};

}  // namespace weft::rt
