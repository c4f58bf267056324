/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One of several things that weft_case_select waits for. */
#ifndef WEFT_CASE_H
#define WEFT_CASE_H

#include "weft/types.h"

/* What a case waits for. */
enum {
  WEFT_CASE_SEND = 1,    /* a channel takes the value */
  WEFT_CASE_RECEIVE = 2, /* a channel gives a value, or is closed */
  WEFT_CASE_DEADLINE = 3 /* a moment has come */
};

/* A case; made by weft_case_send and the like (weft/select.h). */
typedef struct weft_case {
  uint32_t kind;  /* a WEFT_CASE_* */
  int32_t result; /* out, for the case that was chosen: what the call for it alone would return */
  void *object;   /* what to wait for; NULL: this case is never ready */
  union {
    const void *from; /* send: the value */
    void *into;       /* receive: where it goes, or NULL */
  };
  int64_t argument;    /* deadline: absolute CLOCK_MONOTONIC nanoseconds */
  uint64_t opaque[16]; /* the runtime's, during the call; need not be set */
} weft_case_t;

#endif /* WEFT_CASE_H */
