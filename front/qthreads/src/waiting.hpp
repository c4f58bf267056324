// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wait of a task of ours: it is not busy meanwhile, and Weft's errors become those of Qthreads.
// One that is away at a thread of io_pool.hpp was not busy before.
#pragma once

#include <cerrno>
#include <sched.h>

#include <weft/cancel.h>

#include "polling.hpp"
#include "record.hpp"
#include "runtime.hpp"
#include "team.hpp"

namespace weft::qt {

[[gnu::cold, gnu::noinline]] inline void count_wait_asking(int begins) {
  void* const of_task = task_record();
  if (of_task == nullptr) return;
  const record* const me = own_record(of_task);
  if (me == nullptr || !me->is_away) busy.add(begins != 0 ? -1 : 1);
}

// For weft_word_read_ff_noted and those like it.
inline void count_wait(int begins) {
  const auto* const w = readable_self();
  if (w == nullptr) [[unlikely]]
    return count_wait_asking(begins);
  if (weft::detail::abi::has_record(*w)) [[likely]]
    busy.add_of(w->index, 1 - 2 * int64_t{begins});
}

// The same for what may call Weft, and its action: see polling.hpp.
class not_busy {
 public:
  not_busy() noexcept : not_busy(self()) {}
  ~not_busy() {
    if (counts_) busy.add(1);
  }
  not_busy(const not_busy&) = delete;
  not_busy& operator=(const not_busy&) = delete;

 private:
  explicit not_busy(record* me) noexcept : counts_(me != nullptr && !me->is_away), action_(me) {
    if (counts_) busy.add(-1);
  }

  const bool counts_;
  const action_waits action_;
};

template <class Try, class Wait>
[[gnu::cold, gnu::noinline]] int wait_asking_for_action(Try attempt, Wait wait) noexcept {
  const int r = attempt();
  if (r != -EBUSY) return r;
  const action_waits waits(self());
  return wait();
}

// A wait that is told of by count_wait.
template <class Try, class Wait>
int noted(Try attempt, Wait wait) noexcept {
  if (!the.any_held_action.load(std::memory_order_relaxed)) [[likely]]
    return wait();
  return wait_asking_for_action(attempt, wait);
}

// 0 or a negative errno of Weft's as a result of Qthreads'.
inline int result_of(int r) noexcept {
  switch (r) {
    case 0:
      return QTHREAD_SUCCESS;
    case -EBUSY:
      return QTHREAD_OPFAIL;
    case -ENOMEM:
      return QTHREAD_MALLOC_ERROR;
    case -EOVERFLOW:
      return QTHREAD_OVERFLOW;
    case -EPERM:
      return QTHREAD_NOT_ALLOWED;
    case -ETIMEDOUT:
      return QTHREAD_TIMEOUT;
    default:
      return QTHREAD_BADARGS;
  }
}

// After a wait, with nothing left to destroy in the frames of ours above the task's.
inline void end_where_team_is_over() noexcept {
  if (!the.any_eureka.load(std::memory_order_relaxed)) [[likely]]
    return;
  record* const me = self();
  if (me != nullptr && me->in != nullptr) end_if_over(*me);
}

// What the call gives, which may wait; unless a eureka has ended the caller meanwhile.
template <class Call>
auto unless_over(Call&& call) noexcept {
  const auto result = call();
  end_where_team_is_over();
  return result;
}

// Tries first, so that who need not wait is never counted as waiting.
template <class Try, class Wait>
int try_then_wait(Try&& attempt, Wait&& wait) noexcept {
  int r = attempt();
  if (r != -EBUSY) return result_of(r);
  {
    const not_busy waits;
    r = wait();
  }
  end_where_team_is_over();
  return result_of(r);
}

// For what must not end early: whatever cancel scope the caller is in, however long there is no
// memory to wait with, and by who may not park. The caller is not counted as waiting, and not ended
// by a eureka.
template <class Try, class Wait>
void wait_shielded(Try&& attempt, Wait&& wait) noexcept {
  weft_cancel_scope_t shield;
  weft_cancel_enter(nullptr, &shield);
  while (wait() < 0 && attempt() == -EBUSY) sched_yield();
  weft_cancel_leave(&shield);
}

// Such a wait, counted. The caller is not ended by it: see end_where_team_is_over().
template <class Try, class Wait>
void wait_surely(Try&& attempt, Wait&& wait) noexcept {
  if (attempt() != -EBUSY) return;
  const not_busy waits;
  wait_shielded(attempt, wait);
}

}  // namespace weft::qt
