// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What few tasks need: an id, a name, a copied argument, values of slots. Made on first need.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "sched/task.hpp"

namespace weft::rt {

inline constexpr uint32_t max_slots = 1024;

// A value and the handle of the slot under which it was set.
struct slot_value {
  uint32_t handle;
  void* value;
};

struct task_extra {
  atomic<uint64_t> id{0};
  const char* name = nullptr;
  void* copy = nullptr;          // of the argument; owned
  std::size_t copy_bytes = 0;    // as raw_alloc was asked for
  slot_value* values = nullptr;  // of slots, `value_count` of them; owned
  uint32_t value_count = 0;
};

// The task's extra part, made if need be; null: no memory. Any thread.
task_extra* extra_of(task& t) noexcept;

// At the task's end, on its last worker: destructors of slots, and the copied argument.
void end_extra(task& t) noexcept;
// When the handle is released.
void release_extra(task& t) noexcept;

// A number of its own for a task, given at the first call. 0: no memory.
uint64_t task_id(task& t) noexcept;

// The name it was spawned with, or null.
const char* task_name(const task& t) noexcept;

// Slots: see weft/task.h for the errors.
int slot_create(void (*destroy)(void*), uint32_t* out) noexcept;
int slot_delete(uint32_t slot) noexcept;
int slot_set(task& t, uint32_t slot, void* value) noexcept;
void* slot_get(const task& t, uint32_t slot) noexcept;

}  // namespace weft::rt
