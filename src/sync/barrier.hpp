// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The barrier: so many flows arrive, the last one lets all go on, and it can be used again at once.
//
// The word's state is how many have arrived; `round_` counts how often all had. Who gives up by its
// deadline takes its arrival back, unless its round was completed meanwhile: then it has passed.
#pragma once

#include <cstdint>

#include "sync/queue_word.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

class barrier {
 public:
  explicit barrier(uint32_t parties) noexcept : parties_(parties) {}

  // 1 for the last to arrive, 0 for the others; -ETIMEDOUT, -ENOMEM, -EPERM: did not arrive.
  int arrive(int64_t deadline_ns, void* site) noexcept;
  // The same for one who must not wait; -EBUSY.
  int try_arrive() noexcept;

 private:
  static constexpr uint64_t one = uint64_t{1} << queue_word::state_shift;

  bool is_last(uint64_t word) const noexcept { return word / one + 1 == parties_; }
  int complete(struct closed_queue& queue) noexcept;

  queue_word word_;
  wait_queue queue_;
  const uint32_t parties_;
  uint32_t round_ = 0;
};

}  // namespace weft::rt
