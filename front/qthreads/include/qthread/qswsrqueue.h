/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A bounded queue between one task that puts and one that takes. */
#ifndef QTHREAD_QSWSRQUEUE_H
#define QTHREAD_QSWSRQUEUE_H

#include <stddef.h>

#include "macros.h"

Q_STARTCXX

typedef struct qswsrqueue_s qswsrqueue_t;

/* Holds one less than the next multiple of 64 from elements on: 63 for 0, 3 or 64. NULL: no memory,
 * or elements is beyond 31 bits. */
qswsrqueue_t *qswsrqueue_create(size_t elements);
int qswsrqueue_destroy(qswsrqueue_t *q);
/* QTHREAD_OPFAIL: it is full. */
int qswsrqueue_enqueue(qswsrqueue_t *q, void *elem);
/* NULL: it is empty, or that was put. */
void *qswsrqueue_dequeue(qswsrqueue_t *q);
int qswsrqueue_enqueue_blocking(qswsrqueue_t *q, void *elem);
void *qswsrqueue_dequeue_blocking(qswsrqueue_t *q);
int qswsrqueue_empty(qswsrqueue_t *q);

Q_ENDCXX

#endif /* QTHREAD_QSWSRQUEUE_H */
