/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function of every pair of two arrays' elements. */
#ifndef QTHREAD_ALLPAIRS_H
#define QTHREAD_ALLPAIRS_H

#include "macros.h"
#include "qarray.h"

Q_STARTCXX

typedef void (*dist_f)(void const *unit1, void const *unit2);
typedef void (*dist_out_f)(void const *unit1, void const *unit2, void *QT_RESTRICT outstore);

void qt_allpairs(qarray const *array1, qarray const *array2, dist_f distfunc);
/* The result of elements i and j goes to (char *)output[i] + j * outsize. */
void qt_allpairs_output(qarray const *array1, qarray const *array2, dist_out_f distfunc,
                        void *QT_RESTRICT *QT_RESTRICT output, size_t outsize);

Q_ENDCXX

#endif /* QTHREAD_ALLPAIRS_H */
