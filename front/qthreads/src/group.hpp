// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of a loop that are waited for together.
//
// A eureka may end any of them before its function begins or while it runs, so it is not the
// function that drops the group but the end of the task (spawn.cpp). And it may not end who has the
// group in its frame: see stays_on.
#pragma once

#include <atomic>
#include <cstddef>

#include <weft/sync.h>

#include "spawn.hpp"
#include "waiting.hpp"

namespace weft::qt {

// Whether a eureka may end the caller's task. Then functions of the program that it would help with
// go to others: it could not be ended in them.
inline bool may_be_ended() noexcept {
  const record* const me = self();
  return me != nullptr && me->in != nullptr;
}

// As long as one lives in a frame, no eureka ends the task: others use that frame, or it has what
// is theirs too, as a slot of a sinc, while a function of the program's runs, which may give way.
class stays_on {
 public:
  stays_on() noexcept : me_(self()) {
    if (me_ != nullptr) ++me_->lent_frames;
  }
  ~stays_on() {
    if (me_ != nullptr) --me_->lent_frames;
  }
  stays_on(const stays_on&) = delete;
  stays_on& operator=(const stays_on&) = delete;

 private:
  record* const me_;
};

// Lies with who waits. Each task holds it once, and so does whoever may still fork more.
class task_group {
 public:
  task_group() noexcept { weft_latch_init(&ended_, 1); }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  // By who holds it.
  void hold() noexcept { held_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    if (held_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      weft_latch_count_down(&ended_, 1);  // last use of *this
  }

  // Forks f with a copy of args; the end of the task drops the group. False: it was not forked.
  template <class Args>
  bool fork(qthread_f f, const Args& args, std::size_t shepherd = NO_SHEPHERD) noexcept {
    fork_request what;
    what.shepherd = static_cast<uint32_t>(shepherd);
    return fork_as(what, f, args);
  }
  template <class Args>
  bool fork_at(uint32_t worker, qthread_f f, const Args& args) noexcept {
    fork_request what;
    what.worker = worker;
    return fork_as(what, f, args);
  }
  template <class Args>
  bool fork_part(uint32_t part, qthread_f f, const Args& args) noexcept {
    fork_request what;
    what.part = part;
    return fork_as(what, f, args);
  }

  // By who made it: gives up its hold and waits for all others, who may use its frame.
  void wait() noexcept {
    drop();
    wait_surely([&] { return weft_latch_try_wait(&ended_); },
                [&] { return weft_latch_wait(&ended_); });
  }

 private:
  template <class Args>
  bool fork_as(fork_request& what, qthread_f f, const Args& args) noexcept {
    what.f = f;
    what.arg = &args;
    what.copy_bytes = sizeof args;
    what.group = this;
    return fork_task(what) == QTHREAD_SUCCESS;
  }

  std::atomic<std::size_t> held_{1};
  weft_latch_t ended_;
};

}  // namespace weft::qt
