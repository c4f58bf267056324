// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Once: one of all who come runs the function, the others park until it has returned.
//
// Zero has not been run. The word's state: running, then done.
#pragma once

#include <cerrno>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "sync/passage.hpp"
#include "sync/queue_word.hpp"
#include "sync/wait_queue.hpp"
#include "sync/wake_chain.hpp"

namespace weft::rt {

class once {
 public:
  bool is_done() const noexcept { return (word_.look() & done) != 0; }

  // True: the caller runs the function now, then calls finish(). me: the calling flow.
  bool begin(uintptr_t me) noexcept {
    uint64_t seen = 0;
    if (!word_.change(seen, running)) return false;
    runner_.store_relaxed(me);  // own: only the runner finds itself there
    return true;
  }
  template <class Wait = wait>
  void finish() noexcept {
    closed_queue queue(word_);
    wake_chain all;
    all.add_from<Wait>(queue_);
    queue.word = done;
    queue.unlock();  // last use of *this
    all.wake<Wait>();
  }

  bool runs_in(uintptr_t me) const noexcept {
    return runner_.load_relaxed() == me && !is_done();  // own: as above
  }

  // Waits for another's finish(). 0, -ETIMEDOUT, -ENOMEM, -EPERM (a stackless task).
  template <class Wait = wait, class Queue = closed_queue>
  int wait_slow(int64_t deadline_ns, void* site) noexcept {
    Wait w("once", this, site);
    return wait_to_pass<Wait, Queue>(word_, queue_, w, deadline_ns,
                                     [](uint64_t word) { return (word & done) != 0; });
  }

 private:
  static constexpr uint64_t running = uint64_t{1} << queue_word::state_shift;
  static constexpr uint64_t done = running << 1;

  queue_word word_;
  wait_queue queue_;
  atomic<uintptr_t> runner_{0};
};

}  // namespace weft::rt
