/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory in files: maps of blocks of one size, or of any. */
#ifndef QALLOC_H
#define QALLOC_H

#include <sys/types.h>
#include <unistd.h>

#include "macros.h"

Q_STARTCXX

typedef struct mapinfo_s mapinfo_t;
typedef struct dynmapinfo_s dynmapinfo_t;

/* Make the file, or load it if it is there. addr: where to map it, or NULL; streams is a hint.
 * NULL: what is wrong stands in errno. */
void *qalloc_makestatmap(off_t const filesize, void *addr, char const *filename, size_t itemsize,
                         size_t const streams);
void *qalloc_makedynmap(off_t const filesize, void *addr, char const *filename,
                        size_t const streams);
/* Loads a file of either kind, to where it was when it was made. One process at a time allocates
 * from a file, and gives back to it. */
void *qalloc_loadmap(char const *filename);

/* Writes all maps to their files. */
void qalloc_checkpoint(void);
/* The same, and unmaps them. */
void qalloc_cleanup(void);

/* Blocks of a dynamic map take powers of two bytes, 16 of them the library's; a larger free block
 * is divided where there is no other room. NULL: there is none. */
void *qalloc_statmalloc(mapinfo_t *map);
void *qalloc_dynmalloc(dynmapinfo_t *map, size_t size);
void *qalloc_malloc(void *map, size_t size);

void qalloc_statfree(void *block, mapinfo_t *map);
void qalloc_dynfree(void *block, dynmapinfo_t *map);
void qalloc_free(void *block, void *map);

Q_ENDCXX

#endif /* QALLOC_H */
