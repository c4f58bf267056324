/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places: the machine's shepherds and their workers, and how far they are from each other. */
#ifndef WEFT_PLACE_H
#define WEFT_PLACE_H

#include "weft/types.h"

/* A machine has shepherds, a shepherd has workers. What the workers of a shepherd share (a core, a cache, a
 * memory, a socket, the machine) is said by WEFT_SHEPHERD, or follows from the machine where WEFT_BIND
 * keeps workers in their places. The workers of a shepherd have numbers in a row. Thieves try their own
 * shepherd first, then the nearest. None of this changes while Weft runs. */

/// The number of shepherds of the running runtime.
/// @return 1 to weft_worker_count(), or 0 when Weft is not running
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0013-places.md; as qthread_num_shepherds.
WEFT_API uint32_t weft_shepherd_count(void);

/// The shepherd whose worker runs the caller now. After a call that may park the answer may differ.
/// @return 0 to weft_shepherd_count() - 1, or WEFT_ANYWHERE outside a worker
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0013-places.md; as qthread_shep.
WEFT_API uint32_t weft_shepherd_index(void);

/// The workers of a shepherd: their numbers are in a row.
/// @param shepherd  0 to weft_shepherd_count() - 1
/// @param first     receives the number of its first worker; may be NULL
/// @return 1 or more: how many they are; -ERANGE (no such shepherd), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0013-places.md; as qthread_num_workers_local.
WEFT_API int weft_shepherd_workers(uint32_t shepherd, uint32_t *first);

/// How far two shepherds are from each other, by the first processor of each: what they share, as the
/// hardware says.
/// @param from  0 to weft_shepherd_count() - 1
/// @param to    the same
/// @return 0 (the same one), 1 (they share a core), 2 (a level-2 cache), 3 (a level-3 cache), 10 (a memory); 11 or
///         more: as far as the firmware says of their memories, 20 where it says nothing;
///         -ERANGE (no such shepherd), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0013-places.md; as qthread_distance.
WEFT_API int weft_shepherd_distance(uint32_t from, uint32_t to);

/// All shepherds, `from` first, the nearest next: the order in which its workers look for work.
/// @param from  0 to weft_shepherd_count() - 1
/// @param out   receives up to room of them
/// @param room  how many fit
/// @return 1 or more: weft_shepherd_count(); -EINVAL (out is NULL and room is not 0), -ERANGE (no such shepherd),
///         -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    out is the caller's.
/// Source:  docs/design/0013-places.md; as qthread_sorted_sheps.
WEFT_API int weft_shepherd_near(uint32_t from, uint32_t *out, size_t room);

/// The shepherd that a worker belongs to.
/// @param worker  0 to weft_worker_count() - 1
/// @return 0 or more: its shepherd; -ERANGE (no such worker), -ENOTCONN (Weft does not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0013-places.md; as qthread_worker.
WEFT_API int weft_worker_shepherd(uint32_t worker);

/// The processor that a worker's place stands for. Its thread is bound there only with WEFT_BIND=worker.
/// @param worker  0 to weft_worker_count() - 1
/// @return 0 or more: the processor as the system numbers it; -ERANGE (no such worker), -ENOTCONN (Weft does
///         not run)
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  docs/design/0013-places.md; as ABT_xstream_get_cpubind.
WEFT_API int weft_worker_processor(uint32_t worker);

#endif /* WEFT_PLACE_H */
