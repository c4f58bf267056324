// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/fork.h, and the proof that inlined code knows the layouts it works on.
#include "sched/fork.hpp"

#include <cerrno>
#include <cstddef>

#include <weft/cpp/fork_abi.hpp>
#include <weft/fork.h>
#include <weft/types.h>

#include "base/attributes.hpp"
#include "base/build.hpp"
#include "boot/boot.hpp"
#include "sched/exception_state.hpp"
#include "sched/fork_stand_in.hpp"
#include "sched/ready.hpp"
#include "sched/self.hpp"
#include "sched/task.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

// offsetof of a class with private parts: right with gcc and clang, which warn.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
struct fork_layout {
  using head = detail::abi::worker;
  using plain = detail::abi::task;
  using deque = work_deque<task*>;  // NOLINT(misc-include-cleaner): a part of the worker
  static constexpr std::size_t line = offsetof(worker, deque) + offsetof(deque, bottom_);

  static_assert(offsetof(head, current) == offsetof(worker, current));
  static_assert(offsetof(head, inline_floor) == offsetof(worker, inline_floor));
  static_assert(offsetof(head, thread_exceptions) == offsetof(worker, exceptions));
  static_assert(offsetof(head, census) == offsetof(worker, census_word));
  static_assert(offsetof(head, bottom) == line);
  static_assert(offsetof(head, floor) == offsetof(worker, deque) + offsetof(deque, floor_));
  static_assert(offsetof(head, limit) == offsetof(worker, deque) + offsetof(deque, limit_));
  static_assert(offsetof(head, slots) == offsetof(worker, deque) + offsetof(deque, slots_));
  static_assert(offsetof(head, mask) == offsetof(worker, deque) + offsetof(deque, mask_));
  static_assert(offsetof(head, ask_end) == offsetof(worker, deque) + offsetof(deque, ask_end_));
  using nobody = fork_stand_in_worker;
  static_assert(offsetof(head, bottom) ==
                offsetof(nobody, deque) + offsetof(fork_stand_in, bottom));
  static_assert(offsetof(head, floor) == offsetof(nobody, deque) + offsetof(fork_stand_in, floor));
  static_assert(offsetof(head, limit) == offsetof(nobody, deque) + offsetof(fork_stand_in, limit));
  static_assert(offsetof(head, slots) == offsetof(nobody, deque) + offsetof(fork_stand_in, slots));
  static_assert(offsetof(head, mask) == offsetof(nobody, deque) + offsetof(fork_stand_in, mask));
  static_assert(offsetof(head, ask_end) ==
                offsetof(nobody, deque) + offsetof(fork_stand_in, ask_end));
  static_assert(offsetof(plain, fn) == offsetof(task, fn));
  static_assert(offsetof(plain, value) == offsetof(task, value));
  static_assert(offsetof(plain, join) == offsetof(task, join));
  static_assert(offsetof(plain, on) == offsetof(task, on));
  static_assert(offsetof(plain, place) == offsetof(task, next));
  static_assert(offsetof(plain, site) == offsetof(task, site));
  static_assert(offsetof(plain, state) == offsetof(task, state));
  static_assert(offsetof(plain, extra) == offsetof(task, extra));
  static_assert(offsetof(detail::abi::exceptions, caught) == offsetof(exception_state, caught));
  static_assert(offsetof(detail::abi::exceptions, uncaught) == offsetof(exception_state, uncaught));
  static_assert(build::tsan || sizeof(plain) == sizeof(task));
  static_assert(sizeof(task) <= sizeof(weft_fork_t) && alignof(task) <= alignof(weft_fork_t));
  static_assert(decltype(task::join)::running == 0 && decltype(task::join)::detached == 3);
  static_assert(task::record_bit == uint64_t{1} << 63);
};
#pragma GCC diagnostic pop

}  // namespace weft::rt

namespace rt = weft::rt;

namespace {

rt::task* from_fork(weft_fork_t* fork) noexcept { return reinterpret_cast<rt::task*>(fork); }

}  // namespace

__attribute__((noinline)) int weft_fork_start(weft_fork_t* fork, weft_fn_t fn, void* arg) {
  if (fork == nullptr || fn == nullptr) return -EINVAL;
  const int failed = rt::boot::ensure_started();
  if (failed != 0) return failed;
  return rt::fork_task(rt::self(), fork, fn, arg, WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_fork_join(weft_fork_t* fork, void** result) {
  if (fork == nullptr) return -EINVAL;
  return rt::join_fork(rt::self(), from_fork(fork), result, WEFT_CALL_SITE);
}

int weft_fork_share(void) {
  if (rt::worker* w = rt::self()) rt::share_with_idle(*w, 0);
  return 0;
}

int weft_fork_end(weft_fork_t* fork) {
  rt::end_called_fork(from_fork(fork));
  return 0;
}
