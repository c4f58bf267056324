// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ending all waits that stand at a canceller.
#include "sync/canceller.hpp"

#include "sync/passage.hpp"
#include "sync/wait.hpp"
#include "sync/wake_chain.hpp"

namespace weft::rt {

void canceller::request() noexcept {
  closed_queue queue(word_);
  wake_chain all;
  all.add_from(queue_);
  queue.word = requested;
  queue.unlock();  // last use of *this
  all.wake();
}

bool canceller::stand(waiter& n) noexcept {
  return stand_unless(word_, queue_, n, [](uint64_t word) { return (word & requested) != 0; });
}

void canceller::leave(waiter& n) noexcept { leave_queue(word_, queue_, n); }

}  // namespace weft::rt
