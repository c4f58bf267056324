/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The size of a cache line. */
#ifndef QTHREAD_CACHELINE_H
#define QTHREAD_CACHELINE_H

#include "macros.h"

Q_STARTCXX

/* Bytes in a line of the first-level data cache; works before qthread_initialize. */
int qthread_cacheline(void);

Q_ENDCXX

#endif /* QTHREAD_CACHELINE_H */
