/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The older names of barriers. */
#ifndef QTHREAD_FEB_BARRIER_H
#define QTHREAD_FEB_BARRIER_H

#include "barrier.h"

Q_STARTCXX

typedef qt_barrier_t qt_feb_barrier_t;

qt_feb_barrier_t *qt_feb_barrier_create(size_t max_threads);
void qt_feb_barrier_enter(qt_feb_barrier_t *b);
void qt_feb_barrier_resize(qt_feb_barrier_t *b, size_t new_size);
void qt_feb_barrier_destroy(qt_feb_barrier_t *b);

/* As the manual calls them. */
#define qthread_feb_barrier_create(max_threads) qt_feb_barrier_create(max_threads)
#define qthread_feb_barrier_enter(b) qt_feb_barrier_enter(b)
#define qthread_feb_barrier_resize(b, new_size) qt_feb_barrier_resize(b, new_size)
#define qthread_feb_barrier_destroy(b) qt_feb_barrier_destroy(b)

Q_ENDCXX

#endif /* QTHREAD_FEB_BARRIER_H */
