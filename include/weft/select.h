/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Select: wait for several things, take exactly one. */
#ifndef WEFT_SELECT_H
#define WEFT_SELECT_H

#include "weft/case.h"
#include "weft/channel.h"
#include "weft/types.h"

/* Of several ready cases each is as likely to be taken as the other. The objects of all cases must live
 * until the call returns. */

/// Wait until one of several cases is ready and take it.
/// @param cases  made by weft_case_send and the like; their `result` and `opaque` are written
/// @param count  how many; 0 waits for ever
/// @return the index of the case that was taken (see its `result`: 0, or what the call for it alone
///         would return, as -EPIPE for a closed channel), -EINVAL (cases is NULL, an unknown kind, or
///         more than INT_MAX cases), -EPERM (a stackless task would wait), -ENOMEM (nothing was taken)
/// Context: any thread, in a task or not, before weft_start too.   Blocks: until a case is ready.
/// Order:   as the call for the taken case alone.
/// Owns:    the cases are borrowed during the call, with what they name.
/// Source:  docs/design/0010-channels.md; as select in Go.
WEFT_API int weft_case_select(weft_case_t *cases, size_t count) WEFT_MAY_PARK;

/// Take one of several cases if one is ready.
/// @param cases  as weft_case_select
/// @param count  how many
/// @return as weft_case_select, or -EBUSY (none is ready)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_case_select.
/// Owns:    as weft_case_select.
/// Source:  as select with default in Go.
WEFT_API int weft_case_try_select(weft_case_t *cases, size_t count);

/// Wait until one of several cases is ready, or give up at a deadline.
/// @param cases        as weft_case_select
/// @param count        how many; 0 waits until the deadline
/// @param deadline_ns  absolute CLOCK_MONOTONIC; what has passed tries once
/// @return as weft_case_select, or -ETIMEDOUT (nothing was taken)
/// Context: as weft_case_select.   Blocks: until a case is ready, or the deadline.
/// Order:   as weft_case_select.
/// Owns:    as weft_case_select.
/// Source:  docs/design/0010-channels.md.
WEFT_API int weft_case_select_until(weft_case_t *cases, size_t count,
                                    int64_t deadline_ns) WEFT_MAY_PARK;

static inline weft_case_t weft_case_make(uint32_t kind, void *object, void *into,
                                         int64_t argument) {
  weft_case_t c;
  c.kind = kind;
  c.result = 0;
  c.object = object;
  c.into = into;
  c.argument = argument;
  return c;
}

/* Sends *value, as weft_channel_send. */
static inline weft_case_t weft_case_send(weft_channel_t channel, const void *value) {
  weft_case_t c = weft_case_make(WEFT_CASE_SEND, channel, NULL, 0);
  c.from = value;
  return c;
}

/* Receives into *value, as weft_channel_receive. */
static inline weft_case_t weft_case_receive(weft_channel_t channel, void *value) {
  return weft_case_make(WEFT_CASE_RECEIVE, channel, value, 0);
}

/* Is ready from that moment on (absolute CLOCK_MONOTONIC). */
static inline weft_case_t weft_case_deadline(int64_t deadline_ns) {
  return weft_case_make(WEFT_CASE_DEADLINE, NULL, NULL, deadline_ns);
}

#endif /* WEFT_SELECT_H */
