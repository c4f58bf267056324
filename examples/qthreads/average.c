/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The average of the numbers from 1 to N: a loop that accumulates, divided among the workers.
 * usage: average N */
#include <qthread/qloop.h>
#include <qthread/qthread.h>
#include <stdio.h>
#include <stdlib.h>

static void sum(size_t const from, size_t const to, void* numbers, void* result) {
  double all = 0;
  for (size_t i = from; i < to; ++i) all += ((double*)numbers)[i];
  *(double*)result = all;
}

static void fill(size_t const from, size_t const to, void* numbers) {
  for (size_t i = from; i < to; ++i) ((double*)numbers)[i] = (double)(i + 1);
}

/* What main returns: 0 if all output has been written. */
static int written(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  fputs("average: the output cannot be written\n", stderr);
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2 || qthread_initialize() != QTHREAD_SUCCESS) return 1;
  const size_t n = strtoul(argv[1], NULL, 10);
  double *numbers = malloc(n * sizeof *numbers), all = 0;
  if (n == 0 || numbers == NULL) return 1;
  qt_loop_balance(0, n, fill, numbers);
  qt_loopaccum_balance(0, n, sizeof all, &all, sum, numbers, qt_dbl_add_acc);
  printf("%zu numbers, average %.1f\n", n, all / (double)n);
  free(numbers);
  return written();
}
