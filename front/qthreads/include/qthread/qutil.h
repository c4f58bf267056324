/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums, products, extremes and sorting of arrays, in parallel. */
#ifndef QTHREAD_QUTIL_H
#define QTHREAD_QUTIL_H

#include <stddef.h>

#include "macros.h"
#include "qthread.h"

Q_STARTCXX

/* checkfeb is not 0: each element is waited for until it is full. An array of length 0 gives the
 * neutral element: 0, 1, the least or the largest value. */
double qutil_double_sum(double const *array, size_t length, int checkfeb);
double qutil_double_mult(double const *array, size_t length, int checkfeb);
double qutil_double_max(double const *array, size_t length, int checkfeb);
double qutil_double_min(double const *array, size_t length, int checkfeb);
aligned_t qutil_uint_sum(aligned_t const *array, size_t length, int checkfeb);
aligned_t qutil_uint_mult(aligned_t const *array, size_t length, int checkfeb);
aligned_t qutil_uint_max(aligned_t const *array, size_t length, int checkfeb);
aligned_t qutil_uint_min(aligned_t const *array, size_t length, int checkfeb);
saligned_t qutil_int_sum(saligned_t const *array, size_t length, int checkfeb);
saligned_t qutil_int_mult(saligned_t const *array, size_t length, int checkfeb);
saligned_t qutil_int_max(saligned_t const *array, size_t length, int checkfeb);
saligned_t qutil_int_min(saligned_t const *array, size_t length, int checkfeb);

void qutil_mergesort(double *array, size_t length);
void qutil_qsort(double *array, size_t length);
void qutil_aligned_qsort(aligned_t *array, size_t length);

Q_ENDCXX

#endif /* QTHREAD_QUTIL_H */
