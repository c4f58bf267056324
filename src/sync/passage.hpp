// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Going past an object of one word and one queue, or standing in the queue until somebody lets one
// past.
//
// pass(word): with the queue closed, whether the flow goes on at once; it may change the word then.
#pragma once

#include "sync/lone_queue.hpp"
#include "sync/queue_word.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

// Waits, as w says, unless it passes. 0, -ETIMEDOUT, -ENOMEM, -EPERM (a stackless task).
template <class Wait, class Queue = closed_queue, class Waiters, class Pass>
WEFT_ALWAYS_INLINE int wait_to_pass(queue_word& word, Waiters& q, Wait& w, int64_t deadline_ns,
                                    Pass&& pass) noexcept {
  auto* const usual = w.usual(deadline_ns);
  if (usual == nullptr) [[unlikely]] {
    if (const int refused = w.may_wait(); refused != 0) return refused;
  }
  waiter n(w);
  Queue queue(word);
  if (pass(queue.word)) {
    queue.unlock();
    return 0;
  }
  queue.word |= queue_word::waiting;
  q.push(n);
  return wait_joined(q, n, queue, deadline_ns, usual);
}

// The same without a deadline by a usual flow, for where that counts.
template <class Wait = wait, class Queue = closed_queue, class Pass>
WEFT_ALWAYS_INLINE int wait_to_pass(queue_word& word, lone_queue& q,
                                    const typename Wait::usual_flow& me, const wait_reason& why,
                                    Pass&& pass) noexcept {
  Queue queue(word);
  if (pass(queue.word)) {
    queue.unlock();
    return 0;
  }
  // What a waker reads and writes of it stands on one line.
  struct alignas(line_bytes) place {
    explicit WEFT_ALWAYS_INLINE place(const typename Wait::usual_flow& flow) noexcept
        : n(&w), w(flow) {}
    waiter n;
    Wait w;
  };
  place mine(me);
  waiter& n = mine.n;
  q.push(n, mine.w.sole_sleeper());
  const int failed = mine.w.until_opening(me, why, word.to_open(queue.word | queue_word::waiting));
  if (failed != 0) [[unlikely]] {
    q.remove(n);
    queue.unlock();
  }
  return failed;
}

// For select. False: it passes, and n stands nowhere.
template <class Waiters, class Pass>
bool stand_unless(queue_word& word, Waiters& q, waiter& n, Pass&& pass) noexcept {
  closed_queue queue(word);
  const bool passes = pass(queue.word);
  if (!passes) {
    queue.word |= queue_word::waiting;
    q.push(n);
  }
  queue.unlock();
  return !passes;
}

inline void leave_queue(queue_word& word, wait_queue& q, waiter& n) noexcept {
  closed_queue queue(word);
  if (n.queued) q.remove(n);
  queue.unlock();
}

}  // namespace weft::rt
