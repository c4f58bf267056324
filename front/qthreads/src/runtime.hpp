// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all tasks share between qthread_initialize and qthread_finalize.
#pragma once

#include <atomic>
#include <cstdint>

#include "current.hpp"
#include "env.hpp"
#include "processors.hpp"

namespace weft::qt {

inline constexpr uint32_t most_workers = 1024;  // as Weft

// The next of the numbers that are given to tasks or teams: those below `first`, and the last, mean
// none, or are somebody's.
inline uint32_t next_number(std::atomic<uint32_t>& next, uint32_t first) noexcept {
  for (;;) {
    const uint32_t n = next.fetch_add(1, std::memory_order_relaxed);
    if (n >= first && n != UINT32_MAX) [[likely]]
      return n;
  }
}
inline constexpr uint32_t first_id = 1;
inline constexpr uint32_t first_team = 2;  // the default team is 1

struct runtime {
  std::atomic<bool> running{false};
  std::atomic<bool> forks_plainly{false};  // running, no stop has begun, and a task may be stolen
  settings options;
  uint32_t shepherds = 0;
  uint32_t per_shepherd = 0;  // worker w belongs to shepherd w / per_shepherd
  uint32_t workers = 0;
  std::size_t stack_bytes = 0;
  processors of_starter;  // unknown where it was a worker before
  std::atomic<uint32_t> next_id{first_id};
  std::atomic<uint32_t> next_team{first_team};
  std::atomic<uint64_t> teams{0};       // that qthread_finalize waits for; subteams are in theirs
  std::atomic<bool> any_eureka{false};  // there was one; until then nobody need ask for the team's
  std::atomic<bool> any_held_action{false};  // a blocking action held its worker
  std::atomic<bool> any_held_back{false};    // a task was forked with words to wait for
  std::atomic<bool> stops{false};            // Weft does, by qthread_finalize(), unless guests stay

  void begin() noexcept {
    forks_plainly.store(may_be_stolen(), std::memory_order_relaxed);
    running.store(true, std::memory_order_release);
  }
  // Then records are made at forks: see polling.hpp.
  void begin_stop() noexcept {
    forks_plainly.store(false, std::memory_order_relaxed);
    stops.store(true, std::memory_order_seq_cst);  // C2 <> C1: of io_pool.cpp
  }
  void end_stop(bool goes_on) noexcept {
    stops.store(false, std::memory_order_relaxed);
    if (goes_on) forks_plainly.store(may_be_stolen(), std::memory_order_relaxed);
  }
  void end() noexcept {
    forks_plainly.store(false, std::memory_order_relaxed);
    running.store(false, std::memory_order_release);
  }
  // Whether a fork without a shepherd lies where its forker is, for any worker to take, and so does
  // the task whenever it is ready.
  bool may_be_stolen() const noexcept { return options.steals && !options.round_robin; }
  bool is_running() const noexcept { return running.load(std::memory_order_acquire); }
};
inline runtime the;

// How many tasks could run or do: those that are not over, less those that wait. A sum of counters,
// each written by its worker alone; the last is everybody else's.
class busyness {
 public:
  void add(int64_t n) noexcept { add(readable_self(), n); }
  void add(const worker_words* w, int64_t n) noexcept {
    if (w != nullptr) [[likely]]
      return add_of(w->index, n);
    const uint32_t worker = worker_index();
    if (worker < most_workers) {
      add_of(worker, n);
    } else {
      at_[most_workers].count.fetch_add(n, std::memory_order_relaxed);
    }
  }
  // By the code that runs on that worker: a load and a store, which compilers do not join into the
  // one instruction that it takes.
  void add_of(uint32_t worker, int64_t n) noexcept {
    std::atomic<int64_t>& mine = at_[worker].count;
#if defined(__x86_64__)
    if constexpr (!weft::detail::thread_sanitizer) {
      asm("addq %1, %0" : "+m"(mine) : "er"(n) : "cc");
      return;
    }
#endif
    mine.store(mine.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  int64_t sum() const noexcept {
    int64_t n = 0;
    for (const counter& c : at_) n += c.count.load(std::memory_order_relaxed);
    return n;
  }
  void reset() noexcept {
    for (counter& c : at_) c.count.store(0, std::memory_order_relaxed);
  }

 private:
  struct alignas(64) counter {
    std::atomic<int64_t> count{0};
  };
  counter at_[most_workers + 1];
};
inline busyness busy;

// Around a fork of the process: nobody declares a lock or looks for one meanwhile.
void hold_declared_locks() noexcept;
void let_declared_locks_go() noexcept;

}  // namespace weft::qt
