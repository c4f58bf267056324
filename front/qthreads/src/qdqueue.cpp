// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue with a part at each shepherd: first in, first out in each part.
#include <cstddef>
#include <memory>
#include <new>
#include <qthread/qdqueue.h>

#include "places.hpp"
#include "qlfqueue.hpp"
#include "runtime.hpp"

struct qdqueue_s {
  std::size_t count = 0;
  std::unique_ptr<weft::qt::lf_queue[]> part;
};

namespace {

// The caller's part; that of shepherd 0 where it has none.
std::size_t here(const qdqueue_t& q) noexcept {
  const uint32_t s = weft::qt::current_shepherd(weft::qt::self());
  return s == NO_SHEPHERD ? 0 : s % q.count;
}

int put(qdqueue_t& q, std::size_t part, void* elem) noexcept {
  return q.part[part].put(elem) ? QTHREAD_SUCCESS : QTHREAD_MALLOC_ERROR;
}

}  // namespace

qdqueue_t* qdqueue_create(void) {
  std::unique_ptr<qdqueue_s> q(new (std::nothrow) qdqueue_s);
  if (q == nullptr) return nullptr;
  q->count = weft::qt::the.is_running() ? weft::qt::the.shepherds : 1;
  q->part.reset(new (std::nothrow) weft::qt::lf_queue[q->count]);
  if (q->part == nullptr) return nullptr;
  for (std::size_t i = 0; i < q->count; ++i)
    if (!q->part[i].begin()) return nullptr;
  return q.release();
}

int qdqueue_destroy(qdqueue_t* q) {
  delete q;
  return q != nullptr ? QTHREAD_SUCCESS : QTHREAD_BADARGS;
}

int qdqueue_enqueue(qdqueue_t* q, void* elem) {
  if (q == nullptr || elem == nullptr) return QTHREAD_BADARGS;
  return put(*q, here(*q), elem);
}

int qdqueue_enqueue_there(qdqueue_t* q, void* elem, qthread_shepherd_id_t there) {
  if (q == nullptr || elem == nullptr || there >= q->count) return QTHREAD_BADARGS;
  return put(*q, there, elem);
}

void* qdqueue_dequeue(qdqueue_t* q) {
  if (q == nullptr) return nullptr;
  const std::size_t mine = here(*q);
  if (void* elem = q->part[mine].take()) return elem;
  // The nearest first, where the shepherds are those that the queue was made for.
  const qthread_shepherd_id_t* near =
      weft::qt::the.is_running() && weft::qt::the.shepherds == q->count
          ? qthread_sorted_sheps_remote(static_cast<qthread_shepherd_id_t>(mine))
          : nullptr;
  for (std::size_t i = 0; i + 1 < q->count; ++i) {
    const std::size_t part = near != nullptr ? near[i] : (mine + i + 1) % q->count;
    if (void* elem = q->part[part].take()) return elem;
  }
  return nullptr;
}

int qdqueue_empty(qdqueue_t* q) {
  if (q == nullptr) return 1;
  for (std::size_t i = 0; i < q->count; ++i)
    if (!q->part[i].empty()) return 0;
  return 1;
}
