/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that holds libweft.a and is linked to a library over libweft.so: there is one runtime.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <weft/weft.h>

int plugin_start(void);
int plugin_stop(void);
int plugin_add_one(int* number);
uint32_t plugin_worker_count(void);

static int failures = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "lifecycle_linked_program.c: %s\n", what);
}
#define EXPECT(condition) expect((condition), #condition)

static void* add_ten(void* arg) {
  *(int*)arg += 10;
  return NULL;
}

int main(void) {
  weft_config_t config = {0};
  weft_task_t task = NULL;
  int number = 0;
  config.size = sizeof config;
  config.workers = 3;
  EXPECT(weft_start(&config) == 0);
  EXPECT(plugin_worker_count() == 3);
  EXPECT(plugin_start() == -EALREADY);
  EXPECT(plugin_add_one(&number) == 0);
  EXPECT(weft_task_spawn(add_ten, &number, &task) == 0);
  EXPECT(weft_task_join(task, NULL) == 0);
  EXPECT(number == 11);
  EXPECT(plugin_stop() == 0);
  EXPECT(weft_worker_count() == 0);
  EXPECT(plugin_start() == 0);
  EXPECT(weft_worker_count() == 2);
  EXPECT(weft_stop() == 0);
  return failures == 0 ? 0 : 1;
}
