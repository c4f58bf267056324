/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code that may block in the kernel. */
#ifndef QTHREAD_IO_H
#define QTHREAD_IO_H

#include "macros.h"

Q_STARTCXX

/* Between the two the caller belongs to no shepherd (qthread_shep gives NO_SHEPHERD). They do nothing
 * before qthread_initialize and outside tasks. The worker waits with the caller; the calls of
 * qt_syscalls.h do not hold one. */
void qt_begin_blocking_action(void);
void qt_end_blocking_action(void);

Q_ENDCXX

#endif /* QTHREAD_IO_H */
