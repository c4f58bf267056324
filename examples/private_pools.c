// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared nothing: each worker has a pool of its own, and data of its own that needs no lock.
//
//   private_pools ACCOUNTS TRANSFERS
//
// A bank whose accounts are divided among the workers. An account is touched by tasks of its worker
// alone, so it has no lock and no atomic. A transfer is two messages: the worker of the payer takes
// the money, if there is enough, and sends the rest of the work to the worker of the receiver.
// Messages are stackless tasks in that worker's pool. The program prints how much money there is in
// the end, how many transfers were made, and how many tasks one worker took from another: none.
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

// One account may get the money of all.
enum { at_first = 100, most = 10000000 };

typedef struct {
  uint32_t from;
  uint32_t to;
  uint32_t amount;
} transfer_t;

typedef struct {
  weft_pool_t pool;
  uint64_t made;     // transfers whose second half ran here
  char padding[64];  // its own cache line
} shard_t;

static uint32_t shard_count;
static shard_t* shards;
static uint32_t* money;  // of account a, which belongs to shard a % shard_count
static weft_latch_t all_done;

static void must(const char* what, int error) {
  if (error == 0) return;
  fprintf(stderr, "private_pools: %s: %s\n", what, strerror(-error));
  exit(1);
}

// Runs fn, with a copy of t, on the worker that has the account.
static void send(uint32_t account, weft_fn_t fn, const transfer_t* t) {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.worker = shards[account % shard_count].pool;
  how.flags = WEFT_SPAWN_STACKLESS;
  how.copy_bytes = sizeof *t;
  must("spawn", weft_task_spawn_with(fn, (void*)t, &how, NULL));
}

static void* put(void* arg) {
  const transfer_t* t = arg;
  money[t->to] += t->amount;
  ++shards[t->to % shard_count].made;
  must("latch", weft_latch_count_down(&all_done, 1));
  return NULL;
}

static void* take(void* arg) {
  const transfer_t* t = arg;
  if (money[t->from] < t->amount) {
    must("latch", weft_latch_count_down(&all_done, 1));
    return NULL;
  }
  money[t->from] -= t->amount;
  send(t->to, put, t);
  return NULL;
}

// Whether text is a number in this range, and nothing beside it.
static bool number(const char* text, uint64_t least, uint64_t most, uint64_t* out) {
  char* end = NULL;
  *out = strtoull(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *out >= least && *out <= most;
}

int main(int argc, char** argv) {
  uint64_t wanted = 1000;
  uint64_t moves = 100000;
  if (argc > 3 || (argc > 1 && !number(argv[1], 1, most, &wanted)) ||
      (argc > 2 && !number(argv[2], 0, most, &moves))) {
    fputs("usage: private_pools [ACCOUNTS [TRANSFERS]]     (to 10000000; at least one account)\n",
          stderr);
    return 2;
  }
  const uint32_t accounts = (uint32_t)wanted;
  const uint32_t transfers = (uint32_t)moves;

  must("start", weft_start(NULL));
  shard_count = weft_worker_count();
  shards = calloc(shard_count, sizeof *shards);
  money = malloc(accounts * sizeof *money);
  if (shards == NULL || money == NULL) must("memory", -ENOMEM);
  for (uint32_t i = 0; i < accounts; ++i) money[i] = at_first;
  must("latch", weft_latch_init(&all_done, transfers));

  for (uint32_t w = 0; w < shard_count; ++w) {
    weft_pool_config_t one_consumer = {0};
    one_consumer.size = sizeof one_consumer;
    one_consumer.access = WEFT_POOL_ONE_CONSUMER;
    must("pool", weft_pool_create(&one_consumer, &shards[w].pool));
    weft_scheduler_config_t alone = {0};
    alone.size = sizeof alone;
    alone.pools = &shards[w].pool;
    alone.count = 1;
    alone.flags = WEFT_SCHEDULER_ALONE;
    weft_scheduler_t s = NULL;
    must("scheduler", weft_scheduler_create(&alone, &s));
    must("scheduler", weft_worker_set_scheduler(w, s));
  }

  uint64_t random = 88172645463325252u;
  for (uint32_t i = 0; i < transfers; ++i) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    const transfer_t t = {(uint32_t)(random % accounts), (uint32_t)(random / 7 % accounts),
                          (uint32_t)(random >> 58)};
    send(t.from, take, &t);
  }
  must("wait", weft_latch_wait(&all_done));

  weft_stats_t stats = {0};
  stats.size = sizeof stats;
  must("stats", weft_stats_read(&stats));
  uint64_t sum = 0;
  for (uint32_t i = 0; i < accounts; ++i) sum += money[i];
  uint64_t made = 0;
  for (uint32_t w = 0; w < shard_count; ++w) made += shards[w].made;
  printf("%llu in %u accounts\n", (unsigned long long)sum, accounts);
  printf("%s transfers were made\n", made == 0 ? "no" : made < transfers ? "some" : "all");
  printf("%llu tasks stolen\n", (unsigned long long)stats.steals);
  if (fflush(stdout) != 0 || ferror(stdout)) must("output", -EIO);
  const int left = weft_stop();
  free(money);
  free(shards);
  return left != 0 || sum != (uint64_t)at_first * accounts;
}
