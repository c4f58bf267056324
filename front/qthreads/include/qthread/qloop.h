/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops over ranges, in parallel. */
#ifndef QTHREAD_QLOOP
#define QTHREAD_QLOOP

#include <stddef.h>

#include "macros.h"
#include "qthread.h"

Q_STARTCXX

typedef void (*qt_loop_f)(size_t const startat, size_t const stopat, void *arg);
typedef void (*qt_loop_step_f)(void *arg);
typedef void (*qt_loopr_f)(size_t const startat, size_t const stopat, void *QT_RESTRICT arg,
                           void *QT_RESTRICT ret);
typedef void (*qt_accum_f)(void *QT_RESTRICT a, void const *QT_RESTRICT b);

typedef struct qqloop_handle_s qqloop_handle_t;
typedef struct qqloop_step_handle_s qqloop_step_handle_t;

/* func(i, i + 1, argptr) for each i from start to stop - 1, each in a task of its own. All return
 * when the last has ended. They differ in name only. */
void qt_loop(size_t start, size_t stop, qt_loop_f func, void *argptr);
void qt_loop_simple(size_t start, size_t stop, qt_loop_f func, void *argptr);
void qt_loop_sv(size_t start, size_t stop, qt_loop_f func, void *argptr);
void qt_loop_dc(size_t start, size_t stop, qt_loop_f func, void *argptr);
void qt_loop_aligned(size_t start, size_t stop, qt_loop_f func, void *argptr);
void qt_loop_sinc(size_t start, size_t stop, qt_loop_f func, void *argptr);
void qt_loop_future(size_t start, size_t stop, qt_loop_f func, void *argptr);

/* func(argptr) once for each of start, start + stride, ... below stop. */
void qt_loop_step(size_t start, size_t stop, size_t stride, qt_loop_step_f func, void *argptr);

/* func(from, to, argptr) for one even part of the range for each worker. */
void qt_loop_balance(size_t const start, size_t const stop, qt_loop_f const func, void *argptr);
void qt_loop_balance_simple(size_t const start, size_t const stop, qt_loop_f const func,
                            void *argptr);
void qt_loop_balance_sv(size_t const start, size_t const stop, qt_loop_f const func, void *argptr);
void qt_loop_balance_dc(size_t const start, size_t const stop, qt_loop_f const func, void *argptr);
void qt_loop_balance_aligned(size_t const start, size_t const stop, qt_loop_f const func,
                             void *argptr);
void qt_loop_balance_sinc(size_t const start, size_t const stop, qt_loop_f const func,
                          void *argptr);
void qt_loop_balance_future(size_t const start, size_t const stop, qt_loop_f const func,
                            void *argptr);

/* The same; func leaves a value of size bytes in ret, and acc joins them into out, from the first
 * part to the last. What out held before is what ret holds when the first part begins, by _sinc
 * each part, so it counts where func adds to that; of an empty range func is asked for
 * (start, start). */
void qt_loopaccum_balance(size_t const start, size_t const stop, size_t const size,
                          void *QT_RESTRICT out, qt_loopr_f const func, void *QT_RESTRICT argptr,
                          qt_accum_f const acc);
void qt_loopaccum_balance_sinc(size_t const start, size_t const stop, size_t const size,
                               void *QT_RESTRICT out, qt_loopr_f const func,
                               void *QT_RESTRICT argptr, qt_accum_f const acc);
void qt_loopaccum_balance_sv(size_t const start, size_t const stop, size_t const size,
                             void *QT_RESTRICT out, qt_loopr_f const func, void *QT_RESTRICT argptr,
                             qt_accum_f const acc);
void qt_loopaccum_balance_dc(size_t const start, size_t const stop, size_t const size,
                             void *QT_RESTRICT out, qt_loopr_f const func, void *QT_RESTRICT argptr,
                             qt_accum_f const acc);

/* func(0, 1, argptr) to func(threads - 1, threads, argptr), each in a task of its own; threads 0:
 * one for each worker. */
void qt_parallel(qt_loop_f const func, unsigned int const threads, void *argptr);
/* As qt_loop_balance from 0 to iterations. */
void qt_parallel_for(qt_loop_f const func, size_t const iterations, void *argptr);

typedef enum { CHUNK, GUIDED, FACTORED, TIMED } qt_loop_queue_type;

/* A range whose blocks of a multiple of incr (0: 1) workers take as they come: of a fixed size
 * (CHUNK), of an even share of what is left (GUIDED), of half of that (FACTORED), or GUIDED, but
 * not less than takes 20 us (TIMED). */
qqloop_handle_t *qt_loop_queue_create(qt_loop_queue_type const type, size_t const start,
                                      size_t const stop, size_t const incr, qt_loop_f const func,
                                      void *const argptr);
/* The same for a function that is called once for each step. Cast to qqloop_handle_t * it is run as
 * any. */
qqloop_step_handle_t *qt_loop_step_queue_create(qt_loop_queue_type const type, size_t start,
                                                size_t stop, size_t incr, qt_loop_step_f func,
                                                void *argptr);
void qt_loop_queue_setchunk(qqloop_handle_t *l, size_t chunk);
/* On all workers, or from one shepherd on; returns when all is done, and frees the handle. */
void qt_loop_queue_run(qqloop_handle_t *loop);
void qt_loop_queue_run_there(qqloop_handle_t *loop, qthread_shepherd_id_t shep);
/* One more worker for a loop that runs; called by a function of the loop. */
void qt_loop_queue_addworker(qqloop_handle_t *loop, qthread_shepherd_id_t const shep);

/* As qutil_*. */
double qt_double_sum(double *array, size_t length, int checkfeb);
double qt_double_prod(double *array, size_t length, int checkfeb);
double qt_double_max(double *array, size_t length, int checkfeb);
double qt_double_min(double *array, size_t length, int checkfeb);
saligned_t qt_int_sum(saligned_t *array, size_t length, int checkfeb);
saligned_t qt_int_prod(saligned_t *array, size_t length, int checkfeb);
saligned_t qt_int_max(saligned_t *array, size_t length, int checkfeb);
saligned_t qt_int_min(saligned_t *array, size_t length, int checkfeb);
aligned_t qt_uint_sum(aligned_t *array, size_t length, int checkfeb);
aligned_t qt_uint_prod(aligned_t *array, size_t length, int checkfeb);
aligned_t qt_uint_max(aligned_t *array, size_t length, int checkfeb);
aligned_t qt_uint_min(aligned_t *array, size_t length, int checkfeb);
void qt_qsort(double *array, size_t const length);

/* Functions to accumulate with. */
#define QT_ACCUMULATOR(name, type, step)                                    \
  static inline void name(void *QT_RESTRICT a, void const *QT_RESTRICT b) { \
    type *const into = (type *)a;                                           \
    type const value = *(type const *)b;                                    \
    step;                                                                   \
  }
QT_ACCUMULATOR(qt_dbl_add_acc, double, *into += value)
QT_ACCUMULATOR(qt_int_add_acc, saligned_t, *into += value)
QT_ACCUMULATOR(qt_uint_add_acc, aligned_t, *into += value)
QT_ACCUMULATOR(qt_dbl_prod_acc, double, *into *= value)
QT_ACCUMULATOR(qt_int_prod_acc, saligned_t, *into *= value)
QT_ACCUMULATOR(qt_uint_prod_acc, aligned_t, *into *= value)
QT_ACCUMULATOR(qt_dbl_max_acc, double, if (value > *into) *into = value)
QT_ACCUMULATOR(qt_int_max_acc, saligned_t, if (value > *into) *into = value)
QT_ACCUMULATOR(qt_uint_max_acc, aligned_t, if (value > *into) *into = value)
QT_ACCUMULATOR(qt_dbl_min_acc, double, if (value < *into) *into = value)
QT_ACCUMULATOR(qt_int_min_acc, saligned_t, if (value < *into) *into = value)
QT_ACCUMULATOR(qt_uint_min_acc, aligned_t, if (value < *into) *into = value)
#undef QT_ACCUMULATOR

Q_ENDCXX

#endif /* QTHREAD_QLOOP */
