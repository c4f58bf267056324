// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues of waiting tasks: a list of them under a lock, each at a latch of its own until it is
// released. Who is released looks at its latch alone, and who releases it at nothing else any more,
// so the queue may be destroyed by then.
#include <mutex>
#include <new>
#include <utility>

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
  // Takes the first of them off, or all. Null: there is none.
  weft::qt::queued* take_first() noexcept {
    const std::lock_guard held(lock);
    weft::qt::queued* const one = first;
    if (one == nullptr) return nullptr;
    first = std::exchange(one->next, nullptr);
    if (first == nullptr) end = &first;
    --length;
    return one;
  }
  weft::qt::queued* take_all() noexcept {
    const std::lock_guard held(lock);
    end = &first;
    length = 0;
    return std::exchange(first, nullptr);
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

// Those that are off their queue: the first that goes on may destroy it.
void release(queued* list) noexcept {
  while (list != nullptr) {
    queued* const next = list->next;
    weft_latch_count_down(&list->released, 1);  // last use of *list
    list = next;
  }
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
  qt::queued* const one = q->take_first();
  if (one == nullptr) return QTHREAD_OPFAIL;
  qt::release(one);
  return QTHREAD_SUCCESS;
}

int qthread_queue_release_all(qthread_queue_t q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  qt::release(q->take_all());
  return QTHREAD_SUCCESS;
}

int qthread_queue_destroy(qthread_queue_t q) {
  delete q;
  return q != nullptr ? QTHREAD_SUCCESS : QTHREAD_BADARGS;
}
