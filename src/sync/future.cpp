// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Giving a future its value, and waiting for it.
#include "sync/future.hpp"

#include <cerrno>

#include "sync/passage.hpp"
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
  return wait_to_pass(word_, queue_, w, deadline_ns, is_set);
}

bool future::stand(waiter& n) noexcept { return stand_unless(word_, queue_, n, is_set); }

void future::leave(waiter& n) noexcept { leave_queue(word_, queue_, n); }

}  // namespace weft::rt
