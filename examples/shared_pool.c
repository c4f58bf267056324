// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pool for all workers, first in, first out: work begins in the order in which it was put.
//
//   shared_pool LIMIT
//
// Of the numbers below LIMIT, which takes the most steps to 1 if even ones are halved and odd ones
// become 3n + 1? Blocks of numbers are stackless tasks in one pool that every worker serves. The
// largest numbers, which take longest, are put first. The program prints the number and its steps.
//
// Weft's own queues would do here as well, and cost less: a worker has one of its own and takes
// what it put last. One queue for all is for work whose order matters to somebody: requests,
// events, frames.
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

enum { block = 2048 };

typedef struct {
  uint64_t first;
  uint64_t last;  // one behind
  uint64_t best;
  uint64_t steps;
  weft_task_t task;
} block_t;

static void must(const char* what, int error) {
  if (error == 0) return;
  fprintf(stderr, "shared_pool: %s: %s\n", what, strerror(-error));
  exit(1);
}

static void* search(void* arg) {
  block_t* b = arg;
  for (uint64_t n = b->first; n < b->last; ++n) {
    uint64_t steps = 0;
    for (uint64_t at = n; at != 1; ++steps) at = at % 2 == 0 ? at / 2 : 3 * at + 1;
    if (steps > b->steps) {
      b->best = n;
      b->steps = steps;
    }
  }
  return NULL;
}

// Whether text is a number in this range, and nothing beside it.
static bool number(const char* text, uint64_t least, uint64_t most, uint64_t* out) {
  char* end = NULL;
  *out = strtoull(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *out >= least && *out <= most;
}

int main(int argc, char** argv) {
  uint64_t limit = 1000000;
  if (argc > 2 || (argc == 2 && !number(argv[1], 2, 1000000000, &limit))) {
    fputs("usage: shared_pool [LIMIT]     (from 2 to 1000000000)\n", stderr);
    return 2;
  }

  must("start", weft_start(NULL));
  weft_pool_t pool = 0;
  must("pool", weft_pool_create(NULL, &pool));  // shared, first in, first out
  weft_scheduler_config_t config = {0};
  config.size = sizeof config;
  config.pools = &pool;
  config.count = 1;
  weft_scheduler_t all = NULL;
  must("scheduler", weft_scheduler_create(&config, &all));
  for (uint32_t w = 0; w < weft_worker_count(); ++w)
    must("scheduler", weft_worker_set_scheduler(w, all));
  must("scheduler", weft_scheduler_free(all));  // the workers keep it

  const size_t count = (size_t)((limit + block - 1) / block);
  block_t* blocks = calloc(count, sizeof *blocks);
  if (blocks == NULL) must("memory", -ENOMEM);
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.worker = pool;
  how.flags = WEFT_SPAWN_STACKLESS;
  for (size_t i = count; i-- > 0;) {
    blocks[i].first = i == 0 ? 1 : i * block;
    blocks[i].last = (i + 1) * block < limit ? (i + 1) * block : limit;
    blocks[i].best = blocks[i].first;
    must("spawn", weft_task_spawn_with(search, &blocks[i], &how, &blocks[i].task));
  }
  uint64_t best = 1;
  uint64_t steps = 0;
  for (size_t i = 0; i < count; ++i) {
    must("join", weft_task_join(blocks[i].task, NULL));
    if (blocks[i].steps <= steps) continue;
    best = blocks[i].best;
    steps = blocks[i].steps;
  }
  printf("%llu takes %llu steps\n", (unsigned long long)best, (unsigned long long)steps);
  free(blocks);
  if (fflush(stdout) != 0 || ferror(stdout)) must("output", -EIO);
  return weft_stop() != 0;
}
