/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks count together and meet at a barrier; who has passed it sees all counts. usage: meeting
 * TASKS */
#include <qthread/barrier.h>
#include <qthread/qthread.h>
#include <stdio.h>
#include <stdlib.h>

static qt_barrier_t* door;
static aligned_t counted;

static aligned_t count(void* arg) {
  qthread_incr(&counted, 1);
  qt_barrier_enter_id(door, (qthread_shepherd_id_t)(aligned_t)arg);
  return counted;
}

/* What main returns: 0 if all output has been written. */
static int written(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  fputs("meeting: the output cannot be written\n", stderr);
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2 || qthread_initialize() != QTHREAD_SUCCESS) return 1;
  const unsigned long tasks = strtoul(argv[1], NULL, 10);
  aligned_t* seen = calloc(tasks, sizeof *seen);
  if (seen == NULL) return 1;
  door = qt_barrier_create(tasks, REGION_BARRIER);
  for (unsigned long i = 0; i < tasks; ++i) qthread_fork(count, (void*)i, &seen[i]);
  unsigned long saw_all = 0;
  for (unsigned long i = 0; i < tasks; ++i) {
    qthread_readFF(NULL, &seen[i]);
    saw_all += seen[i] == tasks;
  }
  printf("%lu of %lu tasks saw %lu\n", saw_all, tasks, (unsigned long)counted);
  qt_barrier_destroy(door);
  free(seen);
  return written();
}
