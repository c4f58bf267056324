// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues of waiting tasks: a list of them under a lock, each suspended until it is released.
#include <mutex>
#include <new>

#include <weft/task.h>

#include "record.hpp"
#include "waiting.hpp"

namespace weft::qt {

namespace {

// Lies on the stack of who waits.
struct queued {
  weft_task_t who;
  queued* next = nullptr;
  bool released = false;
};

}  // namespace

}  // namespace weft::qt

struct qthread_queue_s {
  std::mutex lock;
  weft::qt::queued* first = nullptr;
  weft::qt::queued** end = &first;
  aligned_t length = 0;
  aligned_t most = UINT64_MAX;

  bool has_released(const weft::qt::queued& one) noexcept {
    const std::lock_guard held(lock);
    return one.released;
  }
  // False: it was released.
  bool take_out(weft::qt::queued& one) noexcept {
    const std::lock_guard held(lock);
    if (one.released) return false;
    weft::qt::queued** at = &first;
    while (*at != &one) at = &(*at)->next;
    *at = one.next;
    if (end == &one.next) end = at;
    --length;
    return true;
  }
  // Under the lock, until the task has been resumed: it may come first, by another's resume, and
  // look.
  int release_first() noexcept {
    weft::qt::queued& one = *first;
    first = one.next;
    if (first == nullptr) end = &first;
    --length;
    one.released = true;
    return weft_task_resume(one.who);
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
  // A release that came first is remembered; so is a resume that has nothing to do with the queue.
  do {
    const int failed = weft_task_suspend();
    if (failed != 0 && q->take_out(me)) return qt::result_of(failed);
  } while (!q->has_released(me));
  return QTHREAD_SUCCESS;
}

aligned_t qthread_queue_length(qthread_queue_t q) {
  if (q == nullptr) return 0;
  const std::lock_guard held(q->lock);
  return q->length;
}

int qthread_queue_release_one(qthread_queue_t q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  const std::lock_guard held(q->lock);
  return q->first != nullptr ? qt::result_of(q->release_first()) : QTHREAD_OPFAIL;
}

int qthread_queue_release_all(qthread_queue_t q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  const std::lock_guard held(q->lock);
  while (q->first != nullptr) q->release_first();
  return QTHREAD_SUCCESS;
}

int qthread_queue_destroy(qthread_queue_t q) {
  delete q;
  return q != nullptr ? QTHREAD_SUCCESS : QTHREAD_BADARGS;
}
