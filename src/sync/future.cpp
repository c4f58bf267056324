// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Giving a future its value, and waiting for it.
#include "sync/future.hpp"

#include <cerrno>

#include "sync/wait.hpp"
#include "sync/wake_chain.hpp"

namespace weft::rt {

int future::give(void* value, int error) noexcept {
  closed_queue queue(word_);
  if ((queue.word & given) != 0) {
    queue.unlock();
    return -EALREADY;
  }
  value_ = value;
  error_ = error;
  wake_chain all;
  all.add_from(queue_);
  queue.word = given;
  queue.unlock();  // last use of *this
  all.wake();
  return 0;
}

int future::wait_slow(int64_t deadline_ns, void* site) noexcept {
  wait w("future", this, site);
  if (const int refused = w.may_wait(); refused != 0) return refused;
  waiter n(w);
  closed_queue queue(word_);
  if ((queue.word & given) != 0) {
    queue.unlock();
    return 0;
  }
  queue.word |= queue_word::waiting;
  return wait_in(queue_, n, queue, deadline_ns);
}

bool future::stand(waiter& n) noexcept {
  closed_queue queue(word_);
  const bool waits = (queue.word & given) == 0;
  if (waits) {
    queue.word |= queue_word::waiting;
    queue_.push(n);
  }
  queue.unlock();
  return waits;
}

void future::leave(waiter& n) noexcept {
  closed_queue queue(word_);
  if (n.queued) queue_.remove(n);
  queue.unlock();
}

}  // namespace weft::rt
