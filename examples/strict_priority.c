// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scheduler with strict priorities: nothing of a class runs while a more urgent class has work.
//
//   strict_priority < jobs
//
// A line of input is a job: a class from 0 (most urgent) to 3, how many steps it takes, its name.
// The program prints the names in the order in which the jobs end. After each step a job yields, so
// one that is more urgent and came later goes first from then on: jobs whose names begin with `+`
// are let in by the first step of the job in the line before.
//
// One worker serves the four pools; a scheduler without a function of its own takes from the first
// that holds something. weft.h's own priorities are a hint that starves nobody; these are strict.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

enum { classes = 4, most_jobs = 1000 };

typedef struct job {
  int urgency;
  int steps;
  char name[32];
  struct job* lets_in;
  weft_task_t task;
} job_t;

static job_t jobs[most_jobs];
static size_t count;
static weft_pool_t pools[classes];

static void must(const char* what, int error) {
  if (error == 0) return;
  fprintf(stderr, "strict_priority: %s: %s\n", what, strerror(-error));
  exit(1);
}

// Of the line after the jobs that are read.
static void refuse(const char* line, const char* accepted) {
  fprintf(stderr, "strict_priority: line %zu is '%.*s': %s\n", count + 1, (int)strcspn(line, "\n"),
          line, accepted);
  exit(1);
}

static void read_jobs(void) {
  char* line = NULL;
  size_t room = 0;
  for (; getline(&line, &room, stdin) >= 0; ++count) {
    if (count == most_jobs) refuse(line, "no more than 1000 jobs are accepted");
    job_t* j = &jobs[count];
    char more;
    if (sscanf(line, "%d %d %31s %c", &j->urgency, &j->steps, j->name, &more) != 3)
      refuse(line, "two numbers and a name of up to 31 characters are accepted");
    if (j->urgency < 0 || j->urgency >= classes || j->steps < 0)
      refuse(line, "a class from 0 to 3 is accepted, and steps from 0 up");
    if (j->name[0] == '+') {
      if (count == 0 || jobs[count - 1].steps == 0)
        refuse(line, "a + is accepted after a job that has a step");
      jobs[count - 1].lets_in = j;
    }
  }
  if (ferror(stdin)) must("input", -EIO);
  free(line);
}

static void* run(void* arg);

static void let_in(job_t* j) {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.worker = pools[j->urgency];
  must("spawn", weft_task_spawn_with(run, j, &how, &j->task));
}

static void* run(void* arg) {
  job_t* j = arg;
  for (int step = 0; step < j->steps; ++step) {
    if (step == 0 && j->lets_in != NULL) let_in(j->lets_in);
    must("yield", weft_task_yield());
  }
  puts(j->name);  // one worker serves the pools, so lines do not mix
  return NULL;
}

int main(void) {
  read_jobs();

  must("start", weft_start(NULL));
  for (int c = 0; c < classes; ++c) must("pool", weft_pool_create(NULL, &pools[c]));
  for (size_t i = 0; i < count; ++i)
    if (jobs[i].name[0] != '+') let_in(&jobs[i]);

  weft_scheduler_config_t config = {0};
  config.size = sizeof config;
  config.pools = pools;
  config.count = classes;
  weft_scheduler_t strict = NULL;
  must("scheduler", weft_scheduler_create(&config, &strict));
  must("scheduler", weft_worker_set_scheduler(weft_worker_count() - 1, strict));
  // A job is joined after the one that lets it in, and so has been spawned by then.
  for (size_t i = 0; i < count; ++i) must("join", weft_task_join(jobs[i].task, NULL));
  if (fflush(stdout) != 0 || ferror(stdout)) must("output", -EIO);
  return weft_stop() != 0;
}
