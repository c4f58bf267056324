// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small runtime on top of Weft: tied tasks with the scheduling constraint of OpenMP.
//
//   tied_tasks N
//
// A tied task begins on some thread of the team and stays there. While one waits for its children,
// its thread begins no task but its descendants: else a task that holds what the waiting one wants
// could end up above it on that thread. That is a test and not an order, so the tasks lie in a pool
// of deques with an admission test. A child that was the last hands its thread back to the parent
// at once. The team is Weft's workers and the thread of main, which is one of them, a guest, during
// a parallel region; while that lasts idle threads spin longer, as OpenMP's do.
//
// The program computes the N'th Fibonacci number by a task for each call, and prints it, how many
// tasks ran, and how many began where they might not: none.
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

// ---------------------------------------------------------------- the runtime

typedef struct tied {
  void (*fn)(void*);
  void* arg;
  struct tied* parent;
  struct tied* outer;  // while it waits: who waited on this thread before
  weft_task_t task;
  uint32_t thread;
  _Atomic uint32_t open;  // children that have not ended, and 1 until it waits for them
} tied_t;

typedef struct {
  tied_t* waiting;  // the innermost of the thread's tasks that wait; by the thread alone
  uint64_t ran;
  uint64_t refused;  // began where they might not: the test is wrong
  char padding[40];  // its own cache line
} thread_t;

static uint32_t team_size;
static thread_t* team;
static weft_pool_t tasks;
static weft_slot_t current;  // the tied task that runs

enum { region_spin_ns = 200 * 1000 };

static void must(const char* what, int error) {
  if (error == 0) return;
  fprintf(stderr, "tied_tasks: %s: %s\n", what, strerror(-error));
  exit(1);
}

// Parents wait for their children, so all of them are there.
static int descends(const tied_t* t, const tied_t* from) {
  while (t != NULL && t != from) t = t->parent;
  return t == from;
}

// The scheduling constraint. A task that has begun goes on where it belongs, whatever waits there.
static int admit(void* state, const weft_candidate_t* candidate) {
  (void)state;
  const tied_t* waiting = team[candidate->worker].waiting;
  return candidate->begun || waiting == NULL || descends(candidate->arg, waiting);
}

static void team_start(void) {
  weft_config_t config = {0};
  config.size = sizeof config;
  config.main_mode =
      WEFT_MAIN_GUEST;  // all workers are threads of Weft's own, until main joins them
  must("start", weft_start(&config));
  team_size = weft_worker_count();
  team = calloc(team_size, sizeof *team);
  if (team == NULL) must("team", -ENOMEM);
  must("slot", weft_slot_create(NULL, &current));

  weft_pool_config_t deques = {0};
  deques.size = sizeof deques;
  deques.access = WEFT_POOL_DEQUES;
  deques.admit = admit;
  must("pool", weft_pool_create(&deques, &tasks));
  weft_scheduler_config_t all = {0};
  all.size = sizeof all;
  all.pools = &tasks;
  all.count = 1;
  weft_scheduler_t scheduler = NULL;
  must("scheduler", weft_scheduler_create(&all, &scheduler));
  for (uint32_t thread = 0; thread < team_size; ++thread)
    must("scheduler", weft_worker_set_scheduler(thread, scheduler));
  must("scheduler", weft_scheduler_free(scheduler));  // the workers hold on to it
}

static void team_stop(void) {
  must("slot", weft_slot_delete(current));
  must("stop", weft_stop());
  free(team);
}

// Waits for the children of the task that runs.
static void tied_wait(void) {
  tied_t* me = weft_slot_get(current);
  if (atomic_fetch_sub(&me->open, 1) != 1) {
    thread_t* here = &team[me->thread];
    me->outer = here->waiting;
    here->waiting = me;
    must("wait", weft_task_suspend());
    // Whoever waited here since is a descendant, and has ended.
    here->waiting = me->outer;
  }
  atomic_store(&me->open, 1);
}

// The last child has the parent go on before anything else on the parent's thread.
static void child_ended(tied_t* parent) {
  if (atomic_fetch_sub(&parent->open, 1) != 1) return;
  const int failed = weft_task_hand_off(parent->task, parent->thread);
  // It is about to suspend itself: then it need not.
  if (failed == -EBUSY) must("resume", weft_task_resume(parent->task));
  if (failed != -EBUSY) must("hand off", failed);
}

static void* run(void* arg) {
  tied_t* me = arg;
  must("tie", weft_task_set_sticky(1));
  must("slot", weft_slot_set(current, me));
  me->task = weft_task_self();
  me->thread = weft_worker_index();
  thread_t* here = &team[me->thread];
  ++here->ran;
  if (here->waiting != NULL && !descends(me, here->waiting)) ++here->refused;
  me->fn(me->arg);
  tied_wait();
  tied_t* parent = me->parent;
  free(me);
  if (parent != NULL) child_ended(parent);
  return NULL;
}

static tied_t* new_tied(void (*fn)(void*), void* arg, tied_t* parent) {
  tied_t* t = malloc(sizeof *t);
  if (t == NULL) must("task", -ENOMEM);
  *t = (tied_t){.fn = fn, .arg = arg, .parent = parent};
  atomic_init(&t->open, 1);
  return t;
}

// A child of the task that runs.
static void tied_spawn(void (*fn)(void*), void* arg) {
  tied_t* parent = weft_slot_get(current);
  atomic_fetch_add(&parent->open, 1);
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.worker = tasks;
  must("spawn", weft_task_spawn_with(run, new_tied(fn, arg, parent), &how, NULL));
}

// Runs fn(arg) as the first task of the team, which the calling thread joins, and waits for it and
// all below it.
static void parallel(void (*fn)(void*), void* arg) {
  // The last worker cannot go: then this thread waits outside.
  const int joins = weft_worker_remove(0, 0) == 0;
  if (joins) {
    int failed = -EBUSY;  // until the worker's own thread has gone
    while ((failed = weft_guest_begin(0)) == -EBUSY) sched_yield();
    must("join the team", failed);
  }
  must("spin", weft_worker_set_spin(WEFT_ANYWHERE, region_spin_ns));
  weft_spawn_t first = WEFT_SPAWN_INIT;
  first.worker = team_size - 1;
  first.flags = WEFT_SPAWN_NEXT;
  weft_task_t root = NULL;
  must("spawn", weft_task_spawn_with(run, new_tied(fn, arg, NULL), &first, &root));
  must("join", weft_task_join(root, NULL));  // a guest's worker runs tasks meanwhile
  must("spin", weft_worker_set_spin(WEFT_ANYWHERE, 0));
  if (!joins) return;
  must("leave the team", weft_guest_end());
  must("add", weft_worker_add(0));
}

// ---------------------------------------------------------------- a program for it

typedef struct {
  unsigned n;
  uint64_t value;
} fib_t;

static void fib(void* arg) {
  fib_t* me = arg;
  if (me->n < 2) {
    me->value = me->n;
    return;
  }
  fib_t a = {me->n - 1, 0};
  fib_t b = {me->n - 2, 0};
  tied_spawn(fib, &a);
  tied_spawn(fib, &b);
  tied_wait();
  me->value = a.value + b.value;
}

// Whether text is a number in this range, and nothing beside it.
static bool number(const char* text, uint64_t least, uint64_t most, uint64_t* out) {
  char* end = NULL;
  *out = strtoull(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *out >= least && *out <= most;
}

int main(int argc, char** argv) {
  uint64_t n = 20;
  if (argc > 2 || (argc == 2 && !number(argv[1], 0, 40, &n))) {
    fputs("usage: tied_tasks [N]     (from 0 to 40)\n", stderr);
    return 2;
  }
  fib_t f = {(unsigned)n, 0};
  team_start();
  parallel(fib, &f);
  uint64_t ran = 0, refused = 0;
  for (uint32_t thread = 0; thread < team_size; ++thread) {
    ran += team[thread].ran;
    refused += team[thread].refused;
  }
  printf("fib(%u) = %llu\n", f.n, (unsigned long long)f.value);
  printf("%llu tasks, %llu where they may not begin\n", (unsigned long long)ran,
         (unsigned long long)refused);
  if (fflush(stdout) != 0 || ferror(stdout)) must("output", -EIO);
  team_stop();
  return refused != 0;
}
