// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which workers take free tasks: what the program wants of each, and for how many the process has
// processors; told to those whom it concerns.
#pragma once

#include <cstdint>
#include <mutex>

#include "os/affinity.hpp"
#include "sched/pool.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

// Whoever changes which workers are there, or what they take, holds it.
extern std::mutex presence_lock;
// In a process just forked: whoever held it is not here.
void forget_presence_lock() noexcept;

// Whether it takes free tasks, as far as is wanted.
bool is_enabled(uint32_t worker) noexcept;

// What the process may use has changed: threads of workers stay on processors of `allowed` (empty:
// on any), and so many workers, 1 at least, take free tasks; the others are as if disabled,
// whatever the program says of them.
void limit_workers(const os::cpu_set& allowed, uint32_t takers) noexcept;
os::cpu_set allowed_processors() noexcept;

// Under the lock, as all that follows.

// The program has not disabled it. Those are never all away.
bool is_meant(const worker& w) noexcept;
bool another_is_meant(uint32_t first, uint32_t count) noexcept;

// Changes to workers, carried out together.
class changes {
 public:
  void set_meant(worker& w, bool meant) noexcept;
  // It gets an order.
  void tell(const worker& w) noexcept { told_[w.index / bits] |= uint64_t{1} << w.index % bits; }

  void carry_out() noexcept;

 private:
  void set(worker& w, uint32_t wanted) noexcept;
  void share_out() noexcept;
  bool any() const noexcept;

  static constexpr uint32_t bits = 64;
  uint64_t told_[most_workers / bits] = {};
};

}  // namespace weft::rt
