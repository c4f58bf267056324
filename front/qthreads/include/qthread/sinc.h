/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sincs: a count of expected submissions, whose values are reduced to one. */
#ifndef QT_SINC_H
#define QT_SINC_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#include "macros.h"
#include "qthread.h"

Q_STARTCXX

/* Reduces *src into *tgt, which began as the initial value: a submitted value into one of several
 * such targets, by its worker, and each of these into what a wait gives. So that the order of tasks
 * and the number of workers tell nothing, it is associative and commutative, and the initial value
 * is its neutral element. It may run on several workers at once. */
typedef void (*qt_sinc_op_f)(void *tgt, void const *src);

typedef struct qt_opaque_sinc_s {
  uint64_t opaque_data[3];
} qt_sinc_t;

void qt_sinc_init(qt_sinc_t *QT_RESTRICT sinc, size_t sizeof_value,
                  void const *QT_RESTRICT initial_value, qt_sinc_op_f op, size_t expect);
qt_sinc_t *qt_sinc_create(size_t sizeof_value, void const *initial_value, qt_sinc_op_f op,
                          size_t expect);
/* As after qt_sinc_init. Nobody waits for it. */
void qt_sinc_reset(qt_sinc_t *sinc, size_t expect);
void qt_sinc_fini(qt_sinc_t *sinc);
void qt_sinc_destroy(qt_sinc_t *sinc);
void qt_sinc_expect(qt_sinc_t *sinc, size_t count);
/* The same, for a sinc that has been waited for. */
void qt_sinc_resize(qt_sinc_t *sinc, size_t const diff);
void qt_sinc_submit(qt_sinc_t *QT_RESTRICT sinc, void const *QT_RESTRICT value);
/* Memory for a value of the calling worker's alone, at first the initial one: what stands there is
 * reduced into what a wait gives, besides what is submitted (NULL counts without a value). It must
 * not be kept across anything that lets another task run. NULL: the sinc only counts, there is no
 * memory, no worker calls, or one whose number is not below that of the workers when the sinc was
 * made. */
void *qt_sinc_tmpdata(qt_sinc_t *sinc);
void qt_sinc_wait(qt_sinc_t *QT_RESTRICT sinc, void *QT_RESTRICT target);

Q_ENDCXX

#endif /* QT_SINC_H */
