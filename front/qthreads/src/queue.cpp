// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues of waiting tasks: a list of them under a lock, each at a latch of its own until it is
// released. Who is released looks at its latch alone, so the queue may be destroyed by then.
#include <mutex>
#include <new>

#include <weft/sync.h>
#include <weft/task.h>

#include "record.hpp"
#include "waiting.hpp"

namespace weft::qt {

namespace {

// Lies on the stack of who waits.
struct queued {
  weft_latch_t released;
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

  // Under the lock. False: it is full.
  bool add(weft::qt::queued& one) noexcept {
    if (length >= most) return false;
    *end = &one;
    end = &one.next;
    ++length;
    return true;
  }
  // Under the lock.
  void release_first() noexcept {
    weft::qt::queued& one = *first;
    first = one.next;
    if (first == nullptr) end = &first;
    --length;
    weft_latch_count_down(&one.released, 1);  // last use of one
  }
};

namespace weft::qt {

namespace {

int join(qthread_queue_t q) noexcept {
  queued me;
  weft_latch_init(&me.released, 1);
  // Before it can be seen in the queue: who sees it there takes it for waiting.
  const not_busy waits;
  {
    const std::lock_guard held(q->lock);
    if (!q->add(me)) return QTHREAD_OPFAIL;
  }
  wait_shielded([&] { return weft_latch_try_wait(&me.released); },
                [&] { return weft_latch_wait(&me.released); });
  return QTHREAD_SUCCESS;
}

}  // namespace

}  // namespace weft::qt

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
  return qt::unless_over([&] { return qt::join(q); });
}

aligned_t qthread_queue_length(qthread_queue_t q) {
  if (q == nullptr) return 0;
  const std::lock_guard held(q->lock);
  return q->length;
}

int qthread_queue_release_one(qthread_queue_t q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  const std::lock_guard held(q->lock);
  if (q->first == nullptr) return QTHREAD_OPFAIL;
  q->release_first();
  return QTHREAD_SUCCESS;
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
