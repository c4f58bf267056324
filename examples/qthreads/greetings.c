/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A task for each name on the command line; their return values are read in order. usage: greetings
 * NAME... */
#include <qthread/qthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static aligned_t greet(void* name) { return strlen(name); }

/* What main returns: 0 if all output has been written. */
static int written(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  fputs("greetings: the output cannot be written\n", stderr);
  return 1;
}

int main(int argc, char** argv) {
  if (qthread_initialize() != QTHREAD_SUCCESS) return 1;
  aligned_t* lengths = calloc((size_t)argc, sizeof *lengths);
  if (lengths == NULL) return 1;
  for (int i = 1; i < argc; ++i)
    if (qthread_fork(greet, argv[i], &lengths[i]) != QTHREAD_SUCCESS) return 1;
  for (int i = 1; i < argc; ++i) {
    qthread_readFF(NULL, &lengths[i]); /* waits until the task has returned */
    printf("Hello %s, your name has %lu bytes\n", argv[i], (unsigned long)lengths[i]);
  }
  free(lengths);
  return written();
}
