/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts the leaves of a tree: each leaf submits 1 to one sinc, which adds, and main waits for the
 * sum. No task waits for its children. usage: leaves DEPTH */
#include <qthread/qthread.h>
#include <qthread/sinc.h>
#include <stdio.h>
#include <stdlib.h>

enum { branches = 3 };

static qt_sinc_t* sum;

static void add(void* into, void const* value) { *(aligned_t*)into += *(aligned_t const*)value; }

static aligned_t grow(void* arg) {
  const aligned_t depth = (aligned_t)arg, one = 1;
  if (depth == 0) {
    qt_sinc_submit(sum, &one);
    return 0;
  }
  for (int i = 0; i < branches; ++i) qthread_fork(grow, (void*)(depth - 1), NULL);
  return 0;
}

/* What main returns: 0 if all output has been written. */
static int written(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  fputs("leaves: the output cannot be written\n", stderr);
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2 || qthread_initialize() != QTHREAD_SUCCESS) return 1;
  const aligned_t depth = strtoul(argv[1], NULL, 10), none = 0;
  aligned_t leaves = 1, counted = 0;
  for (aligned_t i = 0; i < depth; ++i) leaves *= branches;
  sum = qt_sinc_create(sizeof none, &none, add, leaves);
  qthread_fork(grow, (void*)depth, NULL);
  qt_sinc_wait(sum, &counted);
  printf("%lu leaves\n", (unsigned long)counted);
  qt_sinc_destroy(sum);
  return written();
}
