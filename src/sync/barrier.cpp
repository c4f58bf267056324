// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arriving at a barrier.
#include "sync/barrier.hpp"

#include <cerrno>

#include "sync/wait.hpp"
#include "sync/wake_chain.hpp"

namespace weft::rt {

int barrier::complete(closed_queue& queue) noexcept {
  wake_chain all;
  all.add_from(queue_);
  ++round_;
  queue.word = 0;
  queue.unlock();  // last use of *this
  all.wake();
  return 1;
}

int barrier::try_arrive() noexcept {
  closed_queue queue(word_);
  if (is_last(queue.word)) return complete(queue);
  queue.unlock();
  return -EBUSY;
}

int barrier::arrive(int64_t deadline_ns, void* site) noexcept {
  wait w("barrier", this, site);
  waiter n(w);
  closed_queue queue(word_);
  if (is_last(queue.word)) return complete(queue);
  if (const int refused = w.may_wait(); refused != 0) {
    queue.unlock();
    return refused;
  }
  const uint32_t round = round_;
  queue.word = (queue.word + one) | queue_word::waiting;
  queue_.push(n);
  const int failed = w.until_holding(queue, deadline_ns);
  if (failed == 0) return 0;
  if (failed != -ENOMEM) queue.lock();
  if (n.queued) queue_.remove(n);
  const bool passed = round_ != round;
  if (!passed) queue.word -= one;
  queue.unlock();
  return passed ? 0 : failed;
}

}  // namespace weft::rt
