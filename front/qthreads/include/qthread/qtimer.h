/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Timers, by the monotonic clock; they work before qthread_initialize. */
#ifndef QTHREAD_TIMER
#define QTHREAD_TIMER

#include "macros.h"

Q_STARTCXX

typedef struct qtimer_s *qtimer_t;

/* From 0 to 2^31 - 1. */
unsigned long qtimer_fastrand(void);
double qtimer_wtime(void);
double qtimer_res(void);

qtimer_t qtimer_create(void);
void qtimer_destroy(qtimer_t t);
void qtimer_start(qtimer_t t);
void qtimer_stop(qtimer_t t);
double qtimer_secs(qtimer_t t);

Q_ENDCXX

#endif /* QTHREAD_TIMER */
