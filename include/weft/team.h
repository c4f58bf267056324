/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Teams: so many tasks with a rank each, that share barriers, broadcasts and loops. */
#ifndef WEFT_TEAM_H
#define WEFT_TEAM_H

#include "weft/loop.h"
#include "weft/types.h"

/* Teams
 *
 * Members are tasks (or threads outside) that wait for one another by parking, so a team may be
 * larger than there are workers, and a member may run a team of its own. All members make the same
 * calls of these in the same order, with the same arguments where nothing else is said. Of the
 * calls weft_team_wait alone waits for all; in the others a member that is ahead does not wait for
 * those who come later, and any number of them is under way at once.
 *
 * fork. In the child of a member the others are not there. In a team of weft_team_run of more than
 * one, weft_team_wait, weft_team_claim, weft_team_broadcast and weft_team_loop (but over nothing)
 * say -ECANCELED there and do nothing, so that the child comes to the end of its function. The
 * child of a member that entered a team makes no such call. */

/* One member of a team, valid until its function returns or it leaves. */
typedef struct weft_team_member weft_team_member_t;

/* A team that tasks enter one by one. */
typedef struct weft_team weft_team_t;

typedef void (*weft_team_fn_t)(weft_team_member_t *me, void *arg);

/// Run fn once for each member of a new team, at the same time: rank 0 by the caller, the others
/// each in a task. Starts Weft if it does not run yet.
/// @param size  how many members; 1 to 1048576
/// @param fn    what each runs
/// @param arg   passed to fn
/// @return 0, -EINVAL (fn is NULL, or size), -EPERM (the caller is stackless, and size is above 1),
///         -ENOMEM (nothing was run), -ENOTCONN (the caller is no task and weft_stop abandons
///         members), -ECANCELED (in the child of a fork() by rank 0, if the caller is a task: see
///         weft/runtime.h); -EINVAL, -EAGAIN, -EEXIST as weft_start
/// Context: a task or any other thread, which has it run in a task.   Blocks: until all have
///          returned.
/// Order:   what precedes the call happens-before each fn; each fn happens-before the return.
/// Owns:    arg is borrowed during the call.
/// Source:  src/par/README.md; as omp parallel, qt_parallel.
WEFT_API int weft_team_run(uint32_t size, weft_team_fn_t fn, void *arg) WEFT_MAY_PARK;

/// Make a team for tasks that run already.
/// @param size  how many will enter; 1 to 1048576
/// @param out   receives the team
/// @return 0, -EINVAL (out is NULL, or size), -ENOMEM
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    the team, until all members have entered and left.
/// Source:  src/par/README.md.
WEFT_API int weft_team_create(uint32_t size, weft_team_t **out);

/// Become a member of a team; ranks are given in the order of arrival.
/// @param team  the team
/// @param out   receives the member
/// @return 0, -EINVAL (NULL), -EBUSY (as many as it has room for have entered)
/// Context: any thread.   Blocks: never.
/// Order:   what precedes weft_team_create happens-before the return.
/// Owns:    the place, until weft_team_leave.
/// Source:  src/par/README.md.
WEFT_API int weft_team_enter(weft_team_t *team, weft_team_member_t **out);

/// Leave a team that was entered. The last of all members ends it.
/// @param me  the member, which is gone afterwards
/// @return 0, -EINVAL (me is NULL)
/// Context: who entered.   Blocks: never.
/// Order:   what precedes it happens-before the end of the team.
/// Owns:    releases the place.
/// Source:  src/par/README.md.
WEFT_API int weft_team_leave(weft_team_member_t *me);

/// The member's number in its team.
/// @param me  the member
/// @return 0 to weft_team_size(me) - 1
/// Context: the member.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as omp_get_thread_num, shmem_team_my_pe.
WEFT_API uint32_t weft_team_rank(const weft_team_member_t *me);

/// How many members the team has.
/// @param me  a member
/// @return 1 or more
/// Context: the member.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as omp_get_num_threads.
WEFT_API uint32_t weft_team_size(const weft_team_member_t *me);

/// Wait until all members have come here: a barrier.
/// @param me  the member
/// @return 1 for the one that came last, 0 for the others; without having come: -EPERM (would wait,
///         and the caller is stackless), -ECANCELED (weft/cancel.h; in the child of a fork():
///         above), -ENOMEM
/// Context: the member.   Blocks: until all have come.
/// Order:   what precedes each arrival happens-before each return.
/// Owns:    nothing.
/// Source:  as omp barrier, weft_barrier_wait.
WEFT_API int weft_team_wait(weft_team_member_t *me) WEFT_MAY_PARK;

/// Ask whether the caller is the first of its team to come to this call: for what one of them shall
/// do.
/// @param me  the member
/// @return 1 for the first, 0 for all others, -ENOMEM (has not come), -ECANCELED (in the child of a
///         fork(): above)
/// Context: the member.   Blocks: never.
/// Order:   none; weft_team_wait afterwards shows the others what the first did.
/// Owns:    nothing.
/// Source:  as omp single nowait.
WEFT_API int weft_team_claim(weft_team_member_t *me);

/// Bring bytes of one member to all others.
/// @param me     the member
/// @param root   the rank of the one that has them
/// @param value  root: read; the others: written
/// @param bytes  how many; 0 is allowed
/// @return 0, -EINVAL (root is no rank, or value is NULL), -EPERM (stackless, and not root),
///         -ENOMEM (has not come), -ECANCELED (in the child of a fork(): above)
/// Context: the member.   Blocks: not root: until root has come. Root: never.
/// Order:   what precedes root's call happens-before each return.
/// Owns:    value is borrowed during the call.
/// Source:  as MPI_Bcast, omp copyprivate.
WEFT_API int weft_team_broadcast(weft_team_member_t *me, uint32_t root, void *value,
                                 size_t bytes) WEFT_MAY_PARK;

/// Share the iterations of one loop among the members that come to it. A member returns when there
/// is nothing more to begin and its own blocks are over; others may still run theirs.
/// @param me     the member
/// @param begin  first value
/// @param end    bound; where begin is not before it, nothing is run
/// @param step   not 0
/// @param fn     runs a block, of this member
/// @param arg    passed to fn; each member may have another
/// @param how    as for weft_loop_run, but not WEFT_LOOP_EACH; members and where, which is a
///               shepherd if anything, do not count. A cancel flag is one for all, and stays until
///               all have returned. NULL: all as by default
/// @return 0, -ECANCELED (some iterations were not run; in the child of a fork() none, if there
///         are any: above), -EINVAL (as weft_loop_run; EACH), -ENOMEM (has not come)
/// Context: the member.   Blocks: only as fn does.
/// Order:   what precedes the call of the first member happens-before each fn; weft_team_wait
///          afterwards shows all of the loop to all.
/// Owns:    arg is borrowed during the call.
/// Source:  src/par/README.md; as qt_parallel_for, omp for nowait.
WEFT_API int weft_team_loop(weft_team_member_t *me, int64_t begin, int64_t end, int64_t step,
                            weft_loop_fn_t fn, void *arg, const weft_loop_t *how) WEFT_MAY_PARK;

#endif /* WEFT_TEAM_H */
