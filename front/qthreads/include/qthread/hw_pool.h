/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A set of OS threads that run one function together. */
#ifndef QTHREAD_HW_POOL_H
#define QTHREAD_HW_POOL_H

#include <stdint.h>

#include "macros.h"

Q_STARTCXX

typedef int (*qt_threadpool_func_type)(void *);

typedef enum {
  POOL_INIT_SUCCESS,
  POOL_INIT_ALREADY_INITIALIZED,
  POOL_INIT_NO_THREADS_SPECIFIED,
  POOL_INIT_OUT_OF_MEMORY,
  POOL_INIT_ERROR
} hw_pool_init_status;

/* There is one in the process. Init and destroy are for one thread at a time. */
hw_pool_init_status hw_pool_init(uint32_t num_threads);
void hw_pool_destroy(void);
/* func(arg) once on each of the threads; returns when all have returned. Not from one of them. */
void hw_pool_run_on_all(qt_threadpool_func_type func, void *arg);

Q_ENDCXX

#endif /* QTHREAD_HW_POOL_H */
