// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of qlfqueue.h.
#include "qlfqueue.hpp"

#include <new>
#include <qthread/qlfqueue.h>
#include <qthread/qthread.h>

struct qlfqueue_s {
  weft::qt::lf_queue queue;
};

qlfqueue_t* qlfqueue_create(void) {
  auto* q = new (std::nothrow) qlfqueue_s;
  if (q != nullptr && q->queue.begin()) return q;
  delete q;
  return nullptr;
}

int qlfqueue_destroy(qlfqueue_t* q) {
  delete q;
  return q != nullptr ? QTHREAD_SUCCESS : QTHREAD_BADARGS;
}

int qlfqueue_enqueue(qlfqueue_t* q, void* elem) {
  if (q == nullptr || elem == nullptr) return QTHREAD_BADARGS;
  return q->queue.put(elem) ? QTHREAD_SUCCESS : QTHREAD_MALLOC_ERROR;
}

void* qlfqueue_dequeue(qlfqueue_t* q) { return q != nullptr ? q->queue.take() : nullptr; }

int qlfqueue_empty(qlfqueue_t* q) { return q == nullptr || q->queue.empty() ? 1 : 0; }
