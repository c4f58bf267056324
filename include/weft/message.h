/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages: work without a stack that is sent to one worker and run there in turn, by priority. */
#ifndef WEFT_MESSAGE_H
#define WEFT_MESSAGE_H

#include "weft/types.h"

/* A message is memory of the sender's that begins with a weft_message_t, whose `fn` is set. Its
 * worker calls fn(message), and nothing runs on that worker meanwhile: a message is not stolen, and
 * it does not block (what would gives -EPERM). It may spawn, wake and send. So data that only
 * messages of one worker touch needs no lock.
 *
 * Of the messages that wait at a worker the most urgent goes first. Between two of them the worker
 * takes a task that was ready before, so neither keeps the other away. */
struct weft_message {
  weft_message_fn_t fn;
  uint64_t opaque[7]; /* the runtime's */
};

/* What follows from a priority. A bit vector is compared with others from its first bit on, missing
 * bits as 0, and the smallest goes first; an integer i is the vector of the 32 bits of i + 2^31; a
 * message without priority stands before all that the integer 0, the vector 1000..., and larger
 * ones have. Equal ones: a FIFO one behind all others, a LIFO one before them. */
typedef enum weft_message_order {
  WEFT_MESSAGE_FIFO = 0,      /* as CQS_QUEUEING_FIFO */
  WEFT_MESSAGE_LIFO = 1,      /* as CQS_QUEUEING_LIFO */
  WEFT_MESSAGE_INT_FIFO = 2,  /* as CQS_QUEUEING_IFIFO */
  WEFT_MESSAGE_INT_LIFO = 3,  /* as CQS_QUEUEING_ILIFO */
  WEFT_MESSAGE_BITS_FIFO = 4, /* as CQS_QUEUEING_BFIFO */
  WEFT_MESSAGE_BITS_LIFO = 5  /* as CQS_QUEUEING_BLIFO */
} weft_message_order_t;

/// Send a message without priority, first in, first out.
/// @param message  not in use; its fn is set
/// @param worker   0 to weft_worker_count() - 1, the caller's own too
/// @return 0, -EINVAL (message or its fn is NULL), -ENOMEM (of the first of a runtime), -ERANGE (no
///         such worker, or it is gone), -ENOTCONN (Weft does not run)
/// Context: any thread, in a task or not; not async-signal-safe.   Blocks: never.
/// Order:   what precedes the call happens-before fn, and each fn happens-before the next of that
///          worker.
/// Owns:    the message's memory is the runtime's until fn is called, and fn's from then on: to
///          free, keep or send again.
/// Source:  docs/design/0024-embedding.md; as CmiSyncSendAndFree, CsdEnqueue.
WEFT_API int weft_message_send(weft_message_t *message, uint32_t worker);

/// Send a message with a priority.
/// @param message   not in use; its fn is set
/// @param worker    0 to weft_worker_count() - 1, the caller's own too
/// @param order     what the priority is, and where among equal ones it stands
/// @param bits      of a vector, 0 to 65,536; else not looked at
/// @param priority  INT: one word, the bits of an int32_t, copied. BITS: (bits + 31) / 32 words,
///                  the first bit the highest of the first word; borrowed until fn is called, so it
///                  best lies in the message. Else not looked at
/// @return 0, -EINVAL (message or its fn is NULL, a bad order, priority is NULL where it is looked
///         at), -ENOMEM (of the first of a runtime), -ERANGE (no such worker, or it is gone; too
///         many bits), -ENOTCONN (Weft does not run)
/// Context: any thread, in a task or not; not async-signal-safe.   Blocks: never.
/// Order:   as weft_message_send.
/// Owns:    as weft_message_send.
/// Source:  docs/design/0024-embedding.md; as CqsEnqueueGeneral.
WEFT_API int weft_message_send_with(weft_message_t *message, uint32_t worker,
                                    weft_message_order_t order, uint32_t bits,
                                    const uint32_t *priority);

#endif /* WEFT_MESSAGE_H */
