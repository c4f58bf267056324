/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code that may block in the kernel. */
#ifndef QTHREAD_IO_H
#define QTHREAD_IO_H

#include "macros.h"

Q_STARTCXX

/* Between the two the caller belongs to no shepherd (qthread_shep gives NO_SHEPHERD). They do
 * nothing before qthread_initialize and outside tasks. Meanwhile the worker runs other tasks, but
 * that of the task that initialised, which waits with it; the calls of qt_syscalls.h never hold
 * one. */
void qt_begin_blocking_action(void);
void qt_end_blocking_action(void);

Q_ENDCXX

#endif /* QTHREAD_IO_H */
