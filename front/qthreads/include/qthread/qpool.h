/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pools of equal blocks of memory. */
#ifndef QPOOL_H
#define QPOOL_H

#include <stddef.h>

#include "macros.h"

Q_STARTCXX

typedef struct qt_mpool_s qpool;

/* Blocks of size 0 are as those of size 1. */
qpool *qpool_create(size_t const item_size);
/* alignment: a power of two, or 0. */
qpool *qpool_create_aligned(size_t const item_size, size_t const alignment);
void *qpool_alloc(qpool *pool);
void qpool_free(qpool *QT_RESTRICT pool, void *QT_RESTRICT mem);
/* All blocks go with it. */
void qpool_destroy(qpool *pool);

Q_ENDCXX

#endif /* QPOOL_H */
