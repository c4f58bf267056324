// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Qthreads knows of a task: what it runs, where its value goes, its team, its memory.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <qthread/qthread.h>

#include <weft/embed.h>

#include "current.hpp"
#include "pool.hpp"

namespace weft::qt {

struct team;
class task_group;

// Where a task's value goes.
enum class ret_kind : uint8_t { none, word, syncvar, sinc, sinc_void };

// Of a task that runs. That of a plain task lies on its stack, and it costs nothing before: see
// spawn.cpp.
struct record {
  const void* mark = nullptr;  // says that this is a record of ours: see weft_task_set_record
  qthread_f f = nullptr;       // null: of the task that initialised
  void* arg = nullptr;
  void* ret = nullptr;
  team* in = nullptr;  // null: the default team
  ret_kind ret_is = ret_kind::none;
  bool leads = false;     // its team, so the team's end posts the value
  bool produces = false;  // a forked_record's task, named as the producer of ret
  bool is_away = false;   // on a thread of io_pool.hpp, so no worker's
  uint32_t id = 0;        // 0: nobody asked
  uint32_t local_bytes = 0;
  // Of a balanced loop, counted from 1: it goes to its shepherd when it asks where it is.
  uint16_t part = 0;
  bool had_eureka = false;
  bool is_awaited = false;        // its action counts: see polling.hpp
  void* local = nullptr;          // malloc'ed, once it is asked for
  uint32_t actions = 0;           // blocking ones that it is in: it belongs to no shepherd
  uint32_t sections = 0;          // critical ones of its team that it is in
  uint32_t polled_in = 0;         // the last stop of Weft in which it yielded: see polling.hpp
  uint32_t lent_frames = 0;       // of its own that stay: see group.hpp
  uint64_t outlived = 0;          // eurekas of its team
  std::jmp_buf* leave = nullptr;  // of a member of a team: to the end of its function
};

// Of a task that is more than plain, from its fork on.
struct forked_record : record {
  void* copy = nullptr;         // of a large argument; malloc'ed
  task_group* group = nullptr;  // that its end is told to
  weft_producer_t producer;
  aligned_t** awaits = nullptr;  // that it waits for itself: see let_it_wait(); malloc'ed
  std::size_t await_count = 0;
  alignas(16) std::byte small[48];  // the copy of a small argument
};

extern const char record_mark;

// What a task's record is, if it is one of ours; else null.
inline record* own_record(void* of_task) noexcept {
  auto* r = static_cast<record*>(of_task);
  return r != nullptr && r->mark == &record_mark ? r : nullptr;
}

// The caller's record; null outside tasks of ours. w: see current.hpp.
inline record* self(const worker_words* w) noexcept { return own_record(task_record(w)); }
inline record* self() noexcept { return self(readable_self()); }

// Never destroyed: tasks may end while the process does.
union record_pool {
  constexpr record_pool() noexcept : blocks(sizeof(forked_record), alignof(forked_record)) {}
  ~record_pool() {}
  block_pool blocks;
};
extern constinit record_pool records;

// Makes one, from the pool. Null: no memory.
inline forked_record* new_record() noexcept {
  void* memory = records.blocks.alloc();
  if (memory == nullptr) [[unlikely]]
    return nullptr;
  auto* r = new (memory) forked_record;
  r->mark = &record_mark;
  return r;
}

void free_memory_of(forked_record& r) noexcept;
inline void free_record(forked_record* r) noexcept {
  if (r->local != nullptr || r->copy != nullptr || r->awaits != nullptr) [[unlikely]]
    free_memory_of(*r);
  records.blocks.free(r);
}

// The task that called qthread_initialize.
extern record main_record;

// The task's own memory, of size bytes at least. Null: there is none.
void* local_memory(record& of, uint32_t size) noexcept;

// Posts a value to where it is wanted.
void post(ret_kind kind, void* ret, aligned_t value) noexcept;

}  // namespace weft::qt
