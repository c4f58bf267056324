/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Full/empty bits: every aligned 8-byte word is full or empty, and tasks wait for either. */
#ifndef WEFT_WORD_H
#define WEFT_WORD_H

#include "weft/task.h"

/* Any 8-byte word whose address is a multiple of 8 has a state, full at first. It costs nothing
 * while the word is full and about 20 bytes while it is empty (less where neighbours are, too). The
 * state belongs to the address and outlives what lies there: leave words full in memory that is
 * used again for something else. (The table forgets words whose memory was unmapped when it is
 * short of room, and not before. In the child of a fork all are full.) The program may read and
 * write a word by itself where nobody else can at that time. A task that still waits when weft_stop
 * has run waits no more.
 *
 *   name      waits until the word is   then                     and leaves it
 *   read_ff   full                      reads                    full
 *   read_fe   full                      reads                    empty
 *   write_ef  empty                     writes                   full
 *   write_ff  full                      writes                   full
 *   write_f   -                         writes                   full
 *   read_xx   -                         reads                    as it is
 *
 * Whoever fills a word serves those who wait for that: each write_ff in the order in which they
 * came, then each read_ff, then the first read_fe, which leaves the word empty. Whoever empties one
 * serves the first write_ef. An operation that changes the state acquires and releases, one that
 * reads acquires. The try forms give -EBUSY where the plain ones would wait, the until forms
 * -ETIMEDOUT at a deadline (as weft_time_now_ns counts), and all that wait -ECANCELED in the scope
 * of a canceller (weft/cancel.h). */

/// Whether a word is full.
/// @param word  the word
/// @return 1 (full), 0 (empty), -EINVAL (NULL or misaligned)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   none, because it may have changed already.
/// Owns:    nothing.
/// Source:  docs/design/0011-full-empty.md; as qthread_feb_status.
WEFT_API int weft_word_status(const uint64_t *word);

/// Empty a word and keep its value. If a write_ef waits, the first of them fills the word at once.
/// @param word  the word
/// @return 0, -EINVAL (NULL or misaligned), -ENOMEM (nothing happened)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  docs/design/0011-full-empty.md; as qthread_empty.
WEFT_API int weft_word_empty(uint64_t *word);

/// Fill a word with the value it has.
/// @param word  the word
/// @return 0, -EINVAL (NULL or misaligned), -ENOMEM (nothing happened)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as qthread_fill.
WEFT_API int weft_word_fill(uint64_t *word);

/// Write 0 and empty.
/// @param word  the word
/// @return 0, -EINVAL (NULL or misaligned), -ENOMEM (nothing happened)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as qthread_purge.
WEFT_API int weft_word_purge(uint64_t *word);

/// Write a value and empty. If a write_ef waits, its value takes the place of this one.
/// @param word   the word
/// @param value  what an empty word is to hold
/// @return 0, -EINVAL (NULL or misaligned), -ENOMEM (nothing happened)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as qthread_purge_to.
WEFT_API int weft_word_purge_to(uint64_t *word, uint64_t value);

/// Write and fill, whatever the state.
/// @param word   the word
/// @param value  what to write
/// @return 0, -EINVAL (NULL or misaligned), -ENOMEM (nothing happened)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as qthread_writeF.
WEFT_API int weft_word_write_f(uint64_t *word, uint64_t value);

/// Read, whatever the state.
/// @param word  the word
/// @param out   receives the value; may be NULL
/// @return 0, -EINVAL (NULL or misaligned)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what preceded the write that is read happens-before the return.
/// Owns:    nothing.
/// Source:  as qthread_readXX.
WEFT_API int weft_word_read_xx(const uint64_t *word, uint64_t *out);

/// Read a full word.
/// @param word  the word
/// @param out   receives the value; may be NULL or the word itself, which stays as it is
/// @return 0, -EINVAL (NULL or misaligned), -EPERM (it must wait, and the caller is stackless),
///         -ECANCELED (weft/cancel.h), -ENOMEM (no memory, or no stack; nothing happened)
/// Context: any thread, before the start too.   Blocks: until the word is full.
/// Order:   what preceded the fill happens-before the return.
/// Owns:    nothing.
/// Source:  docs/design/0011-full-empty.md; as qthread_readFF.
WEFT_API int weft_word_read_ff(const uint64_t *word, uint64_t *out) WEFT_MAY_PARK;

/// The same if the word is full now.
/// @param word  the word
/// @param out   receives the value; may be NULL or the word itself, which stays as it is
/// @return 0, -EBUSY (it is not), -EINVAL (NULL or misaligned), -ENOMEM
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what preceded the fill happens-before the return.
/// Owns:    nothing.
/// Source:  as weft_word_read_ff.
WEFT_API int weft_word_try_read_ff(const uint64_t *word, uint64_t *out);

/// The same until a deadline.
/// @param word         the word
/// @param out          receives the value; may be NULL or the word itself, which stays as it is
/// @param deadline_ns  absolute, as weft_time_now_ns counts
/// @return 0, -ETIMEDOUT (it was not until then; nothing happened), and as weft_word_read_ff
/// Context: any thread, before the start too.   Blocks: until the word is full, or the deadline.
/// Order:   what preceded the fill happens-before the return.
/// Owns:    nothing.
/// Source:  as weft_word_read_ff.
WEFT_API int weft_word_read_ff_until(const uint64_t *word, uint64_t *out,
                                     int64_t deadline_ns) WEFT_MAY_PARK;

/// Read a full word and empty it.
/// @param word  the word
/// @param out   receives the value; may be NULL or the word itself, which stays as it is
/// @return 0, -EINVAL (NULL or misaligned), -EPERM (it must wait, and the caller is stackless),
///         -ECANCELED (weft/cancel.h), -ENOMEM (no memory, or no stack; nothing happened)
/// Context: any thread, before the start too.   Blocks: until the word is full.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  docs/design/0011-full-empty.md; as qthread_readFE.
WEFT_API int weft_word_read_fe(uint64_t *word, uint64_t *out) WEFT_MAY_PARK;

/// The same if the word is full now.
/// @param word  the word
/// @param out   receives the value; may be NULL or the word itself, which stays as it is
/// @return 0, -EBUSY (it is not), -EINVAL (NULL or misaligned), -ENOMEM
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as weft_word_read_fe.
WEFT_API int weft_word_try_read_fe(uint64_t *word, uint64_t *out);

/// The same until a deadline.
/// @param word         the word
/// @param out          receives the value; may be NULL or the word itself, which stays as it is
/// @param deadline_ns  absolute, as weft_time_now_ns counts
/// @return 0, -ETIMEDOUT (it was not until then; nothing happened), and as weft_word_read_fe
/// Context: any thread, before the start too.   Blocks: until the word is full, or the deadline.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as weft_word_read_fe.
WEFT_API int weft_word_read_fe_until(uint64_t *word, uint64_t *out,
                                     int64_t deadline_ns) WEFT_MAY_PARK;

/// Write an empty word and fill it.
/// @param word   the word
/// @param value  what to write
/// @return 0, -EINVAL (NULL or misaligned), -EPERM (it must wait, and the caller is stackless),
///         -ECANCELED (weft/cancel.h), -ENOMEM (no memory, or no stack; nothing happened)
/// Context: any thread, before the start too.   Blocks: until the word is empty.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  docs/design/0011-full-empty.md; as qthread_writeEF.
WEFT_API int weft_word_write_ef(uint64_t *word, uint64_t value) WEFT_MAY_PARK;

/// The same if the word is empty now.
/// @param word   the word
/// @param value  what to write
/// @return 0, -EBUSY (it is not), -EINVAL (NULL or misaligned), -ENOMEM
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as weft_word_write_ef.
WEFT_API int weft_word_try_write_ef(uint64_t *word, uint64_t value);

/// The same until a deadline.
/// @param word         the word
/// @param value        what to write
/// @param deadline_ns  absolute, as weft_time_now_ns counts
/// @return 0, -ETIMEDOUT (it was not until then; nothing happened), and as weft_word_write_ef
/// Context: any thread, before the start too.   Blocks: until the word is empty, or the deadline.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as weft_word_write_ef.
WEFT_API int weft_word_write_ef_until(uint64_t *word, uint64_t value,
                                      int64_t deadline_ns) WEFT_MAY_PARK;

/// Write a full word.
/// @param word   the word
/// @param value  what to write
/// @return 0, -EINVAL (NULL or misaligned), -EPERM (it must wait, and the caller is stackless),
///         -ECANCELED (weft/cancel.h), -ENOMEM (no memory, or no stack; nothing happened)
/// Context: any thread, before the start too.   Blocks: until the word is full.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  docs/design/0011-full-empty.md; as qthread_writeFF.
WEFT_API int weft_word_write_ff(uint64_t *word, uint64_t value) WEFT_MAY_PARK;

/// The same if the word is full now.
/// @param word   the word
/// @param value  what to write
/// @return 0, -EBUSY (it is not), -EINVAL (NULL or misaligned), -ENOMEM
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as weft_word_write_ff.
WEFT_API int weft_word_try_write_ff(uint64_t *word, uint64_t value);

/// The same until a deadline.
/// @param word         the word
/// @param value        what to write
/// @param deadline_ns  absolute, as weft_time_now_ns counts
/// @return 0, -ETIMEDOUT (it was not until then; nothing happened), and as weft_word_write_ff
/// Context: any thread, before the start too.   Blocks: until the word is full, or the deadline.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as weft_word_write_ff.
WEFT_API int weft_word_write_ff_until(uint64_t *word, uint64_t value,
                                      int64_t deadline_ns) WEFT_MAY_PARK;

/* A word with its state in itself: 60 bits of data, 4 of state. Faster than any word while nobody
 * waits, and without memory of its own. Plain memory that starts as one of these; its users are the
 * functions below alone. The layout is that of Qthreads' syncvar_t: data << 4 | empty << 2 |
 * waiters << 1. */
typedef struct weft_syncvar {
  uint64_t bits;
} weft_syncvar_t;

#define WEFT_SYNCVAR_INIT {0}
#define WEFT_SYNCVAR_INIT_EMPTY {4}
#define WEFT_SYNCVAR_INIT_TO(value) {(uint64_t)(value) << 4}
/* The largest value. */
#define WEFT_SYNCVAR_MAX ((UINT64_C(1) << 60) - 1)

/// Whether a syncvar is full.
/// @param syncvar  the variable
/// @return 1 (full), 0 (empty), -EINVAL (NULL or misaligned)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   none, because it may have changed already.
/// Owns:    nothing.
/// Source:  as qthread_syncvar_status.
WEFT_API int weft_syncvar_status(const weft_syncvar_t *syncvar);

/// Empty a syncvar and keep its value. If a write_ef waits, the first of them fills it at once.
/// @param syncvar  the variable
/// @return 0, -EINVAL (NULL or misaligned), -ENOMEM (nothing happened)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as qthread_syncvar_empty.
WEFT_API int weft_syncvar_empty(weft_syncvar_t *syncvar);

/// Fill a syncvar with the value it has.
/// @param syncvar  the variable
/// @return 0, -EINVAL (NULL or misaligned), -ENOMEM (nothing happened)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as qthread_syncvar_fill.
WEFT_API int weft_syncvar_fill(weft_syncvar_t *syncvar);

/// Write and fill, whatever the state.
/// @param syncvar  the variable
/// @param value    what to write, at most WEFT_SYNCVAR_MAX
/// @return 0, -EINVAL (NULL or misaligned), -EOVERFLOW (value), -ENOMEM (nothing happened)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as qthread_syncvar_writeF.
WEFT_API int weft_syncvar_write_f(weft_syncvar_t *syncvar, uint64_t value);

/// Add and fill, whatever the state, in one step.
/// @param syncvar    the variable
/// @param increment  what to add, modulo WEFT_SYNCVAR_MAX + 1: UINT64_MAX takes one away
/// @param out        receives the sum; may be NULL
/// @return 0, -EINVAL (NULL or misaligned), -ENOMEM (nothing happened)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as qthread_syncvar_incrF.
WEFT_API int weft_syncvar_add_f(weft_syncvar_t *syncvar, uint64_t increment, uint64_t *out);

/// Read, whatever the state.
/// @param syncvar  the variable
/// @param out      receives the value; may be NULL
/// @return 0, -EINVAL (NULL or misaligned)
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what preceded the write that is read happens-before the return.
/// Owns:    nothing.
/// Source:  as weft_word_read_xx.
WEFT_API int weft_syncvar_read_xx(const weft_syncvar_t *syncvar, uint64_t *out);

/// Read a full word.
/// @param syncvar  the variable
/// @param out      receives the value; may be NULL
/// @return 0, -EINVAL (NULL or misaligned), -EPERM (it must wait, and the caller is stackless),
///         -ECANCELED (weft/cancel.h), -ENOMEM (no memory, or no stack; nothing happened)
/// Context: any thread, before the start too.   Blocks: until the syncvar is full.
/// Order:   what preceded the fill happens-before the return.
/// Owns:    nothing.
/// Source:  docs/design/0011-full-empty.md; as qthread_syncvar_readFF.
WEFT_API int weft_syncvar_read_ff(const weft_syncvar_t *syncvar, uint64_t *out) WEFT_MAY_PARK;

/// The same if the syncvar is full now.
/// @param syncvar  the variable
/// @param out      receives the value; may be NULL
/// @return 0, -EBUSY (it is not), -EINVAL (NULL or misaligned), -ENOMEM
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what preceded the fill happens-before the return.
/// Owns:    nothing.
/// Source:  as weft_syncvar_read_ff.
WEFT_API int weft_syncvar_try_read_ff(const weft_syncvar_t *syncvar, uint64_t *out);

/// The same until a deadline.
/// @param syncvar      the variable
/// @param out          receives the value; may be NULL
/// @param deadline_ns  absolute, as weft_time_now_ns counts
/// @return 0, -ETIMEDOUT (it was not until then; nothing happened), and as weft_syncvar_read_ff
/// Context: any thread, before the start too.   Blocks: until the syncvar is full, or the deadline.
/// Order:   what preceded the fill happens-before the return.
/// Owns:    nothing.
/// Source:  as weft_syncvar_read_ff.
WEFT_API int weft_syncvar_read_ff_until(const weft_syncvar_t *syncvar, uint64_t *out,
                                        int64_t deadline_ns) WEFT_MAY_PARK;

/// Read a full word and empty it.
/// @param syncvar  the variable
/// @param out      receives the value; may be NULL
/// @return 0, -EINVAL (NULL or misaligned), -EPERM (it must wait, and the caller is stackless),
///         -ECANCELED (weft/cancel.h), -ENOMEM (no memory, or no stack; nothing happened)
/// Context: any thread, before the start too.   Blocks: until the syncvar is full.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  docs/design/0011-full-empty.md; as qthread_syncvar_readFE.
WEFT_API int weft_syncvar_read_fe(weft_syncvar_t *syncvar, uint64_t *out) WEFT_MAY_PARK;

/// The same if the syncvar is full now.
/// @param syncvar  the variable
/// @param out      receives the value; may be NULL
/// @return 0, -EBUSY (it is not), -EINVAL (NULL or misaligned), -ENOMEM
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as weft_syncvar_read_fe.
WEFT_API int weft_syncvar_try_read_fe(weft_syncvar_t *syncvar, uint64_t *out);

/// The same until a deadline.
/// @param syncvar      the variable
/// @param out          receives the value; may be NULL
/// @param deadline_ns  absolute, as weft_time_now_ns counts
/// @return 0, -ETIMEDOUT (it was not until then; nothing happened), and as weft_syncvar_read_fe
/// Context: any thread, before the start too.   Blocks: until the syncvar is full, or the deadline.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as weft_syncvar_read_fe.
WEFT_API int weft_syncvar_read_fe_until(weft_syncvar_t *syncvar, uint64_t *out,
                                        int64_t deadline_ns) WEFT_MAY_PARK;

/// Write an empty word and fill it.
/// @param syncvar  the variable
/// @param value    what to write
/// @return 0, -EINVAL (NULL or misaligned), -EOVERFLOW (value), -EPERM (it must wait, and the
///         caller is stackless), -ECANCELED (weft/cancel.h), -ENOMEM (no memory, or no stack;
///         nothing happened)
/// Context: any thread, before the start too.   Blocks: until the syncvar is empty.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  docs/design/0011-full-empty.md; as qthread_syncvar_writeEF.
WEFT_API int weft_syncvar_write_ef(weft_syncvar_t *syncvar, uint64_t value) WEFT_MAY_PARK;

/// The same if the syncvar is empty now.
/// @param syncvar  the variable
/// @param value    what to write
/// @return 0, -EBUSY (it is not), -EINVAL (NULL or misaligned), -EOVERFLOW (value), -ENOMEM
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as weft_syncvar_write_ef.
WEFT_API int weft_syncvar_try_write_ef(weft_syncvar_t *syncvar, uint64_t value);

/// The same until a deadline.
/// @param syncvar      the variable
/// @param value        what to write
/// @param deadline_ns  absolute, as weft_time_now_ns counts
/// @return 0, -ETIMEDOUT (it was not until then; nothing happened), and as weft_syncvar_write_ef
/// Context: any thread, before the start too.   Blocks: until the syncvar is empty, or the
///          deadline.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as weft_syncvar_write_ef.
WEFT_API int weft_syncvar_write_ef_until(weft_syncvar_t *syncvar, uint64_t value,
                                         int64_t deadline_ns) WEFT_MAY_PARK;

/// Write a full word.
/// @param syncvar  the variable
/// @param value    what to write
/// @return 0, -EINVAL (NULL or misaligned), -EOVERFLOW (value), -EPERM (it must wait, and the
///         caller is stackless), -ECANCELED (weft/cancel.h), -ENOMEM (no memory, or no stack;
///         nothing happened)
/// Context: any thread, before the start too.   Blocks: until the syncvar is full.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  docs/design/0011-full-empty.md; as qthread_syncvar_writeFF.
WEFT_API int weft_syncvar_write_ff(weft_syncvar_t *syncvar, uint64_t value) WEFT_MAY_PARK;

/// The same if the syncvar is full now.
/// @param syncvar  the variable
/// @param value    what to write
/// @return 0, -EBUSY (it is not), -EINVAL (NULL or misaligned), -EOVERFLOW (value), -ENOMEM
/// Context: any thread, before the start too.   Blocks: never.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as weft_syncvar_write_ff.
WEFT_API int weft_syncvar_try_write_ff(weft_syncvar_t *syncvar, uint64_t value);

/// The same until a deadline.
/// @param syncvar      the variable
/// @param value        what to write
/// @param deadline_ns  absolute, as weft_time_now_ns counts
/// @return 0, -ETIMEDOUT (it was not until then; nothing happened), and as weft_syncvar_write_ff
/// Context: any thread, before the start too.   Blocks: until the syncvar is full, or the deadline.
/// Order:   what precedes the call happens-before what follows a call that sees its effect.
/// Owns:    nothing.
/// Source:  as weft_syncvar_write_ff.
WEFT_API int weft_syncvar_write_ff_until(weft_syncvar_t *syncvar, uint64_t value,
                                         int64_t deadline_ns) WEFT_MAY_PARK;

/// Spawn a task that starts when words are full. They are looked at one after the other: each must
/// be full once, not all at the same time. Until then the task costs its descriptor and a note of
/// them.
/// @param fn     what to run; not NULL
/// @param arg    passed to fn, or copied first (spawn->copy_bytes)
/// @param spawn  how, borrowed during the call; NULL: as weft_task_spawn. Not WORK_FIRST.
/// @param words  borrowed during the call; the words themselves until fn starts
/// @param count  how many; 0 is allowed
/// @param out    receives the handle; NULL detaches the task
/// @return 0, and as weft_task_spawn_with; -EINVAL also: WORK_FIRST, a word NULL or misaligned
/// Context: any thread, in a task or not; not async-signal-safe.   Blocks: never.
/// Order:   what preceded the call, and the fills, happens-before fn.
/// Owns:    as weft_task_spawn. A task whose words are never filled is lost at weft_stop.
/// Source:  docs/design/0011-full-empty.md; as qthread_spawn with npreconds.
WEFT_API int weft_task_spawn_when(weft_fn_t fn, void *arg, const weft_spawn_t *spawn,
                                  const uint64_t *const *words, size_t count, weft_task_t *out);

#endif /* WEFT_WORD_H */
