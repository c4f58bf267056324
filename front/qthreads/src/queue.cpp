// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues of waiting tasks: a list of them under a lock, each suspended until it is released.
#include <mutex>
#include <new>
#include <sched.h>

#include <weft/task.h>

#include "record.hpp"
#include "waiting.hpp"

namespace weft::qt {

namespace {

// Lies on the stack of who waits.
struct queued {
  weft_task_t who;
  queued* next = nullptr;
};

}  // namespace

}  // namespace weft::qt

struct qthread_queue_s {
  std::mutex lock;
  weft::qt::queued* first = nullptr;
  weft::qt::queued** end = &first;
  aligned_t length = 0;
  aligned_t most = UINT64_MAX;

  // False: it was released.
  bool take_out(weft::qt::queued& one) noexcept {
    const std::lock_guard held(lock);
    for (weft::qt::queued** at = &first; *at != nullptr; at = &(*at)->next) {
      if (*at != &one) continue;
      *at = one.next;
      if (end == &one.next) end = at;
      --length;
      return true;
    }
    return false;
  }
};

namespace qt = weft::qt;

qthread_queue_t qthread_queue_create(uint8_t flags, aligned_t length) {
  auto* q = new (std::nothrow) qthread_queue_s;
  if (q != nullptr && (flags & QTHREAD_QUEUE_CAPPED) != 0) q->most = length;
  return q;
}

int qthread_queue_join(qthread_queue_t q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  // Within a blocking action it is a thread's.
  if (qt::self() == nullptr || weft_task_self() == nullptr) return QTHREAD_NOT_ALLOWED;
  qt::queued me{weft_task_self()};
  // Before it can be seen in the queue: who sees it there takes it for waiting.
  const qt::not_busy waits;
  {
    const std::lock_guard held(q->lock);
    if (q->length >= q->most) return QTHREAD_OPFAIL;
    *q->end = &me;
    q->end = &me.next;
    ++q->length;
  }
  // A release that came first is remembered.
  for (int failed; (failed = weft_task_suspend()) != 0;) {
    if (q->take_out(me)) return qt::result_of(failed);
    sched_yield();  // until the release, which is under way, can be taken
  }
  return QTHREAD_SUCCESS;
}

aligned_t qthread_queue_length(qthread_queue_t q) {
  if (q == nullptr) return 0;
  const std::lock_guard held(q->lock);
  return q->length;
}

int qthread_queue_release_one(qthread_queue_t q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  weft_task_t who;
  {
    const std::lock_guard held(q->lock);
    qt::queued* first = q->first;
    if (first == nullptr) return QTHREAD_OPFAIL;
    who = first->who;
    q->first = first->next;
    if (q->first == nullptr) q->end = &q->first;
    --q->length;
  }
  return qt::result_of(weft_task_resume(who));
}

int qthread_queue_release_all(qthread_queue_t q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  qt::queued* at;
  {
    const std::lock_guard held(q->lock);
    at = q->first;
    q->first = nullptr;
    q->end = &q->first;
    q->length = 0;
  }
  while (at != nullptr) {
    qt::queued* const next = at->next;
    weft_task_resume(at->who);  // last use of *at
    at = next;
  }
  return QTHREAD_SUCCESS;
}

int qthread_queue_destroy(qthread_queue_t q) {
  delete q;
  return q != nullptr ? QTHREAD_SUCCESS : QTHREAD_BADARGS;
}
