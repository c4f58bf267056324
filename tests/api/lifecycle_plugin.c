/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library over libweft.so, for programs that hold or load another copy of Weft. */
#include <stddef.h>
#include <stdint.h>

#include <weft/weft.h>

int plugin_start(void) {
  weft_config_t config = {0};
  config.size = sizeof config;
  config.workers = 2;
  return weft_start(&config);
}

int plugin_stop(void) { return weft_stop(); }

uint32_t plugin_worker_count(void) { return weft_worker_count(); }

static void* add_one(void* arg) {
  ++*(int*)arg;
  return NULL;
}

/* 0 and *number one higher, or what the spawn or the join returned. */
int plugin_add_one(int* number) {
  weft_task_t task = NULL;
  const int failed = weft_task_spawn(add_one, number, &task);
  return failed != 0 ? failed : weft_task_join(task, NULL);
}
