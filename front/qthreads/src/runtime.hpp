// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all tasks share between qthread_initialize and qthread_finalize.
#pragma once

#include <atomic>
#include <cstdint>

#include <weft/runtime.h>

#include "env.hpp"

namespace weft::qt {

inline constexpr uint32_t most_workers = 1024;  // as Weft

struct runtime {
  std::atomic<bool> running{false};
  settings options;
  uint32_t shepherds = 0;
  uint32_t per_shepherd = 0;  // worker w belongs to shepherd w / per_shepherd
  uint32_t workers = 0;
  std::size_t stack_bytes = 0;
  std::atomic<uint32_t> next_id{1};
  std::atomic<uint32_t> next_team{2};

  bool is_running() const noexcept { return running.load(std::memory_order_acquire); }
};
extern runtime the;

// How many tasks could run or do: those that are not over, less those that wait. A sum of counters, each
// written by its worker alone; the last is everybody else's.
class busyness {
 public:
  void add(int64_t n) noexcept {
    const uint32_t worker = weft_worker_index();
    std::atomic<int64_t>& mine = at_[worker < most_workers ? worker : most_workers].count;
    if (worker < most_workers) {
      mine.store(mine.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    } else {
      mine.fetch_add(n, std::memory_order_relaxed);
    }
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
extern busyness busy;

}  // namespace weft::qt
