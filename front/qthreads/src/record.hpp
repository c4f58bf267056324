// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Qthreads knows of a task: what it runs, where its value goes, its team, its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <qthread/qthread.h>

#include <weft/embed.h>

namespace weft::qt {

struct team;

// Where a task's value goes.
enum class ret_kind : uint8_t { none, word, syncvar, sinc, sinc_void };

struct record {
  const void* mark = nullptr;  // says that this is a record of ours: see weft_task_set_record
  qthread_f f = nullptr;
  void* arg = nullptr;
  void* ret = nullptr;
  team* in = nullptr;  // null: the default team
  ret_kind ret_is = ret_kind::none;
  bool leads = false;      // its team, so the team's end posts the value
  bool produces = false;   // named as the producer of ret
  bool in_action = false;  // a blocking action: it belongs to no shepherd
  uint32_t id = 0;         // 0: nobody asked
  uint32_t local_bytes = 0;
  void* local = nullptr;  // malloc'ed, once it is asked for
  void* copy = nullptr;   // of a large argument; malloc'ed
  weft_producer_t producer;
  alignas(16) std::byte small[48];  // the copy of a small one
};

// The caller's record; null outside tasks of ours.
record* self() noexcept;

// Makes one, from the pool. Null: no memory.
record* new_record() noexcept;
void free_record(record* r) noexcept;

// The task that called qthread_initialize.
extern record main_record;
extern const char record_mark;

// Posts a value to where it is wanted.
void post(ret_kind kind, void* ret, aligned_t value) noexcept;

}  // namespace weft::qt
