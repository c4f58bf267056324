// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/select.h: arguments are checked here, the work is done below.
#include "sync/select.hpp"

#include <cerrno>
#include <climits>

#include <weft/select.h>

#include "base/attributes.hpp"
#include "io/fd.hpp"
#include "os/fd_events.hpp"
#include "sync/cases.hpp"
#include "sync/channel.hpp"
#include "sync/wait.hpp"

namespace rt = weft::rt;

namespace {

// Null: not a case.
const rt::select_ops* object_ops(const weft_case_t& c) noexcept {
  const bool aligned = reinterpret_cast<uintptr_t>(c.object) % sizeof(uint64_t) == 0;
  switch (c.kind) {
    case WEFT_CASE_SEND:
      return &rt::channel_send_case;
    case WEFT_CASE_RECEIVE:
      return &rt::channel_receive_case;
    case WEFT_CASE_JOIN:
      return &rt::join_case;
    case WEFT_CASE_FUTURE:
      return &rt::future_case;
    case WEFT_CASE_SEMAPHORE:
      return &rt::semaphore_case;
    case WEFT_CASE_MUTEX:
      return &rt::mutex_case;
    case WEFT_CASE_READ_FF:
      return aligned ? &rt::read_ff_case : nullptr;
    case WEFT_CASE_READ_FE:
      return aligned ? &rt::read_fe_case : nullptr;
    case WEFT_CASE_WRITE_EF:
      return aligned ? &rt::write_ef_case : nullptr;
    default:
      return nullptr;
  }
}

const rt::select_ops* ops_for(const weft_case_t& c) noexcept {
  if (c.kind == WEFT_CASE_DEADLINE) return &rt::deadline_case;
  if (c.kind == WEFT_CASE_FD) {
    const auto events = static_cast<uint64_t>(c.argument) >> 32;
    if (events == 0 || (events & ~uint64_t{rt::os::askable_events}) != 0) return nullptr;
    return &rt::fd_case;
  }
  const rt::select_ops* ops = object_ops(c);
  return ops == nullptr || c.object != nullptr ? ops : &rt::never_case;
}

// 0 or -EINVAL.
int prepare(weft_case_t* cases, size_t count) noexcept {
  if ((cases == nullptr && count != 0) || count > INT_MAX) return -EINVAL;
  for (size_t i = 0; i < count; ++i) {
    const rt::select_ops* ops = ops_for(cases[i]);
    if (ops == nullptr) return -EINVAL;
    rt::prepare_case(cases[i], *ops);
  }
  return 0;
}

}  // namespace

__attribute__((noinline)) int weft_case_select(weft_case_t* cases, size_t count) {
  const int bad = prepare(cases, count);
  return bad != 0 ? bad : rt::select(cases, count, rt::forever, WEFT_CALL_SITE);
}

int weft_case_try_select(weft_case_t* cases, size_t count) {
  const int bad = prepare(cases, count);
  return bad != 0 ? bad : rt::try_select(cases, count);
}

__attribute__((noinline)) int weft_case_select_until(weft_case_t* cases, size_t count,
                                                     int64_t deadline_ns) {
  const int bad = prepare(cases, count);
  return bad != 0 ? bad : rt::select(cases, count, deadline_ns, WEFT_CALL_SITE);
}
