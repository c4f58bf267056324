/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One of several things that weft_case_select waits for. */
#ifndef WEFT_CASE_H
#define WEFT_CASE_H

#include "weft/types.h"

/* What a case waits for. */
enum {
  WEFT_CASE_SEND = 1,     /* a channel takes the value */
  WEFT_CASE_RECEIVE = 2,  /* a channel gives a value, or is closed */
  WEFT_CASE_DEADLINE = 3, /* a moment has come */
  WEFT_CASE_JOIN = 4,     /* a task has finished */
  WEFT_CASE_FUTURE = 5,   /* a future has its value or error */
  WEFT_CASE_SEMAPHORE = 6,
  WEFT_CASE_MUTEX = 7,
  WEFT_CASE_READ_FF = 8, /* a word is full */
  WEFT_CASE_READ_FE = 9,
  WEFT_CASE_WRITE_EF = 10, /* a word is empty */
  WEFT_CASE_FD = 11        /* a file descriptor is ready */
};

/* A case; made by weft_case_send and the like (weft/select.h). */
typedef struct weft_case {
  uint32_t kind;  /* a WEFT_CASE_* */
  int32_t result; /* out, for the case that was chosen: what the call for it alone would return */
  void *object;   /* what to wait for; NULL: this case is never ready */
  union {
    const void *from; /* send: the value */
    void *into;       /* where the value goes that comes; may be NULL */
  };
  int64_t argument;    /* deadline: absolute CLOCK_MONOTONIC nanoseconds; see weft/select.h */
  uint64_t opaque[20]; /* the runtime's, during the call; need not be set */
} weft_case_t;

#endif /* WEFT_CASE_H */
