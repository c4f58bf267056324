/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Select: wait for several things, take exactly one. */
#ifndef WEFT_SELECT_H
#define WEFT_SELECT_H

#include "weft/case.h"
#include "weft/channel.h"
#include "weft/lock.h"
#include "weft/sync.h"
#include "weft/types.h"

/* Of several ready cases each is as likely to be taken as the other, except that what becomes ready
 * while the call waits is taken as it comes. The objects of all cases must live until the call
 * returns. Only the case that is taken changes anything: a task named in another is not joined. In
 * the scope of a canceller (weft/cancel.h) who would have to wait, or waits, gets -ECANCELED. */

/// Wait until one of several cases is ready and take it.
/// @param cases  made by weft_case_send and the like; their `result` and `opaque` are written
/// @param count  how many; 0 waits for ever
/// @return the index of the case that was taken (see its `result`: 0, or what the call for it alone
///         would return, as -EPIPE for a closed channel), -EINVAL (cases is NULL, one is no case,
///         or more than INT_MAX), -EPERM (a stackless task would wait), -ECANCELED (weft/cancel.h),
///         -ENOMEM (nothing was taken)
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

/* Internal. */
#ifdef __cplusplus
#define WEFT_CASE_CAST(type, value) static_cast<type>(value)
#else
#define WEFT_CASE_CAST(type, value) ((type)(value))
#endif

/* Internal: what all functions below fill in. */
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

/// A case that sends a value, as weft_channel_send.
/// @param channel  the channel; NULL: the case is never ready
/// @param value    element_bytes bytes; may be NULL if these are 0
/// @return the case; its result, when it is taken, is 0 or -EPIPE (the channel is closed: the value
///         was not sent)
/// Context: any thread.   Blocks: never.
/// Order:   none but that of the select that takes it.
/// Owns:    channel and value are borrowed until the select returns.
/// Source:  docs/design/0010-channels.md; as a send in a select of Go.
static inline weft_case_t weft_case_send(weft_channel_t channel, const void *value) {
  weft_case_t c = weft_case_make(WEFT_CASE_SEND, channel, NULL, 0);
  c.from = value;
  return c;
}

/// A case that receives a value, as weft_channel_receive.
/// @param channel  the channel; NULL: the case is never ready
/// @param value    receives element_bytes bytes when the case is taken; may be NULL
/// @return the case; its result, when it is taken, is 0 or -EPIPE (closed, and nothing is left)
/// Context: any thread.   Blocks: never.
/// Order:   none but that of the select that takes it.
/// Owns:    channel and value are borrowed until the select returns.
/// Source:  docs/design/0010-channels.md; as a receive in a select of Go.
static inline weft_case_t weft_case_receive(weft_channel_t channel, void *value) {
  return weft_case_make(WEFT_CASE_RECEIVE, channel, value, 0);
}

/// A case that is ready from a moment on.
/// @param deadline_ns  absolute CLOCK_MONOTONIC, as weft_time_now_ns counts; INT64_MAX: never
/// @return the case; its result, when it is taken, is 0
/// Context: any thread.   Blocks: never.
/// Order:   none but that of the select that takes it.
/// Owns:    nothing.
/// Source:  docs/design/0009-time.md; as time.After in Go.
static inline weft_case_t weft_case_deadline(int64_t deadline_ns) {
  return weft_case_make(WEFT_CASE_DEADLINE, NULL, NULL, deadline_ns);
}

/// A case that joins a task, as weft_task_join, but never runs it on the caller's stack.
/// @param task    the task, not the caller itself, in one case of a select at most; NULL: the case
///         is never ready
/// @param result  receives what fn returned when the case is taken; may be NULL
/// @return the case; its result, when it is taken, is 0 or -ENOTCONN (as weft_task_join)
/// Context: any thread.   Blocks: never.
/// Order:   none but that of the select that takes it.
/// Owns:    result is borrowed until the select returns, task too; its handle is released if the
///          case is taken with a result of 0.
/// Source:  docs/design/0010-channels.md; as weft_task_join.
static inline weft_case_t weft_case_join(weft_task_t task, void **result) {
  return weft_case_make(WEFT_CASE_JOIN, task, result, 0);
}

/// A case that reads a future, as weft_future_get.
/// @param future  the future; NULL: the case is never ready
/// @param value   receives the value when the case is taken; may be NULL
/// @return the case; its result, when it is taken, is 0 or the error that was set
/// Context: any thread.   Blocks: never.
/// Order:   none but that of the select that takes it.
/// Owns:    future and value are borrowed until the select returns; the value as weft_future_get.
/// Source:  docs/design/0010-channels.md; as weft_future_get.
static inline weft_case_t weft_case_future(weft_future_t *future, void **value) {
  return weft_case_make(WEFT_CASE_FUTURE, future, value, 0);
}

/// A case that takes a unit of a semaphore, as weft_semaphore_wait.
/// @param semaphore  the semaphore; NULL: the case is never ready
/// @return the case; its result, when it is taken, is 0
/// Context: any thread.   Blocks: never.
/// Order:   none but that of the select that takes it.
/// Owns:    semaphore is borrowed until the select returns; the unit as weft_semaphore_wait, if the
///          case is taken.
/// Source:  docs/design/0010-channels.md; as weft_semaphore_wait.
static inline weft_case_t weft_case_semaphore(weft_semaphore_t *semaphore) {
  return weft_case_make(WEFT_CASE_SEMAPHORE, semaphore, NULL, 0);
}

/// A case that locks a mutex, as weft_mutex_lock.
/// @param mutex  the mutex; NULL: the case is never ready
/// @return the case; its result, when it is taken, is 0 or -EAGAIN (recursive, and locked too
///         often)
/// Context: any thread.   Blocks: never.
/// Order:   none but that of the select that takes it.
/// Owns:    mutex is borrowed until the select returns; it is the caller's until weft_mutex_unlock,
///          if the case is taken with a result of 0.
/// Source:  docs/design/0010-channels.md; as weft_mutex_lock.
static inline weft_case_t weft_case_mutex(weft_mutex_t *mutex) {
  return weft_case_make(WEFT_CASE_MUTEX, mutex, NULL, 0);
}

/// A case that reads a full word, as weft_word_read_ff.
/// @param word  the word; NULL: the case is never ready
/// @param into  receives the value when the case is taken; may be NULL or the word itself, which
///         stays as it is
/// @return the case; its result, when it is taken, is 0 or -ENOMEM (no memory). Where word is
///         misaligned the select gives -EINVAL
/// Context: any thread.   Blocks: never.
/// Order:   none but that of the select that takes it.
/// Owns:    word and into are borrowed until the select returns.
/// Source:  docs/design/0011-full-empty.md; as weft_word_read_ff.
static inline weft_case_t weft_case_read_ff(uint64_t *word, uint64_t *into) {
  return weft_case_make(WEFT_CASE_READ_FF, word, into, 0);
}

/// A case that reads a full word and empties it, as weft_word_read_fe.
/// @param word  the word; NULL: the case is never ready
/// @param into  receives the value when the case is taken; may be NULL or the word itself, which
///         stays as it is
/// @return the case; its result, when it is taken, is 0 or -ENOMEM (no memory). Where word is
///         misaligned the select gives -EINVAL
/// Context: any thread.   Blocks: never.
/// Order:   none but that of the select that takes it.
/// Owns:    word and into are borrowed until the select returns.
/// Source:  docs/design/0011-full-empty.md; as weft_word_read_fe.
static inline weft_case_t weft_case_read_fe(uint64_t *word, uint64_t *into) {
  return weft_case_make(WEFT_CASE_READ_FE, word, into, 0);
}

/// A case that writes an empty word and fills it, as weft_word_write_ef.
/// @param word   the word; NULL: the case is never ready
/// @param value  what to write when the case is taken
/// @return the case; its result, when it is taken, is 0 or -ENOMEM (no memory). Where word is
///         misaligned the select gives -EINVAL
/// Context: any thread.   Blocks: never.
/// Order:   none but that of the select that takes it.
/// Owns:    word is borrowed until the select returns.
/// Source:  docs/design/0011-full-empty.md; as weft_word_write_ef.
static inline weft_case_t weft_case_write_ef(uint64_t *word, uint64_t value) {
  return weft_case_make(WEFT_CASE_WRITE_EF, word, NULL, WEFT_CASE_CAST(int64_t, value));
}

/// A case that waits for a descriptor, as weft_fd_wait.
/// @param fd      the descriptor
/// @param events  what to wait for, as there; where it is 0 or unknown the select gives -EINVAL
/// @return the case; its result, when it is taken, are the events that came (above 0), or -EBADF,
///         -ENOMEM, -EMFILE, -ENFILE, -EAGAIN as weft_fd_wait, or -ENOTCONN (a thread outside a
///         task would have to wait for it: weft_case_try_select alone is for those)
/// Context: any thread.   Blocks: never.
/// Order:   none but that of the select that takes it.
/// Owns:    the descriptor stays the caller's.
/// Source:  docs/design/0012-fd.md; as weft_fd_wait.
static inline weft_case_t weft_case_fd(int fd, int events) {
  const uint64_t argument = WEFT_CASE_CAST(uint64_t, WEFT_CASE_CAST(uint32_t, events)) << 32 |
                            WEFT_CASE_CAST(uint32_t, fd);
  return weft_case_make(WEFT_CASE_FD, NULL, NULL, WEFT_CASE_CAST(int64_t, argument));
}

#undef WEFT_CASE_CAST

#endif /* WEFT_SELECT_H */
