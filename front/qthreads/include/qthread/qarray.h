/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays whose segments belong to shepherds. */
#ifndef QTHREAD_QARRAY_H
#define QTHREAD_QARRAY_H

#include <stdint.h>

#include "macros.h"
#include "qloop.h"

Q_STARTCXX

typedef enum {
  FIXED_HASH = 0, /* segment i belongs to shepherd i mod the number of shepherds */
  FIXED_FIELDS,   /* each shepherd has a row of segments */
  ALL_SAME,       /* all belong to one shepherd; asked for, it is ALL_LOCAL */
  DIST,           /* each segment says whose it is; asked for, it is DIST_RAND */
  /* Only asked for; the array is DIST afterwards. */
  DIST_STRIPES,
  DIST_FIELDS,
  DIST_RAND,
  DIST_LEAST,
  /* Only asked for; the array is ALL_SAME afterwards. */
  ALL_LOCAL,
  ALL_RAND,
  ALL_LEAST
} distribution_t;

typedef struct qarray_s {
  size_t unit_size;
  size_t count;
  size_t segment_size;  /* units in a segment */
  size_t segment_bytes; /* may be more than its units take */
  char *base_ptr;
  distribution_t dist_type;
  union {
    qthread_shepherd_id_t dist_shep; /* ALL_SAME */
    struct {
      size_t segs_per_shep; /* FIXED_FIELDS */
      size_t extras;
    } stripes;
  } dist_specific;
} qarray;

typedef void (*qa_loop_f)(size_t const startat, size_t const stopat, qarray *array, void *arg);
typedef void (*qa_loopr_f)(size_t const startat, size_t const stopat, qarray *array, void *arg,
                           void *ret);
typedef void (*qa_cloop_f)(size_t const startat, size_t const stopat, qarray const *array,
                           void *arg);

qarray *qarray_create(size_t const count, size_t const unit_size);
/* Tight: no padding between units. seg_pages: pages in a segment, 0: the library chooses. */
qarray *qarray_create_tight(size_t const count, size_t const unit_size);
qarray *qarray_create_configured(size_t const count, size_t const unit_size, distribution_t const d,
                                 char const tight, int const seg_pages);
void qarray_destroy(qarray *a);

/* For each element or part from startat to stopat - 1, at the shepherd that it belongs to. */
void qarray_iter(qarray *a, size_t const startat, size_t const stopat, qthread_f func);
void qarray_iter_loop(qarray *a, size_t const startat, size_t const stopat, qa_loop_f func,
                      void *arg);
/* Returns at once; *ret is full when all is done. */
void qarray_iter_loop_nb(qarray *a, size_t const startat, size_t const stopat, qa_loop_f func,
                         void *arg, aligned_t *ret);
void qarray_iter_constloop(qarray const *a, size_t const startat, size_t const stopat,
                           qa_cloop_f func, void *arg);
/* *ret becomes what func leaves for the elements, joined by acc; func finds in its value what *ret
 * held before. Without elements *ret stays. */
void qarray_iter_loopaccum(qarray *a, size_t const startat, size_t const stopat, qa_loopr_f func,
                           void *arg, void *ret, size_t const retsize, qt_accum_f acc);

/* The segment of element i goes to a shepherd, where the distribution lets it (DIST, ALL_SAME). */
void qarray_set_shepof(qarray *a, size_t const i, qthread_shepherd_id_t shep);
qthread_shepherd_id_t qarray_shepof(qarray const *a, size_t const index);
/* Gives mod the distribution of ref. Both are DIST or ALL_SAME, with as many segments; mod is DIST
 * if ref is. Else mod stays as it is. */
void qarray_dist_like(qarray const *ref, qarray *mod);

#define qarray_elem(a, i) qarray_elem_nomigrate(a, i)
/* Takes the caller to the element's shepherd first. */
void *qarray_elem_migrate(qarray const *a, size_t const index);

/* The address behind the last element too, for index == count. */
static inline void *qarray_elem_nomigrate(qarray const *a, size_t const index) {
  if (a == NULL || index > a->count) return NULL;
  size_t const segment = index / a->segment_size;
  size_t const inside = index - segment * a->segment_size;
  return a->base_ptr + segment * a->segment_bytes + inside * a->unit_size;
}

Q_ENDCXX

#endif /* QTHREAD_QARRAY_H */
