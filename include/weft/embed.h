/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For runtimes that stand on Weft: a record of their own for each task, and tasks whose end fills a word. */
#ifndef WEFT_EMBED_H
#define WEFT_EMBED_H

#include "weft/task.h"

/// Keep a pointer with the caller's task, for whoever made the task; weft_task_record gives it back.
/// There is one in a task, so a record that several libraries may meet begins with a mark of its owner.
/// @param record  any pointer into user memory
/// @return 0, -EPERM (outside a task)
/// Context: a task.   Blocks: never.
/// Order:   none.
/// Owns:    the record stays the caller's; it is forgotten at the task's end.
/// Source:  docs/design/0017-qthreads.md; unlike weft_slot_set it costs no memory.
WEFT_API int weft_task_set_record(void *record);

/// The pointer that the caller's task was given.
/// @return the record, or NULL: none was set, or outside a task
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0017-qthreads.md.
WEFT_API void *weft_task_record(void);

/* What names the task that will fill a word. Plain memory; from the spawn to weft_word_produce it is the
 * runtime's. */
typedef struct weft_producer {
  uint64_t opaque[16];
} weft_producer_t;

/// Empty a word and spawn a task that will fill it by weft_word_produce. Who waits to read the word, and
/// finds the task unstarted in its own queue, runs it next: a read of the word is a join that a third
/// party may end. Nobody can join the task otherwise.
/// @param fn        what to run; not NULL; it calls weft_word_produce once
/// @param arg       passed to fn, or copied first (spawn->copy_bytes)
/// @param spawn     how, borrowed during the call; NULL: as weft_task_spawn. Not WORK_FIRST.
/// @param word      emptied before the task can run
/// @param producer  not in use
/// @return 0, and as weft_task_spawn_with; -EINVAL also: WORK_FIRST, producer NULL, word NULL or misaligned
/// Context: any thread, in a task or not; not async-signal-safe.   Blocks: never.
/// Order:   what precedes the call happens-before fn(arg).
/// Owns:    producer and word are borrowed until weft_word_produce.
/// Source:  docs/design/0011-full-empty.md; as qthread_fork with a return location.
WEFT_API int weft_task_spawn_producer(weft_fn_t fn, void *arg, const weft_spawn_t *spawn,
                                      uint64_t *word, weft_producer_t *producer);

/// Write the word that the caller's task was spawned to fill, and fill it, whatever its state by now.
/// @param word      of the spawn
/// @param producer  of the spawn
/// @param value     what to write
/// @return 0, -EINVAL (NULL, or word misaligned)
/// Context: the task that was spawned for it, once.   Blocks: never.
/// Order:   what precedes the call happens-before the return of who reads the value.
/// Owns:    producer is the caller's again.
/// Source:  docs/design/0011-full-empty.md; as weft_word_write_f.
WEFT_API int weft_word_produce(uint64_t *word, weft_producer_t *producer, uint64_t value);

#endif /* WEFT_EMBED_H */
