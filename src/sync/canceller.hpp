// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The canceller: ends every wait that stands in its queue, once and for all later ones too.
//
// The word's state: requested. Waits stand here beside where they wait; see cancel_scope.hpp.
#pragma once

#include <cstdint>

#include "sync/queue_word.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

class canceller {
 public:
  bool is_requested() const noexcept { return (word_.look() & requested) != 0; }

  // Those whose wait it could claim are `chosen`, and woken.
  void request() noexcept;

  // False: requested, and n stands nowhere.
  [[nodiscard]] bool stand(waiter& n) noexcept;
  void leave(waiter& n) noexcept;

 private:
  static constexpr uint64_t requested = uint64_t{1} << queue_word::state_shift;

  queue_word word_;
  wait_queue queue_;
};

}  // namespace weft::rt
