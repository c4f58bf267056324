/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tree of forks whose return values are read; small numbers are computed in place. usage:
 * fibonacci N */
#include <qthread/qthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { cut_off = 12 };

static aligned_t in_place(aligned_t n) { return n < 2 ? n : in_place(n - 1) + in_place(n - 2); }

static aligned_t fibonacci(void* arg) {
  const aligned_t n = (aligned_t)arg;
  if (n < cut_off) return in_place(n);
  aligned_t one_less, two_less;
  qthread_fork(fibonacci, (void*)(n - 1), &one_less);
  qthread_fork(fibonacci, (void*)(n - 2), &two_less);
  qthread_readFF(&one_less, &one_less);
  qthread_readFF(&two_less, &two_less);
  return one_less + two_less;
}

/* What main returns: 0 if all output has been written. */
static int written(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  fputs("fibonacci: the output cannot be written\n", stderr);
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2 || qthread_initialize() != QTHREAD_SUCCESS) return 1;
  const unsigned long n = strtoul(argv[1], NULL, 10);
  aligned_t result;
  qthread_fork(fibonacci, (void*)n, &result);
  qthread_readFF(&result, &result);
  printf("fibonacci(%lu) = %lu\n", n, (unsigned long)result);
  return written();
}
