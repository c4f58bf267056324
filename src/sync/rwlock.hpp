// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader/writer lock: phases of readers and of single writers take turns while both wait.
//
// Zero is an open lock. The word's state
//   writing   a writer has it
//   readers   so many readers have it: the bits from there up
//
// A reader waits while a writer has the lock or waits for it; a writer waits while anybody has it.
// A writer that leaves lets in all readers that wait, else the next writer. The last reader that
// leaves lets in the next writer, else all readers. So a writer waits for one phase of readers at
// most for each writer before it, and a reader for one writer. Who is let in has the lock when it
// wakes.
#pragma once

#include <cerrno>
#include <cstdint>

#include "base/attributes.hpp"
#include "sync/queue_word.hpp"
#include "sync/wait_queue.hpp"
#include "sync/wake_chain.hpp"

namespace weft::rt {

class rwlock {
 public:
  WEFT_ALWAYS_INLINE bool try_read_lock() noexcept {
    uint64_t seen = word_.guess();
    while ((seen & (queue_word::busy | writing)) == 0)
      if (word_.change(seen, seen + reader)) return true;
    return (seen & writing) == 0 && try_read_lock_slow();
  }
  WEFT_ALWAYS_INLINE bool try_write_lock() noexcept {
    uint64_t seen = word_.guess();
    return (seen == 0 && word_.change(seen, writing)) || (seen < writing && try_write_lock_slow());
  }

  // Waits; the fast way has failed. 0, -ETIMEDOUT, -ENOMEM, -EPERM (a stackless task).
  WEFT_COLD int read_lock_slow(int64_t deadline_ns, void* site) noexcept;
  WEFT_COLD int write_lock_slow(int64_t deadline_ns, void* site) noexcept;

  // 0, or -EPERM: no reader, no writer has it.
  WEFT_ALWAYS_INLINE int read_unlock() noexcept {
    uint64_t seen = word_.guess();
    while (seen >= reader && (seen & queue_word::busy) == 0)
      if (word_.give(seen, seen - reader)) return 0;  // last use of *this
    return read_unlock_slow();
  }
  WEFT_ALWAYS_INLINE int write_unlock() noexcept {
    uint64_t seen = word_.guess();
    return seen == writing && word_.give(seen, 0) ? 0 : write_unlock_slow();  // last use of *this
  }

 private:
  static constexpr uint64_t writing = uint64_t{1} << queue_word::state_shift;
  static constexpr uint64_t reader = writing << 1;

  WEFT_COLD bool try_read_lock_slow() noexcept;
  WEFT_COLD bool try_write_lock_slow() noexcept;
  WEFT_COLD int read_unlock_slow() noexcept;
  WEFT_COLD int write_unlock_slow() noexcept;

  // With the queue closed.
  bool readers_may_enter(uint64_t word) const noexcept {
    return (word & writing) == 0 && writers_.empty();
  }
  void let_readers_in(closed_queue& queue, wake_chain& in) noexcept;
  void let_writer_in(closed_queue& queue, wake_chain& in) noexcept;
  // Opens the queue and wakes.
  void leave(closed_queue& queue, const wake_chain& in) noexcept;

  queue_word word_;
  wait_queue readers_;
  wait_queue writers_;
};

}  // namespace weft::rt
