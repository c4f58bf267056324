/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values that each task has of its own. */
#ifndef TLS_H
#define TLS_H

#include "macros.h"

Q_STARTCXX

typedef void **qthread_key_t;

/* As pthread_key_create and its like, with their return values. A value of a thread that is no task
 * is the thread's. A task's destructors run after its return value has been written: who reads that
 * may be earlier. */
int qthread_key_create(qthread_key_t *key, void (*destructor)(void *));
int qthread_key_delete(qthread_key_t key);
void *qthread_getspecific(qthread_key_t key);
int qthread_setspecific(qthread_key_t key, void const *value);

Q_ENDCXX

#endif /* TLS_H */
