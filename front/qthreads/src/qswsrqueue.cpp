// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bounded queue between one task that puts and one that takes: a ring, and semaphores to wait at.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <qthread/qswsrqueue.h>

#include <weft/sync.h>

#include "waiting.hpp"

struct qswsrqueue_s {
  std::size_t size;
  std::unique_ptr<void*[]> ring;
  weft_semaphore_t room;
  weft_semaphore_t items;
  alignas(64) std::size_t put = 0;   // of the one who puts
  alignas(64) std::size_t take = 0;  // of the one who takes
};

namespace {

// Qthreads' queues have a multiple of so many places, one of which stays free.
constexpr std::size_t grain = 64;

int put(qswsrqueue_t& q, void* elem) noexcept {
  q.ring[q.put] = elem;
  q.put = q.put + 1 == q.size ? 0 : q.put + 1;
  return weft::qt::result_of(weft_semaphore_post(&q.items, 1));
}

void* take(qswsrqueue_t& q) noexcept {
  void* elem = q.ring[q.take];
  q.take = q.take + 1 == q.size ? 0 : q.take + 1;
  weft_semaphore_post(&q.room, 1);
  return elem;
}

}  // namespace

qswsrqueue_t* qswsrqueue_create(size_t elements) {
  if (elements > INT32_MAX - grain) return nullptr;
  elements = std::max<std::size_t>(1, (elements + grain - 1) / grain) * grain - 1;
  std::unique_ptr<qswsrqueue_s> q(new (std::nothrow) qswsrqueue_s);
  if (q == nullptr) return nullptr;
  q->size = elements;
  q->ring.reset(new (std::nothrow) void*[elements]);
  if (q->ring == nullptr || weft_semaphore_init(&q->items, 0) != 0 ||
      weft_semaphore_init(&q->room, static_cast<uint32_t>(elements)) != 0)
    return nullptr;
  return q.release();
}

int qswsrqueue_destroy(qswsrqueue_t* q) {
  delete q;
  return q != nullptr ? QTHREAD_SUCCESS : QTHREAD_BADARGS;
}

int qswsrqueue_enqueue(qswsrqueue_t* q, void* elem) {
  if (q == nullptr) return QTHREAD_BADARGS;
  return weft_semaphore_try_wait(&q->room) == 0 ? put(*q, elem) : QTHREAD_OPFAIL;
}

int qswsrqueue_enqueue_blocking(qswsrqueue_t* q, void* elem) {
  if (q == nullptr) return QTHREAD_BADARGS;
  const int r = weft::qt::try_then_wait([&] { return weft_semaphore_try_wait(&q->room); },
                                        [&] { return weft_semaphore_wait(&q->room); });
  return r == QTHREAD_SUCCESS ? put(*q, elem) : r;
}

void* qswsrqueue_dequeue(qswsrqueue_t* q) {
  return q != nullptr && weft_semaphore_try_wait(&q->items) == 0 ? take(*q) : nullptr;
}

void* qswsrqueue_dequeue_blocking(qswsrqueue_t* q) {
  if (q == nullptr) return nullptr;
  const int r = weft::qt::try_then_wait([&] { return weft_semaphore_try_wait(&q->items); },
                                        [&] { return weft_semaphore_wait(&q->items); });
  return r == QTHREAD_SUCCESS ? take(*q) : nullptr;
}

int qswsrqueue_empty(qswsrqueue_t* q) {
  return q == nullptr || weft_semaphore_value(&q->items) <= 0 ? 1 : 0;
}
