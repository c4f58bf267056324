/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Channels: values go from one task or thread to another, as in Go. */
#ifndef WEFT_CHANNEL_H
#define WEFT_CHANNEL_H

#include "weft/types.h"

/* A channel. NULL may be used where a channel is sent to or received from: it is never ready, so
 * that the call waits for ever, or until its deadline. In the scope of a canceller (weft/cancel.h)
 * who would have to wait, or waits, gets -ECANCELED. */
typedef struct weft_channel *weft_channel_t;

/// Make a channel for values of one size, which are copied.
/// @param element_bytes  size of a value; 0: values say nothing but that they came
/// @param capacity       values that may lie in it; 0: each send waits for its receive
/// @param out            receives the channel
/// @return 0, -EINVAL (out is NULL), -ENOMEM
/// Context: any thread, before weft_start too.   Blocks: never.
/// Order:   none.
/// Owns:    release *out by weft_channel_destroy.
/// Source:  docs/design/0010-channels.md; as make(chan T, n) in Go.
WEFT_API int weft_channel_create(size_t element_bytes, size_t capacity, weft_channel_t *out);

/// Destroy a channel; values left in it are dropped. Nobody may use it any more, but the calls that
/// it has served already may still be on their way back.
/// @param channel  the channel, or NULL
/// @return 0, -EBUSY (somebody waits for it; nothing happened)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    the channel is released by a return of 0.
/// Source:  docs/design/0010-channels.md.
WEFT_API int weft_channel_destroy(weft_channel_t channel);

/// Send a value: to the first who waits for one, else into the buffer, else wait for a receiver.
/// @param channel  the channel
/// @param value    element_bytes bytes, read before the return; may be NULL if these are 0
/// @return 0, -EPIPE (the channel is closed: the value was not sent), -EPERM (a stackless task
///         would wait), -ECANCELED (weft/cancel.h), -ENOMEM (no stack for others to run on; nothing
///         happened)
/// Context: any thread, in a task or not, before weft_start too.   Blocks: until there is room.
/// Order:   what precedes the call happens-before the return of the receive that gets the value.
/// Owns:    the value is copied.
/// Source:  docs/design/0010-channels.md; as channel <- value in Go, which panics where this is
///          -EPIPE.
WEFT_API int weft_channel_send(weft_channel_t channel, const void *value) WEFT_MAY_PARK;

/// Send a value if that needs no waiting.
/// @param channel  the channel
/// @param value    as weft_channel_send
/// @return 0, -EPIPE (closed), -EBUSY (nobody waits for it and there is no room)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_channel_send.
/// Owns:    the value is copied.
/// Source:  as a send in a select with default in Go.
WEFT_API int weft_channel_try_send(weft_channel_t channel, const void *value);

/// Send a value, or give up at a deadline.
/// @param channel      the channel
/// @param value        as weft_channel_send
/// @param deadline_ns  absolute CLOCK_MONOTONIC; what has passed tries once
/// @return as weft_channel_send, or -ETIMEDOUT (the value was not sent)
/// Context: as weft_channel_send.   Blocks: until there is room, or the deadline.
/// Order:   as weft_channel_send.
/// Owns:    the value is copied.
/// Source:  docs/design/0010-channels.md.
WEFT_API int weft_channel_send_until(weft_channel_t channel, const void *value,
                                     int64_t deadline_ns) WEFT_MAY_PARK;

/// Receive the oldest value, or wait for one. What was sent before the close is still received:
/// `while (weft_channel_receive(c, &value) == 0)` gets all.
/// @param channel  the channel
/// @param value    receives element_bytes bytes; NULL: the value is dropped
/// @return 0, -EPIPE (closed, and nothing is left), -EPERM (a stackless task would wait),
///         -ECANCELED (weft/cancel.h), -ENOMEM (no stack for others to run on; nothing happened)
/// Context: any thread, in a task or not, before weft_start too.   Blocks: until there is a value.
/// Order:   what preceded the send happens-before the return; where the sender waited, what
///         precedes the call happens-before the return of that send. What preceded the close
///         happens-before -EPIPE.
/// Owns:    the value is copied.
/// Source:  docs/design/0010-channels.md; as value, ok := <-channel in Go.
WEFT_API int weft_channel_receive(weft_channel_t channel, void *value) WEFT_MAY_PARK;

/// Receive a value if one is there.
/// @param channel  the channel
/// @param value    as weft_channel_receive
/// @return 0, -EPIPE (closed, and nothing is left), -EBUSY (no value)
/// Context: any thread.   Blocks: never.
/// Order:   as weft_channel_receive.
/// Owns:    the value is copied.
/// Source:  as a receive in a select with default in Go.
WEFT_API int weft_channel_try_receive(weft_channel_t channel, void *value);

/// Receive a value, or give up at a deadline.
/// @param channel      the channel
/// @param value        as weft_channel_receive
/// @param deadline_ns  absolute CLOCK_MONOTONIC; what has passed tries once
/// @return as weft_channel_receive, or -ETIMEDOUT
/// Context: as weft_channel_receive.   Blocks: until there is a value, or the deadline.
/// Order:   as weft_channel_receive.
/// Owns:    the value is copied.
/// Source:  docs/design/0010-channels.md.
WEFT_API int weft_channel_receive_until(weft_channel_t channel, void *value,
                                        int64_t deadline_ns) WEFT_MAY_PARK;

/// Close a channel: no more sends. All who wait to send are refused, receivers get what is left.
/// @param channel  the channel
/// @return 0, -EINVAL (NULL), -EPIPE (it was closed before)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes the call happens-before each -EPIPE.
/// Owns:    nothing: a closed channel must still be destroyed.
/// Source:  as close in Go.
WEFT_API int weft_channel_close(weft_channel_t channel);

/// The number of values that lie in a channel's buffer.
/// @param channel  the channel, or NULL
/// @return 0 to weft_channel_capacity(channel); others may change it meanwhile
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as len in Go.
WEFT_API size_t weft_channel_length(weft_channel_t channel);

/// Whether somebody waits to send to a channel or to receive from it: then it cannot be destroyed.
/// Tasks that weft_stop has abandoned wait for ever.
/// @param channel  the channel, or NULL
/// @return 1 or 0; others may change it meanwhile
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0010-channels.md.
WEFT_API int weft_channel_is_waited_for(weft_channel_t channel);

/// The number of values that may lie in a channel's buffer.
/// @param channel  the channel, or NULL
/// @return what weft_channel_create was told; 0 for NULL
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as cap in Go.
WEFT_API size_t weft_channel_capacity(weft_channel_t channel);

#endif /* WEFT_CHANNEL_H */
