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

/* A pool of ready tasks that the program made (weft/pool.h), and a scheduler that takes from pools.
 */
typedef uint32_t weft_pool_t;
typedef struct weft_scheduler *weft_scheduler_t;

/* Work without a stack that is sent to a worker (weft/message.h). */
typedef struct weft_message weft_message_t;
typedef void (*weft_message_fn_t)(weft_message_t *message);

/* A task that a worker could take next, for the admission test of a pool
 * (weft_pool_config_t.admit). */
typedef struct weft_candidate {
  size_t size;      /* of this struct */
  weft_task_t task; /* to compare; nothing may be asked of it */
  void *arg;        /* what it was spawned with, or the copy; NULL once it has begun */
  void *record;     /* once it has begun: what weft_task_set_record said */
  uint32_t worker;  /* who would take it */
  uint32_t from;    /* the worker in whose deque it lies; WEFT_ANYWHERE: it came from outside */
  int begun;        /* whether it ran before, and is ready again */
} weft_candidate_t;

/* Where a task may run: a worker's number, a shepherd, a weft_pool_t, or anywhere (the scheduler
 * chooses). */
#define WEFT_ANYWHERE UINT32_MAX
#define WEFT_SHEPHERD(number) (UINT32_C(0x80000000) | (uint32_t)(number))

#endif /* WEFT_TYPES_H */
