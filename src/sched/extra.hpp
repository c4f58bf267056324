// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What few tasks need: an id, a name, a copied argument, values of slots. Made on first need.
//
// All that there are stand in lists, so that a stop finds those of tasks that it abandons without
// the tasks: a fork's descriptor may be anywhere, and gone.
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
  atomic<const char*> name{nullptr};
  void* copy = nullptr;          // of the argument; owned
  std::size_t copy_bytes = 0;    // as raw_alloc was asked for
  slot_value* values = nullptr;  // of slots, `value_count` of them; owned
  uint32_t value_count = 0;
  void* scopes = nullptr;         // of cancellers: see sync/cancel_scope.hpp. By the task alone.
  uint32_t key_words = 0;         // of the key by which pools order; 0: none
  const uint64_t* key = nullptr;  // one_key or, if it has more words, memory of its own
  uint64_t one_key = 0;
  struct {  // while it lies in a key_heap
    task* of;
    int64_t rank;
    task_extra* child;
    task_extra* sibling;
  } in_heap{};
  task_extra* next = nullptr;   // of its list
  task_extra** link = nullptr;  // what points at it there
};

// The task's extra part, made if need be; null: no memory. Any thread.
task_extra* extra_of(task& t) noexcept;

// At the task's end, on its last worker: destructors of slots, and the copied argument.
void end_extra(task& t) noexcept;
// When the handle is released.
void release_extra(task& t) noexcept;
// At a stop, of all tasks that are left: no destructor runs, and no task is touched.
void abandon_extras() noexcept;
// In a process just forked: those of the parent stay as they are, and no thread of its looks at a
// name.
void forget_extras() noexcept;

// A number of its own for a task, given at the first call. 0: no memory.
uint64_t task_id(task& t) noexcept;

// Gives it a key, a copy. False: no memory.
[[nodiscard]] bool set_key(task_extra& x, const uint64_t* key, uint32_t words) noexcept;

// The name it was spawned with, or null. The task does not end meanwhile.
const char* task_name(const task& t) noexcept;

// For a report of another thread, of a descriptor from the pools that may be free or another task's
// by now: looks at the name, or null; it does not go away meanwhile.
void with_task_name(const task& t, void (*look)(const char* name, void* argument),
                    void* argument) noexcept;

// Slots: see weft/task.h for the errors.
int slot_create(void (*destroy)(void*), uint32_t* out) noexcept;
int slot_delete(uint32_t slot) noexcept;
int slot_set(task& t, uint32_t slot, void* value) noexcept;
void* slot_get(const task& t, uint32_t slot) noexcept;

}  // namespace weft::rt
