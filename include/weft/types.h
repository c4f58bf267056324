/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The types, constants and markers that every part of the C API shares. */
#ifndef WEFT_TYPES_H
#define WEFT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define WEFT_EXTERN extern "C"
#else
#define WEFT_EXTERN extern
#endif

/* Marks a function of the public, versioned interface. */
#define WEFT_API WEFT_EXTERN __attribute__((visibility("default")))

/* Marks a function in which a task may park: it may return on another OS thread, so the address of
 * a thread_local variable and of errno must not be kept across it (unless the task is sticky). */
#define WEFT_MAY_PARK

/* What a task runs. The result reaches the joiner. The function must not be left by longjmp. */
typedef void *(*weft_fn_t)(void *arg);

/* A task. Valid from the spawn to the one join or detach that releases it. */
typedef struct weft_task *weft_task_t;

/* Where a task may run: a worker's number, a shepherd, or anywhere (the scheduler chooses). */
#define WEFT_ANYWHERE UINT32_MAX
#define WEFT_SHEPHERD(number) (UINT32_C(0x80000000) | (uint32_t)(number))

#endif /* WEFT_TYPES_H */
