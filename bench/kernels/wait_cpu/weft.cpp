// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor time of Weft while many tasks wait, as many in each primitive.
#include "harness/weft.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "config.hpp"
#include "harness/watched_cpu.hpp"

using namespace weft::bench;

namespace {

enum kind : int {
  in_mutex,
  in_condition,
  in_semaphore,
  in_semaphore_until,
  in_read_lock,
  in_write_lock,
  in_barrier,
  in_latch,
  in_once,
  in_sinc,
  in_future,
  in_channel,
  in_select,
  in_word,
  in_syncvar,
  kinds
};

struct world {
  weft_mutex_t mutex = WEFT_MUTEX_INIT;
  weft_mutex_t of_condition = WEFT_MUTEX_INIT;
  weft_condition_t condition = WEFT_CONDITION_INIT;
  bool may_go = false;
  weft_semaphore_t semaphore = WEFT_SEMAPHORE_INIT(0);
  weft_semaphore_t timed = WEFT_SEMAPHORE_INIT(0);
  weft_rwlock_t for_readers = WEFT_RWLOCK_INIT;
  weft_rwlock_t for_writers = WEFT_RWLOCK_INIT;
  weft_barrier_t barrier{};
  weft_latch_t latch = WEFT_LATCH_INIT(1);
  weft_once_t once = WEFT_ONCE_INIT;
  weft_semaphore_t of_once = WEFT_SEMAPHORE_INIT(0);
  weft_sinc_t sinc{};
  weft_future_t future = WEFT_FUTURE_INIT;
  weft_channel_t channel = nullptr;
  weft_channel_t selected = nullptr;
  uint64_t word = 0;
  weft_syncvar_t syncvar = WEFT_SYNCVAR_INIT_EMPTY;
  std::atomic<int64_t> began{0};
  std::atomic<int64_t> up{0};
};
world* w;

void wait_in(kind k) {
  uint64_t value = 0;
  void* pointer = nullptr;
  switch (k) {
    case in_mutex:
      must(weft_mutex_lock(&w->mutex), "weft_mutex_lock");
      must(weft_mutex_unlock(&w->mutex), "weft_mutex_unlock");
      break;
    case in_condition:
      must(weft_mutex_lock(&w->of_condition), "weft_mutex_lock");
      while (!w->may_go)
        must(weft_condition_wait(&w->condition, &w->of_condition), "weft_condition_wait");
      must(weft_mutex_unlock(&w->of_condition), "weft_mutex_unlock");
      break;
    case in_semaphore:
      must(weft_semaphore_wait(&w->semaphore), "weft_semaphore_wait");
      break;
    case in_semaphore_until:
      must(weft_semaphore_wait_until(&w->timed, weft_time_now_ns() + 3'600'000'000'000),
           "weft_semaphore_wait_until");
      break;
    case in_read_lock:
      must(weft_rwlock_read_lock(&w->for_readers), "weft_rwlock_read_lock");
      must(weft_rwlock_read_unlock(&w->for_readers), "weft_rwlock_read_unlock");
      break;
    case in_write_lock:
      must(weft_rwlock_write_lock(&w->for_writers), "weft_rwlock_write_lock");
      must(weft_rwlock_write_unlock(&w->for_writers), "weft_rwlock_write_unlock");
      break;
    case in_barrier:
      if (const int result = weft_barrier_wait(&w->barrier); result < 0)
        must(result, "weft_barrier_wait");
      break;
    case in_latch:
      must(weft_latch_wait(&w->latch), "weft_latch_wait");
      break;
    case in_once:
      must(weft_once_call(
               &w->once,
               [](void*) { must(weft_semaphore_wait(&w->of_once), "weft_semaphore_wait"); },
               nullptr),
           "weft_once_call");
      break;
    case in_sinc:
      must(weft_sinc_wait(&w->sinc, nullptr), "weft_sinc_wait");
      break;
    case in_future:
      must(weft_future_get(&w->future, &pointer), "weft_future_get");
      break;
    case in_channel:
      must(weft_channel_receive(w->channel, &value), "weft_channel_receive");
      break;
    case in_select: {
      weft_case_t chosen = weft_case_receive(w->selected, &value);
      if (weft_case_select(&chosen, 1) != 0) must(-1, "weft_case_select");
      break;
    }
    case in_word:
      must(weft_word_read_ff(&w->word, &value), "weft_word_read_ff");
      break;
    case in_syncvar:
      must(weft_syncvar_read_ff(&w->syncvar, &value), "weft_syncvar_read_ff");
      break;
    case kinds:
      break;
  }
}

void* waiter(void*) {
  wait_in(static_cast<kind>(w->began.fetch_add(1) % kinds));
  w->up.fetch_add(1);
  return nullptr;
}

// count: waiters in each.
void prepare(int64_t count) {
  must(weft_mutex_lock(&w->mutex), "weft_mutex_lock");
  must(weft_rwlock_write_lock(&w->for_readers), "weft_rwlock_write_lock");
  must(weft_rwlock_write_lock(&w->for_writers), "weft_rwlock_write_lock");
  must(weft_barrier_init(&w->barrier, static_cast<uint32_t>(count + 1)), "weft_barrier_init");
  must(weft_sinc_init(&w->sinc, nullptr, 0, nullptr, 1), "weft_sinc_init");
  must(weft_channel_create(sizeof(uint64_t), 0, &w->channel), "weft_channel_create");
  must(weft_channel_create(sizeof(uint64_t), 0, &w->selected), "weft_channel_create");
  must(weft_word_empty(&w->word), "weft_word_empty");
}

void let_all_go(int64_t count) {
  const uint64_t value = 1;
  must(weft_mutex_unlock(&w->mutex), "weft_mutex_unlock");
  must(weft_mutex_lock(&w->of_condition), "weft_mutex_lock");
  w->may_go = true;
  must(weft_mutex_unlock(&w->of_condition), "weft_mutex_unlock");
  must(weft_condition_broadcast(&w->condition), "weft_condition_broadcast");
  must(weft_semaphore_post(&w->semaphore, static_cast<uint32_t>(count)), "weft_semaphore_post");
  must(weft_semaphore_post(&w->timed, static_cast<uint32_t>(count)), "weft_semaphore_post");
  must(weft_rwlock_write_unlock(&w->for_readers), "weft_rwlock_write_unlock");
  must(weft_rwlock_write_unlock(&w->for_writers), "weft_rwlock_write_unlock");
  if (const int result = weft_barrier_wait(&w->barrier); result < 0)
    must(result, "weft_barrier_wait");
  must(weft_latch_count_down(&w->latch, 1), "weft_latch_count_down");
  must(weft_semaphore_post(&w->of_once, 1), "weft_semaphore_post");
  must(weft_sinc_submit(&w->sinc, nullptr), "weft_sinc_submit");
  must(weft_future_set(&w->future, nullptr), "weft_future_set");
  for (int64_t i = 0; i < count; ++i) {
    must(weft_channel_send(w->channel, &value), "weft_channel_send");
    must(weft_channel_send(w->selected, &value), "weft_channel_send");
  }
  must(weft_word_fill(&w->word), "weft_word_fill");
  must(weft_syncvar_fill(&w->syncvar), "weft_syncvar_fill");
}

}  // namespace

// A foreign thread watches, so that no worker is kept busy or blocked by the watching.
int main(int argc, char** argv) {
  report out(argc, argv, "ms");
  const bool quick = out.opt().quick;
  const int64_t each = (quick ? waiters_quick : waiters_full) / kinds;
  const int64_t count = each * kinds;
  const int64_t watch_ms = quick ? watch_ms_quick : watch_ms_full;
  start(out);
  in_task([&] {
    world all;
    w = &all;
    prepare(each);
    weft_semaphore_t watched = WEFT_SEMAPHORE_INIT(0);
    std::vector<weft_task_t> tasks(static_cast<size_t>(count), nullptr);
    must(weft_task_spawn_many(waiter, nullptr, 0, tasks.size(), tasks.data()),
         "weft_task_spawn_many");
    std::thread watcher([&] {
      add_cpu_of_waiting(out, all.began, count, all.up, settle_ms, watch_ms);
      must(weft_semaphore_post(&watched, 1), "weft_semaphore_post");
    });
    must(weft_semaphore_wait(&watched), "weft_semaphore_wait");
    let_all_go(each);
    must(weft_task_join_many(tasks.data(), tasks.size(), nullptr), "weft_task_join_many");
    watcher.join();
    out.check("tasks up in the end", all.up.load(), count);
    must(weft_channel_destroy(all.channel), "weft_channel_destroy");
    must(weft_channel_destroy(all.selected), "weft_channel_destroy");
    must(weft_sinc_destroy(&all.sinc), "weft_sinc_destroy");
  });
  stop(out);
  out.note(std::to_string(each) + " tasks in each of " + std::to_string(int{kinds}) +
           " primitives for " + std::to_string(watch_ms) + " ms");
  return out.finish();
}
