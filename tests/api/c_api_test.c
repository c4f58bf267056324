/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C API from C11: a start with options, each kind of spawn and wait once, exact results. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <weft/weft.h>

static int failures = 0;

static void expect(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "c_api_test.c:%d: %s\n", line, what);
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)

static void* add_one(void* arg) { return (void*)((intptr_t)arg + 1); }

static void* fib(void* arg) {
  const intptr_t n = (intptr_t)arg;
  weft_task_t child = NULL;
  void* a = NULL;
  void* b = NULL;
  if (n < 2) return arg;
  EXPECT(weft_task_spawn(fib, (void*)(n - 1), &child) == 0);
  b = fib((void*)(n - 2));
  EXPECT(weft_task_join(child, &a) == 0);
  return (void*)((intptr_t)a + (intptr_t)b);
}

static void* sleep_once(void* arg) {
  EXPECT(weft_task_suspend() == 0);
  return arg;
}

static void* sum_of_copy(void* arg) {
  const int* numbers = arg;
  return (void*)(intptr_t)(numbers[0] + numbers[1] + numbers[2]);
}

int main(void) {
  weft_config_t config = {0};
  weft_spawn_t spawn = WEFT_SPAWN_INIT;
  weft_stats_t stats = {0};
  weft_task_t task = NULL;
  weft_task_t many[10];
  void* results[10];
  void* result = NULL;
  int numbers[3] = {1, 2, 3};
  int i;

  config.size = sizeof config;
  config.workers = 2;
  EXPECT(weft_start(&config) == 0);
  EXPECT(weft_worker_count() == 2);

  EXPECT((intptr_t)fib((void*)(intptr_t)15) == 610);

  spawn.copy_bytes = sizeof numbers;
  spawn.name = "sum";
  EXPECT(weft_task_spawn_with(sum_of_copy, numbers, &spawn, &task) == 0);
  EXPECT(weft_task_join(task, &result) == 0);
  EXPECT((intptr_t)result == 6);

  EXPECT(weft_task_spawn_many(add_one, (void*)(intptr_t)41, 0, 10, many) == 0);
  EXPECT(weft_task_join_many(many, 10, results) == 0);
  for (i = 0; i < 10; ++i) EXPECT((intptr_t)results[i] == 42);

  EXPECT(weft_task_spawn(sleep_once, &config, &task) == 0);
  EXPECT(weft_task_yield() == 0);
  EXPECT(weft_task_resume(task) == 0);
  EXPECT(weft_task_join(task, &result) == 0);
  EXPECT(result == &config);

  EXPECT(weft_task_join(NULL, NULL) == -EINVAL);
  stats.size = sizeof stats;
  EXPECT(weft_stats_read(&stats) == 0);
  EXPECT(stats.stacks_made > 0);
  EXPECT(weft_stop() == 0);
  EXPECT(weft_stop() == -ENOTCONN);
  if (failures == 0) printf("all as expected\n");
  return failures == 0 ? 0 : 1;
}
