// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a latch's count, and waiting for it.
#include "sync/latch.hpp"

#include <sched.h>

#include "sync/cancel_scope.hpp"
#include "sync/passage.hpp"
#include "sync/wait.hpp"
#include "sync/wake_chain.hpp"

namespace weft::rt {

int latch::count_down_slow(uint32_t by) noexcept {
  closed_queue queue(word_);
  const uint64_t left = queue.word / one;
  wake_chain all;
  int failed = 0;
  if (left < by) {
    failed = -EINVAL;
  } else if (left == by && by != 0) {
    all.add_from(queue_);
    queue.word = 0;
  } else {
    queue.word -= by * one;
  }
  queue.unlock();  // last use of *this
  all.wake();
  return failed;
}

int latch::count_up(uint32_t by) noexcept { return word_.count_up(by, most); }

int latch::wait_slow(int64_t deadline_ns, void* site) noexcept {
  wait w("latch", this, site);
  return wait_to_pass(word_, queue_, w, deadline_ns, [](uint64_t word) { return word < one; });
}

void latch::pass_slow(void* site) noexcept {
  const cancel_shield shield;
  while (!is_open() && wait_slow(forever, site) != 0) sched_yield();
}

}  // namespace weft::rt
