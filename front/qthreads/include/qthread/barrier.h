/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Barriers for a number of tasks. */
#ifndef QTHREAD_LOG_BARRIER_H
#define QTHREAD_LOG_BARRIER_H

#include <stddef.h>

#include "macros.h"
#include "qthread.h"

Q_STARTCXX

typedef enum { REGION_BARRIER, LOOP_BARRIER } qt_barrier_btype;
typedef enum { UPLOCK, DOWNLOCK, BOTHLOCKS } qt_barrier_dtype;

typedef struct qt_barrier_s qt_barrier_t;

/* Both types are the same barrier. One for 0 lets all through until it has been given a size. NULL:
 * no memory, or max_threads is beyond 32 bits. */
qt_barrier_t *qt_barrier_create(size_t max_threads, qt_barrier_btype type);
void qt_barrier_enter(qt_barrier_t *b);
/* The id is not needed: whoever enters counts as one. */
void qt_barrier_enter_id(qt_barrier_t *b, size_t id);
void qt_barrier_destroy(qt_barrier_t *b);
/* Nobody is inside. */
void qt_barrier_resize(qt_barrier_t *b, size_t size);
/* Writes a line to standard error. */
void qt_barrier_dump(qt_barrier_t *b, qt_barrier_dtype dt);

/* A barrier of the calling task's own, or of the thread's outside tasks; at first NULL. */
qt_barrier_t *qt_get_barrier(void);
void qt_set_barrier(qt_barrier_t *b);

Q_ENDCXX

#endif /* QTHREAD_LOG_BARRIER_H */
