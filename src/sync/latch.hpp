// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The latch: a count that goes down to 0; who waits until then parks. It may be counted up again.
//
// The word's state is the count.
#pragma once

#include <cerrno>
#include <cstdint>

#include "base/attributes.hpp"
#include "sync/queue_word.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

class latch {
 public:
  explicit latch(uint32_t count) noexcept : word_(count * one) {}

  bool is_open() const noexcept { return word_.look() < one; }

  // 0, or -EINVAL: it would go below 0.
  WEFT_ALWAYS_INLINE int count_down(uint32_t by) noexcept {
    const uint64_t change = by * one;
    uint64_t seen = word_.guess();
    while (seen >= change + one && (seen & queue_word::closed) == 0)
      if (word_.give(seen, seen - change)) return 0;
    return count_down_slow(by);
  }

  // 0, or -EOVERFLOW: it would go above `most`, and nothing happened.
  [[nodiscard]] int count_up(uint32_t by) noexcept;

  // Waits; it was not open. 0, -ETIMEDOUT, -ECANCELED, -ENOMEM, -EPERM (a stackless task).
  WEFT_COLD int wait_slow(int64_t deadline_ns, void* site) noexcept;

  // Waits until it is open, not cancelled, however long there is no memory to wait with. Not for a
  // stackless task.
  WEFT_ALWAYS_INLINE void pass(void* site) noexcept {
    if (!is_open()) pass_slow(site);
  }

 private:
  static constexpr uint64_t one = uint64_t{1} << queue_word::state_shift;
  static constexpr uint64_t most = UINT32_MAX;

  WEFT_COLD int count_down_slow(uint32_t by) noexcept;
  WEFT_COLD void pass_slow(void* site) noexcept;

  queue_word word_;
  wait_queue queue_;
};

}  // namespace weft::rt
