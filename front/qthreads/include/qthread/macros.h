/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What every header here begins and ends its declarations with. */
#ifndef QTHREAD_MACROS_H
#define QTHREAD_MACROS_H

#ifdef __cplusplus
#define Q_STARTCXX extern "C" {
#define Q_ENDCXX }
#else
#define Q_STARTCXX
#define Q_ENDCXX
#endif

/* C++ has no restrict. */
#ifdef __cplusplus
#define QT_RESTRICT __restrict
#else
#define QT_RESTRICT restrict
#endif

#endif /* QTHREAD_MACROS_H */
