// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program for Qthreads, built against the installed front-end; one of its waits is Weft's own.
#include <qthread/qthread.h>
#include <stdio.h>

#include <weft/weft.h>

static aligned_t square(void* arg) {
  const aligned_t n = *(aligned_t*)arg;
  return n * n;
}

int main(void) {
  if (qthread_initialize() != QTHREAD_SUCCESS) return 1;
  aligned_t numbers[10], squares[10], sum = 0;
  for (aligned_t i = 0; i < 10; ++i) {
    numbers[i] = i + 1;
    if (qthread_fork(square, &numbers[i], &squares[i]) != QTHREAD_SUCCESS) return 1;
  }
  for (int i = 0; i < 9; ++i) {
    aligned_t one;
    qthread_readFF(&one, &squares[i]);
    sum += one;
  }
  uint64_t last;
  if (weft_word_read_ff((uint64_t*)&squares[9], &last) != 0) return 1;
  sum += last;
  printf("%d\n", (int)sum);
  qthread_finalize();
  return 0;
}
