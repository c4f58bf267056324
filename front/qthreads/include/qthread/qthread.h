/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interface of Qthreads 1.23: tasks, full/empty words, locks, teams, queues. See
 * ../../README.md. */
#ifndef QTHREAD_QTHREAD_H
#define QTHREAD_QTHREAD_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Programs get these names through this header. */
#if defined(__cplusplus) && __cplusplus < 202302L
#include <atomic>
#define QT_Atomic(T) std::atomic<T>
using std::atomic_load_explicit;
using std::memory_order_relaxed;
#else
#include <stdatomic.h>
#define QT_Atomic(T) _Atomic(T)
#endif

#include "common.h"
#include "macros.h"

/* Results */
#define QTHREAD_SUCCESS 0
#define QTHREAD_BADARGS -1
#define QTHREAD_PTHREAD_ERROR -2
#define QTHREAD_NOT_ALLOWED -3
#define QTHREAD_MALLOC_ERROR ENOMEM
#define QTHREAD_THIRD_PARTY_ERROR -4
#define QTHREAD_TIMEOUT -5
#define QTHREAD_OVERFLOW EOVERFLOW
#define QTHREAD_OPFAIL -7

#define NO_SHEPHERD ((qthread_shepherd_id_t) - 1)
#define NO_WORKER ((qthread_worker_id_t) - 1)

#define QTHREAD_RELEASE_TYPE_ALPHA 0
#define QTHREAD_RELEASE_TYPE_BETA 1
#define QTHREAD_RELEASE_TYPE_RC 2
#define QTHREAD_RELEASE_TYPE_PATCH 3
#define QTHREADS_GET_VERSION(MAJOR, MINOR, REVISION, TYPE, PATCH) \
  (((MAJOR) * 10000000) + ((MINOR) * 100000) + ((REVISION) * 1000) + ((TYPE) * 100) + (PATCH))
#define QTHREAD_VERSION "1.23"
/* Decimal; the original's is written with a leading 0 and so is another number. */
#define QTHREAD_NUMVERSION QTHREADS_GET_VERSION(1, 23, 0, QTHREAD_RELEASE_TYPE_PATCH, 0)

#define MACHINE_FENCE __atomic_thread_fence(__ATOMIC_ACQ_REL);

#define QTHREAD_BITS 64

Q_STARTCXX

typedef uint64_t aligned_t;
typedef uint32_t haligned_t;
typedef int64_t saligned_t;
#define QTHREAD_ALIGNMENT_ALIGNED_T (sizeof(aligned_t))
#define QALIGN(d, s) (s) = (d)

/* A word with its full/empty state in it: 60 bits of data. */
typedef struct _syncvar_s {
  union {
    uint64_t w;
    struct {
      unsigned lock : 1;
      unsigned state : 3;
      uint64_t data : 60;
    } s;
  } u;
} syncvar_t;

/* clang-format off */
#define SYNCVAR_STATIC_INITIALIZER {{0}}
#define SYNCVAR_STATIC_EMPTY_INITIALIZER {{4}}
#define SYNCVAR_STATIC_INITIALIZE_TO(value) {{(uint64_t)(value) << 4}}
#define SYNCVAR_STATIC_EMPTY_INITIALIZE_TO(value) {{(uint64_t)(value) << 4 | 4}}
/* clang-format on */
#define SYNCVAR_INITIALIZER ((syncvar_t)SYNCVAR_STATIC_INITIALIZER)
#define SYNCVAR_EMPTY_INITIALIZER ((syncvar_t)SYNCVAR_STATIC_EMPTY_INITIALIZER)
#define SYNCVAR_INITIALIZE_TO(value) ((syncvar_t)SYNCVAR_STATIC_INITIALIZE_TO(value))
#define SYNCVAR_EMPTY_INITIALIZE_TO(value) ((syncvar_t)SYNCVAR_STATIC_EMPTY_INITIALIZE_TO(value))

#define INT64TOINT60(x) ((uint64_t)((x) & (uint64_t)0xfffffffffffffffULL))
#define INT60TOINT64(x)                                                                       \
  ((int64_t)(((x) & (uint64_t)0x800000000000000ULL) ? ((x) | (uint64_t)0xf800000000000000ULL) \
                                                    : (x)))
#define DBL64TODBL60(in, out) \
  do {                        \
    memcpy(&(out), &(in), 8); \
    out >>= 4;                \
  } while (0)
#define DBL60TODBL64(in, out) \
  do {                        \
    in <<= 4;                 \
    memcpy(&(out), &(in), 8); \
  } while (0)

typedef unsigned short qthread_shepherd_id_t;
typedef unsigned short qthread_worker_id_t;

/* What a task runs. */
typedef aligned_t (*qthread_f)(void *arg);

/* Start and stop. The caller becomes the first task. Initialising again while it runs does nothing.
 * Only that task can finalize; from anywhere else the call does nothing. An exit by that task waits
 * for teams. */
int qthread_initialize(void);
/* Sets QT_NUM_SHEPHERDS to nshepherds and QT_NUM_WORKERS_PER_SHEPHERD to 1 first. Where Weft runs
 * already its workers are divided among so many shepherds, or fewer. */
int qthread_init(qthread_shepherd_id_t nshepherds);
void qthread_finalize(void);
/* Calls f(arg), there and then, and starts nothing. What it returns goes to *(aligned_t *)ret (if
 * not NULL) as by qthread_writeEF: where that is full the call waits until it is empty. */
void qthread_call_method(qthread_f f, void *arg, void *ret, uint16_t flags);

/* A disabled shepherd or worker gets no more tasks that were sent to it; what it has is finished. 0
 * cannot be disabled. Workers are counted by turns of the shepherds here: the first ones of all,
 * then the second ones; so worker w is number w / shepherds of shepherd w % shepherds, and
 * qthread_worker gives another number. */
int qthread_disable_shepherd(qthread_shepherd_id_t shep);
void qthread_enable_shepherd(qthread_shepherd_id_t shep);
int qthread_disable_worker(qthread_worker_id_t worker);
void qthread_enable_worker(qthread_worker_id_t worker);

/* Let other tasks run. The first yield after a fork runs the new tasks first; every other goes
 * behind all that is ready. Does nothing outside tasks. */
void qthread_yield_(int how);
#define qthread_yield() \
  do {                  \
    qthread_yield_(0);  \
  } while (0)
#define qthread_yield_near() \
  do {                       \
    qthread_yield_(1);       \
  } while (0)
/* Does nothing: nothing is held back. */
void qthread_flushsc(void);

/* Fork a task. *ret (if not NULL) is emptied, and filled with what f returned. With a shepherd the
 * task runs there and is not stolen; without, it starts where it is forked unless another worker
 * takes it first (QT_SPAWN=roundrobin: the shepherds take turns). Preconditions: words that must be
 * full first; npreconds of aligned_t *, or, if it is below 0, one array of -npreconds. copyargs:
 * the task gets a copy of arg_size bytes. QTHREAD_NOT_ALLOWED before qthread_initialize. */
int qthread_fork(qthread_f f, void const *arg, aligned_t *ret);
int qthread_fork_net(qthread_f f, void const *arg, aligned_t *ret);
int qthread_fork_to(qthread_f f, void const *arg, aligned_t *ret, qthread_shepherd_id_t shepherd);
int qthread_fork_precond(qthread_f f, void const *arg, aligned_t *ret, int npreconds, ...);
int qthread_fork_precond_to(qthread_f f, void const *arg, aligned_t *ret,
                            qthread_shepherd_id_t shepherd, int npreconds, ...);
int qthread_fork_precond_simple(qthread_f f, void const *arg, aligned_t *ret, int npreconds, ...);
int qthread_fork_syncvar(qthread_f f, void const *arg, syncvar_t *ret);
int qthread_fork_syncvar_to(qthread_f f, void const *arg, syncvar_t *ret,
                            qthread_shepherd_id_t shepherd);
int qthread_fork_copyargs(qthread_f f, void const *arg, size_t arg_size, aligned_t *ret);
/* ret is an aligned_t *, whatever the prototype says; so it is in the original. */
int qthread_fork_copyargs_to(qthread_f f, void const *arg, size_t arg_size, syncvar_t *ret,
                             qthread_shepherd_id_t preferred_shep);
int qthread_fork_syncvar_copyargs(qthread_f f, void const *arg, size_t arg_size, syncvar_t *ret);
int qthread_fork_syncvar_copyargs_simple(qthread_f f, void const *arg, size_t arg_size,
                                         syncvar_t *ret);
int qthread_fork_copyargs_precond(qthread_f f, void const *arg, size_t arg_size, syncvar_t *ret,
                                  int npreconds, ...);

enum _qthread_features {
  SPAWN_PARENT,
  SPAWN_SIMPLE,
  SPAWN_NEW_TEAM,
  SPAWN_NEW_SUBTEAM,
  SPAWN_RET_SYNCVAR_T,
  SPAWN_RET_SINC,
  SPAWN_RET_SINC_VOID,
  SPAWN_PC_SYNCVAR_T,
  SPAWN_COUNT,
  SPAWN_LOCAL_PRIORITY,
  SPAWN_NETWORK
};
#define QTHREAD_SPAWN_PARENT (1 << SPAWN_PARENT)
#define QTHREAD_SPAWN_SIMPLE (1 << SPAWN_SIMPLE)
#define QTHREAD_SPAWN_NEW_TEAM (1 << SPAWN_NEW_TEAM)
#define QTHREAD_SPAWN_NEW_SUBTEAM (1 << SPAWN_NEW_SUBTEAM)
#define QTHREAD_SPAWN_RET_SYNCVAR_T (1 << SPAWN_RET_SYNCVAR_T)
#define QTHREAD_SPAWN_RET_SINC (1 << SPAWN_RET_SINC)
#define QTHREAD_SPAWN_RET_SINC_VOID (1 << SPAWN_RET_SINC_VOID)
#define QTHREAD_SPAWN_PC_SYNCVAR_T (1 << SPAWN_PC_SYNCVAR_T)
#define QTHREAD_SPAWN_LOCAL_PRIORITY (1 << SPAWN_LOCAL_PRIORITY)
#define QTHREAD_SPAWN_NETWORK (1 << SPAWN_NETWORK)

/* All of it. preconds: malloc'ed by the caller, freed by the library: the number as a void *, then
 * as many aligned_t *. On an error it stays the caller's, and so does what comes with an npreconds
 * of 0, which is not looked at. PARENT, SIMPLE, LOCAL_PRIORITY, NETWORK and PC_SYNCVAR_T change
 * nothing. */
int qthread_spawn(qthread_f f, void const *arg, size_t arg_size, void *ret, size_t npreconds,
                  void *preconds, qthread_shepherd_id_t target_shep, unsigned int feature_flag);

/* Where the next task without a shepherd goes, where the shepherds take turns. */
void qthread_reset_target_shep(void);
void qthread_chpl_reset_spawn_order(void);

/* Who and where the caller is. */
#define QTHREAD_NULL_TASK_ID UINT_MAX
#define QTHREAD_NON_TASK_ID 0
#define QTHREAD_DEFAULT_TEAM_ID 1
#define QTHREAD_NON_TEAM_ID 0
#define QTHREAD_NULL_TEAM_ID UINT_MAX
/* 1 and up, in the order in which tasks ask; 0 outside tasks. */
unsigned qthread_id(void);
/* These four: a part of a balanced loop (qloop.h) that is elsewhere goes to its shepherd first. */
qthread_shepherd_id_t qthread_shep(void);
/* Worker + shepherd * workers in a shepherd; the same counted from 1; the number inside the
 * shepherd. */
qthread_worker_id_t qthread_worker(qthread_shepherd_id_t *s);
qthread_worker_id_t qthread_worker_unique(qthread_shepherd_id_t *s);
qthread_worker_id_t qthread_worker_local(qthread_shepherd_id_t *s);
/* Memory of the task's own, size bytes at least; what was in it is kept when it grows. */
void *qthread_get_tasklocal(unsigned int size);
unsigned qthread_size_tasklocal(void);
/* The two ends of the caller's stack: its lowest byte, where it would overflow, and the first
 * address above it; what is left of it. NULL and 0 outside tasks and in the one that initialised.
 */
void *qthread_tos(void);
void *qthread_bos(void);
size_t qthread_stackleft(void);
aligned_t *qthread_retloc(void);
int qthread_shep_ok(void);
/* Go to the next or the previous shepherd, in a ring; from what is none, as NO_SHEPHERD, to the
 * first or the last. */
void qthread_shep_next(qthread_shepherd_id_t *shep);
void qthread_shep_prev(qthread_shepherd_id_t *shep);
void qthread_shep_next_local(qthread_shepherd_id_t *shep);
void qthread_shep_prev_local(qthread_shepherd_id_t *shep);

/* Move the caller; it stays there afterwards. NO_SHEPHERD lets it free. */
int qthread_migrate_to(qthread_shepherd_id_t const shepherd);
int qthread_distance(qthread_shepherd_id_t const src, qthread_shepherd_id_t const dest);
/* All others, nearest first. */
qthread_shepherd_id_t const *qthread_sorted_sheps(void);
qthread_shepherd_id_t const *qthread_sorted_sheps_remote(qthread_shepherd_id_t const src);
/* Those that are not disabled. */
qthread_shepherd_id_t qthread_num_shepherds(void);
qthread_worker_id_t qthread_num_workers(void);
/* How many a shepherd has, disabled or not: the same number whichever is named. */
qthread_worker_id_t qthread_num_workers_local(qthread_shepherd_id_t shepherd_id);

enum introspective_state {
  STACK_SIZE,
  RUNTIME_DATA_SIZE,
  BUSYNESS,
  NODE_BUSYNESS,
  ACTIVE_SHEPHERDS,
  TOTAL_SHEPHERDS,
  ACTIVE_WORKERS,
  TOTAL_WORKERS,
  WORKER_OCCUPATION,
  CURRENT_SHEPHERD,
  CURRENT_WORKER,
  CURRENT_UNIQUE_WORKER,
  CURRENT_TEAM,
  PARENT_TEAM
};
size_t qthread_readstate(const enum introspective_state type);

/* Teams: what a leader returns arrives when the whole team has ended, subteams included. */
unsigned int qt_team_id(void);
unsigned int qt_team_parent_id(void);
/* The caller, a member of a team, has what the team was looking for: all other members and the
 * subteams end, and what the caller returns goes where the leader's value would have gone, at once.
 * Members that have not started never do; those that run end at their next fork, yield or wait,
 * without returning from their functions; one that waits ends when its wait does. No value of
 * theirs comes: the word where one was wanted is full again as it stands, but a syncvar, a sinc,
 * and the word of a subteam's leader stay as they are; who waits for those in a critical section
 * waits until the program does something about it. If several call it the first is the one that
 * stays. Outside teams, and in a critical section, it does nothing. */
void qt_team_eureka(void);
typedef enum qt_team_critical_section_e { BEGIN, END } qt_team_critical_section_t;
/* Between BEGIN and END, which nest, no eureka of another ends the caller, and none returns before
 * the END, or before the caller's function has returned. A BEGIN after a eureka of another ends the
 * caller, in a blocking action too. In a function that the library calls for it (the operation of a
 * sinc, the comparison of keys) it does not end, and so the section does not begin: no eureka waits
 * for it. */
void qt_team_critical_section(qt_team_critical_section_t boundary);
#define qthread_fork_new_team(f, a, r) \
  qthread_spawn((f), (a), 0, (r), 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_NEW_TEAM)
#define qthread_fork_new_subteam(f, a, r) \
  qthread_spawn((f), (a), 0, (r), 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_NEW_SUBTEAM)
#define qthread_fork_new_team_to(f, a, r, p) \
  qthread_spawn((f), (a), 0, (r), 0, NULL, (p), QTHREAD_SPAWN_NEW_TEAM)
#define qthread_fork_syncvar_new_team(f, a, r)          \
  qthread_spawn((f), (a), 0, (r), 0, NULL, NO_SHEPHERD, \
                QTHREAD_SPAWN_NEW_TEAM | QTHREAD_SPAWN_RET_SYNCVAR_T)
#define qthread_fork_syncvar_new_subteam(f, a, r)       \
  qthread_spawn((f), (a), 0, (r), 0, NULL, NO_SHEPHERD, \
                QTHREAD_SPAWN_NEW_SUBTEAM | QTHREAD_SPAWN_RET_SYNCVAR_T)
#define qthread_fork_copyargs_new_team(f, a, z, r) \
  qthread_spawn((f), (a), (z), (r), 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_NEW_TEAM)
#define qthread_fork_copyargs_new_subteam(f, a, z, r) \
  qthread_spawn((f), (a), (z), (r), 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_NEW_SUBTEAM)
#define qthread_fork_syncvar_copyargs_to(f, a, z, r, p) \
  qthread_spawn((f), (a), (z), (r), 0, NULL, (p), QTHREAD_SPAWN_RET_SYNCVAR_T)

/* Queues of waiting tasks. */
struct qthread_queue_s;
typedef struct qthread_queue_s *qthread_queue_t;
#define QTHREAD_QUEUE_NO_SYNCH (1 << 0)
#define QTHREAD_QUEUE_MULTI_JOIN (1 << 1)
#define QTHREAD_QUEUE_MULTI_JOIN_LENGTH (1 << 2)
#define QTHREAD_QUEUE_CAPPED (1 << 3)
/* All flags make the same queue; CAPPED with a length takes no more than so many (join then gives
 * QTHREAD_OPFAIL). */
qthread_queue_t qthread_queue_create(uint8_t flags, aligned_t length);
/* Waits until it is released, first in first out. QTHREAD_NOT_ALLOWED outside a task. */
int qthread_queue_join(qthread_queue_t q);
aligned_t qthread_queue_length(qthread_queue_t q);
/* QTHREAD_OPFAIL: nobody waits. */
int qthread_queue_release_one(qthread_queue_t q);
int qthread_queue_release_all(qthread_queue_t q);
int qthread_queue_destroy(qthread_queue_t q);

/* Locks that know nothing of full and empty. */
#define QTHREAD_SPINLOCK_IS_RECURSIVE (-1)
#define QTHREAD_SPINLOCK_IS_NOT_RECURSIVE (-2)
typedef union qt_spin_trylock_s {
  aligned_t u;
  struct {
    haligned_t ticket;
    haligned_t users;
  } s;
} qt_spin_trylock_t;
typedef struct {
  int64_t s;
  int64_t count;
} qthread_spinlock_state_t;
typedef struct {
  qt_spin_trylock_t lock;
  qthread_spinlock_state_t state;
} qthread_spinlock_t;
/* clang-format off */
#define QTHREAD_MUTEX_INITIALIZER {{0}, {QTHREAD_SPINLOCK_IS_NOT_RECURSIVE, 0}}
#define QTHREAD_RECURSIVE_MUTEX_INITIALIZER {{0}, {QTHREAD_SPINLOCK_IS_RECURSIVE, 0}}
/* clang-format on */
/* trylock: 1 is locked, 0 is not; of a recursive lock QTHREAD_SUCCESS is locked, QTHREAD_OPFAIL is
 * not. Who must wait parks. The s in spinlocks is of older programs. */
int qthread_spinlock_init(qthread_spinlock_t *a, bool const is_recursive);
int qthread_spinlock_destroy(qthread_spinlock_t *a);
int qthread_spinlock_lock(qthread_spinlock_t *a);
int qthread_spinlock_unlock(qthread_spinlock_t *a);
int qthread_spinlock_trylock(qthread_spinlock_t *a);
int qthread_spinlocks_init(qthread_spinlock_t *a, bool const is_recursive);
int qthread_spinlocks_destroy(qthread_spinlock_t *a);

/* Full/empty words. Every aligned_t is full at first. Those that must wait do, in a task or out of
 * it; _nb gives QTHREAD_OPFAIL instead. A value goes to dest if that is not NULL. A write with src
 * == dest leaves the value that is there when it takes place. */
int qthread_feb_status(aligned_t const *addr);
int qthread_empty(aligned_t const *dest);
int qthread_fill(aligned_t const *dest);
int qthread_writeEF(aligned_t *dest, aligned_t const *src);
int qthread_writeEF_const(aligned_t *dest, aligned_t const src);
int qthread_writeEF_nb(aligned_t *dest, aligned_t const *src);
int qthread_writeEF_const_nb(aligned_t *dest, aligned_t const src);
int qthread_writeF(aligned_t *dest, aligned_t const *src);
int qthread_writeF_const(aligned_t *dest, aligned_t src);
int qthread_writeFF(aligned_t *dest, aligned_t const *src);
int qthread_writeFF_const(aligned_t *dest, aligned_t src);
/* Writes 0 and empties; _to: another value. */
int qthread_purge(aligned_t *dest);
int qthread_purge_to(aligned_t *dest, aligned_t const *src);
int qthread_purge_to_const(aligned_t *dest, aligned_t purgeVal);
int qthread_readFF(aligned_t *dest, aligned_t const *src);
int qthread_readFF_nb(aligned_t *dest, aligned_t const *src);
int qthread_readFE(aligned_t *dest, aligned_t const *src);
int qthread_readFE_nb(aligned_t *dest, aligned_t const *src);
int qthread_readXX(aligned_t *dest, aligned_t const *src);

int qthread_syncvar_status(syncvar_t *const v);
int qthread_syncvar_empty(syncvar_t *QT_RESTRICT dest);
int qthread_syncvar_fill(syncvar_t *QT_RESTRICT dest);
int qthread_syncvar_writeEF(syncvar_t *QT_RESTRICT dest, uint64_t const *QT_RESTRICT src);
int qthread_syncvar_writeEF_const(syncvar_t *QT_RESTRICT dest, uint64_t src);
int qthread_syncvar_writeEF_nb(syncvar_t *QT_RESTRICT dest, uint64_t const *QT_RESTRICT src);
int qthread_syncvar_writeEF_const_nb(syncvar_t *dest, uint64_t src);
int qthread_syncvar_writeF(syncvar_t *QT_RESTRICT dest, uint64_t const *QT_RESTRICT src);
int qthread_syncvar_writeF_const(syncvar_t *QT_RESTRICT dest, uint64_t src);
int qthread_syncvar_readFF(uint64_t *QT_RESTRICT dest, syncvar_t *QT_RESTRICT src);
int qthread_syncvar_readFF_nb(uint64_t *QT_RESTRICT dest, syncvar_t *QT_RESTRICT src);
int qthread_syncvar_readFE(uint64_t *QT_RESTRICT dest, syncvar_t *QT_RESTRICT src);
int qthread_syncvar_readFE_nb(uint64_t *QT_RESTRICT dest, syncvar_t *QT_RESTRICT src);
/* Adds, whatever the state, and fills; the new value. */
uint64_t qthread_syncvar_incrF(syncvar_t *QT_RESTRICT operand, uint64_t inc);

/* For reports on what a program waits for: cb is called for each task that waits at a word (at a
 * syncvar), with that, with what the task was forked with, its id (QTHREAD_NULL_TASK_ID if it never
 * asked for one) and its task-local memory. f is NULL for the task that initialised. cb may not
 * fork, wait, or use words; what tasks do with them may wait for it. Threads that are no tasks are
 * not shown, nor a reader whose word's task is running for it. */
typedef void const *qt_key_t;
typedef void (*qt_feb_callback_f)(qt_key_t addr, qthread_f f, void *arg, void *retloc,
                                  unsigned int thread_id, void *tls, void *callarg);
typedef qt_feb_callback_f qt_syncvar_callback_f;
void qthread_feb_callback(qt_feb_callback_f cb, void *arg);
void qthread_syncvar_callback(qt_syncvar_callback_f cb, void *arg);

/* Locks at any word: readFE, fill and readFE_nb, unless qthread_lock_init was called for the word.
 * Then the word keeps its state, and trylock gives what qthread_spinlock_trylock does: 1 or 0, but
 * of a recursive lock QTHREAD_SUCCESS or QTHREAD_OPFAIL. */
int qthread_lock(aligned_t const *a);
int qthread_unlock(aligned_t const *a);
int qthread_trylock(aligned_t const *a);
int qthread_lock_init(aligned_t const *a, bool const is_recursive);
int qthread_lock_destroy(aligned_t *a);

/* Atomic sums; all give the old value. */
static inline float qthread_fincr(float *operand, float incr) {
  float old_value, new_value;
  __atomic_load(operand, &old_value, __ATOMIC_RELAXED);
  do {
    new_value = old_value + incr;
  } while (!__atomic_compare_exchange(operand, &old_value, &new_value, 0, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED));
  return old_value;
}

static inline double qthread_dincr(double *operand, double incr) {
  double old_value, new_value;
  __atomic_load(operand, &old_value, __ATOMIC_RELAXED);
  do {
    new_value = old_value + incr;
  } while (!__atomic_compare_exchange(operand, &old_value, &new_value, 0, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED));
  return old_value;
}

static inline uint32_t qthread_incr32(uint32_t *operand, uint32_t incr) {
  return __atomic_fetch_add(operand, incr, __ATOMIC_SEQ_CST);
}

static inline uint64_t qthread_incr64(uint64_t *operand, uint64_t incr) {
  return __atomic_fetch_add(operand, incr, __ATOMIC_SEQ_CST);
}

static inline int64_t qthread_incr_xx(void *addr, int64_t incr, size_t length) {
  if (length == 4) return qthread_incr32((uint32_t *)addr, (uint32_t)incr);
  if (length == 8) return (int64_t)qthread_incr64((uint64_t *)addr, (uint64_t)incr);
  QTHREAD_TRAP();
  return 0;
}

#define qthread_incr(ADDR, INCVAL) __sync_fetch_and_add(ADDR, INCVAL)
#define qthread_cas(ADDR, OLDV, NEWV) __sync_val_compare_and_swap((ADDR), (OLDV), (NEWV))
#define qthread_cas32(ADDR, OLDV, NEWV) __sync_val_compare_and_swap((ADDR), (OLDV), (NEWV))
#define qthread_cas64(ADDR, OLDV, NEWV) __sync_val_compare_and_swap((ADDR), (OLDV), (NEWV))
#define qthread_cas_ptr(ADDR, OLDV, NEWV) \
  ((void *)__sync_val_compare_and_swap((ADDR), (OLDV), (NEWV)))

Q_ENDCXX

#ifdef __cplusplus
extern "C++" {
#include "qthread.hpp"
}
#endif

#endif /* QTHREAD_QTHREAD_H */
