/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The same tree without anybody who waits: each sum is a task that starts when both of its words
 * are full. usage: dataflow N */
#include <qthread/qthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  aligned_t n;
  aligned_t* result; /* empty until the value is there */
  aligned_t parts[2];
};

static aligned_t add(void* arg) {
  struct node* me = arg;
  qthread_writeEF_const(me->result, me->parts[0] + me->parts[1]);
  free(me);
  return 0;
}

static aligned_t unfold(void* arg) {
  struct node* me = arg;
  if (me->n < 2) {
    qthread_writeEF_const(me->result, me->n);
    free(me);
    return 0;
  }
  struct node* parts[2];
  for (aligned_t i = 0; i < 2; ++i) {
    qthread_empty(&me->parts[i]);
    parts[i] = malloc(sizeof *parts[i]);
    if (parts[i] == NULL) abort();
    parts[i]->n = me->n - 1 - i;
    parts[i]->result = &me->parts[i];
  }
  qthread_fork_precond(add, me, NULL, 2, &me->parts[0], &me->parts[1]);
  for (int i = 0; i < 2; ++i) qthread_fork(unfold, parts[i], NULL);
  return 0;
}

/* What main returns: 0 if all output has been written. */
static int written(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  fputs("dataflow: the output cannot be written\n", stderr);
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2 || qthread_initialize() != QTHREAD_SUCCESS) return 1;
  aligned_t result;
  struct node* root = malloc(sizeof *root);
  if (root == NULL) return 1;
  root->n = strtoul(argv[1], NULL, 10);
  root->result = &result;
  qthread_empty(&result);
  qthread_fork(unfold, root, NULL);
  qthread_readFF(&result, &result);
  printf("fibonacci(%s) = %lu\n", argv[1], (unsigned long)result);
  return written();
}
