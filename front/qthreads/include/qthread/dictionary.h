/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Dictionaries that tasks share. */
#ifndef QT_DICTIONARY_H
#define QT_DICTIONARY_H

#include <inttypes.h>
#include <stdlib.h>

#include "macros.h"

Q_STARTCXX

#define DELETE_SUPPORT
#define ERROR ((void *)(-1))
#define BKT_POW 20
#define NO_BUCKETS (1 << BKT_POW)

/* 1 if two keys are equal, else 0. The same pointer is taken for the same key, without a call. */
typedef int (*qt_dict_key_equals_f)(void *, void *);
/* Equal keys have equal hashes. */
typedef int (*qt_dict_hash_f)(void *);
/* Called with the key and NULL when an entry is deleted (the value is the caller's), with key and
 * value for what is left in a dictionary that is destroyed; or NULL. */
typedef void (*qt_dict_cleanup_f)(void *, void *);

struct list_entry {
  void *value;
  void *key;
  uint64_t hashed_key;
  struct list_entry *next;
};
typedef struct list_entry list_entry;
typedef struct qt_dictionary qt_dictionary;
typedef struct qt_dictionary_iterator qt_dictionary_iterator;

qt_dictionary *qt_dictionary_create(qt_dict_key_equals_f eq, qt_dict_hash_f hash,
                                    qt_dict_cleanup_f cleanup);
/* What is left in it is cleaned up. */
void qt_dictionary_destroy(qt_dictionary *d);

/* The value that is in the dictionary afterwards; NULL: no memory. A key with the value NULL counts
 * as absent. */
void *qt_dictionary_put(qt_dictionary *dict, void *key, void *value);
void *qt_dictionary_put_if_absent(qt_dictionary *dict, void *key, void *value);
/* NULL: there is none. */
void *qt_dictionary_get(qt_dictionary *dict, void *key);
/* The value that was there; NULL: there was none. */
void *qt_dictionary_delete(qt_dictionary *dict, void *key);

/* An iterator stands before the first entry. Entries that are put meanwhile may be missed; none may
 * be deleted. ERROR: no memory. */
qt_dictionary_iterator *qt_dictionary_iterator_create(qt_dictionary *dict);
void qt_dictionary_iterator_destroy(qt_dictionary_iterator *it);
/* The next entry; NULL: there is none, and the iterator stands at the end. ERROR: it is NULL. */
list_entry *qt_dictionary_iterator_next(qt_dictionary_iterator *it);
/* The entry it stands at; NULL: at the end or before the first. */
list_entry *qt_dictionary_iterator_get(qt_dictionary_iterator const *it);
/* A new iterator at the end; NULL: no memory. */
qt_dictionary_iterator *qt_dictionary_end(qt_dictionary *dict);
int qt_dictionary_iterator_equals(qt_dictionary_iterator *a, qt_dictionary_iterator *b);
qt_dictionary_iterator *qt_dictionary_iterator_copy(qt_dictionary_iterator *b);

/* Writes to standard output how full the buckets are. */
void qt_dictionary_printbuckets(qt_dictionary *dict);

Q_ENDCXX

#endif /* QT_DICTIONARY_H */
