// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scheduler that runs first what is due first, and says which deadlines it kept.
//
//   deadlines < jobs
//
// A line of input is a job: when it comes, how long it takes, when it must be done, its name. Time
// is counted in ticks, each of which one job uses; so the answer is the same on any machine. The
// program prints for each job, as it ends, when that was and how late it is.
//
// Pools order by key. All jobs are spawned at the start, into a pool in the
// order in which they come. The scheduler's function is asked whenever its worker wants something
// to run: it moves those that have come by now to the pool by deadline, and takes the first of
// that. A job yields after each tick and goes back to the pool, where one that is due earlier goes
// before it.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

enum { most_jobs = 1000 };

typedef struct {
  uint64_t comes;
  uint64_t ticks;
  uint64_t due;
  char name[32];
} job_t;

static job_t jobs[most_jobs];
static size_t count;
static uint64_t now;              // of the one worker that serves the pool
static weft_pool_t waiting_room;  // jobs that have not come yet, in the order of time
static weft_pool_t ready;         // by deadline

static void must(const char* what, int error) {
  if (error == 0) return;
  fprintf(stderr, "deadlines: %s: %s\n", what, strerror(-error));
  exit(1);
}

// Of the line after the jobs that are read.
static void refuse(const char* line, const char* accepted) {
  fprintf(stderr, "deadlines: line %zu is '%.*s': %s\n", count + 1, (int)strcspn(line, "\n"), line,
          accepted);
  exit(1);
}

static void read_jobs(void) {
  char* line = NULL;
  size_t room = 0;
  for (; getline(&line, &room, stdin) >= 0; ++count) {
    if (count == most_jobs) refuse(line, "no more than 1000 jobs are accepted");
    job_t* j = &jobs[count];
    long long comes, ticks, due;
    char more;
    if (sscanf(line, "%lld %lld %lld %31s %c", &comes, &ticks, &due, j->name, &more) != 4)
      refuse(line, "three numbers and a name of up to 31 characters are accepted");
    if (comes < 0 || ticks < 1 || due < 0)
      refuse(line, "times from 0 up are accepted, and one tick or more");
    j->comes = (uint64_t)comes;
    j->ticks = (uint64_t)ticks;
    j->due = (uint64_t)due;
    if (count > 0 && j->comes < jobs[count - 1].comes)
      refuse(line, "jobs are accepted in the order in which they come");
  }
  if (ferror(stdin)) must("input", -EIO);
  free(line);
}

static void* run(void* arg) {
  job_t* j = arg;
  for (uint64_t i = 0; i < j->ticks; ++i) {
    ++now;
    if (i + 1 < j->ticks) must("yield", weft_task_yield());
  }
  if (now > j->due) {
    printf("%llu %s late by %llu\n", (unsigned long long)now, j->name,
           (unsigned long long)(now - j->due));
  } else {
    printf("%llu %s\n", (unsigned long long)now, j->name);
  }
  return NULL;
}

// Of the jobs that have not come yet, the first is jobs[come].
static size_t come;
static void let_in(void) {
  for (; come < count && jobs[come].comes <= now; ++come)
    must("move", weft_pool_push(ready, weft_pool_pop(waiting_room)));
}

static weft_task_t pick(weft_scheduler_t scheduler, void* state) {
  (void)scheduler;
  (void)state;
  let_in();
  if (weft_pool_size(ready) == 0 && come < count) {  // nothing to do until the next one comes
    now = jobs[come].comes;
    let_in();
  }
  return weft_pool_pop(ready);
}

static weft_pool_t make_pool(uint32_t order) {
  weft_pool_config_t config = {0};
  config.size = sizeof config;
  config.access = WEFT_POOL_ONE_CONSUMER;
  config.order = order;
  weft_pool_t made = 0;
  must("pool", weft_pool_create(&config, &made));
  return made;
}

int main(void) {
  read_jobs();

  must("start", weft_start(NULL));
  waiting_room = make_pool(WEFT_POOL_FIFO);
  ready = make_pool(WEFT_POOL_KEY_FIFO);
  for (size_t i = 0; i < count; ++i) {
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.worker = waiting_room;
    how.key = &jobs[i].due;
    how.key_words = 1;
    must("spawn", weft_task_spawn_with(run, &jobs[i], &how, NULL));
  }

  weft_scheduler_config_t config = {0};
  config.size = sizeof config;
  const weft_pool_t pools[] = {waiting_room, ready};
  config.pools = pools;
  config.count = 2;
  config.pick = pick;
  weft_scheduler_t earliest_first = NULL;
  must("scheduler", weft_scheduler_create(&config, &earliest_first));
  must("scheduler", weft_worker_set_scheduler(weft_worker_count() - 1, earliest_first));
  const int left = weft_stop();  // which waits for all of them
  if (fflush(stdout) != 0 || ferror(stdout)) must("output", -EIO);
  return left != 0;
}
