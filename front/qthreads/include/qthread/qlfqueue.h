/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A first-in first-out queue of pointers without locks. */
#ifndef QTHREAD_QLFQUEUE_H
#define QTHREAD_QLFQUEUE_H

#include "macros.h"

Q_STARTCXX

typedef struct qlfqueue_s qlfqueue_t;

qlfqueue_t *qlfqueue_create(void);
int qlfqueue_destroy(qlfqueue_t *q);
/* elem is not NULL. */
int qlfqueue_enqueue(qlfqueue_t *q, void *elem);
/* NULL: it is empty. */
void *qlfqueue_dequeue(qlfqueue_t *q);
int qlfqueue_empty(qlfqueue_t *q);

Q_ENDCXX

#endif /* QTHREAD_QLFQUEUE_H */
