/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A lattice whose cells follow from their left, lower left and lower neighbours. */
#ifndef QTHREAD_WAVEFRONT_H
#define QTHREAD_WAVEFRONT_H

#include "macros.h"
#include "qarray.h"

Q_STARTCXX

typedef void (*wave_comp_f)(void const *QT_RESTRICT left, void const *QT_RESTRICT leftdown,
                            void const *QT_RESTRICT down, void *QT_RESTRICT out);
typedef void (*wave_f)(qarray *QT_RESTRICT left, qarray *QT_RESTRICT below, void **R);

typedef struct qt_wavefront_lattice_s qt_wavefront_lattice;

/* left[r] lies left of row r; below[0] is the corner, and below[c + 1] lies below column c. */
qt_wavefront_lattice *qt_wavefront(qarray *QT_RESTRICT const left, qarray *QT_RESTRICT const below,
                                   wave_comp_f func);
void qt_wavefront_print_lattice(qt_wavefront_lattice const *const L);
void qt_wavefront_destroy_lattice(qt_wavefront_lattice *const L);

/* R[column][row] of int; the first row and the first column are given. */
void qt_basic_wavefront(int *QT_RESTRICT const *const R, size_t cols, size_t rows,
                        wave_comp_f func);

Q_ENDCXX

#endif /* QTHREAD_WAVEFRONT_H */
