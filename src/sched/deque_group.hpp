// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deques of a group of workers: each takes its own newest first, from the others the oldest, and
// only what an admission test lets it have.
//
// A test looks into a task that nobody may take meanwhile, and passes over those it refuses, which
// lie anywhere: so a deque is a list under a lock, and not the workers' own kind. A list needs no
// memory, so a wake cannot fail. Its links go both ways and are one word of the task: the two
// neighbours' addresses, xor-ed.
//
// What yielded lies in a list of its own, first in, first out, and is taken when nothing else of
// the deque may be. Each fair_pick_every'th time a worker takes its own oldest, in turn of both, so
// that none starves.
#pragma once

#include <cstdint>

#include <weft/types.h>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "sched/spin_lock.hpp"
#include "sched/task.hpp"

namespace weft::rt {

struct worker;

class alignas(line_bytes) deque_group {
 public:
  // admit may be null: all are admitted. Null: no memory.
  static deque_group* make(int (*admit)(void*, const weft_candidate_t*), void* state) noexcept;
  static void release(deque_group* g) noexcept;

  bool tests() const noexcept { return admit_ != nullptr; }

  // Any thread; w: the calling worker or null. last: the task gave way to all others.
  void put(const worker* w, task* t, bool last) noexcept;
  // The next task that w may have; null: there is none.
  task* take(worker& w) noexcept;

  // Whether there is a task, or one for w, after a barrier that pairs with the one of who put it.
  bool holds_some() const noexcept { return size() != 0; }
  bool holds_for(const worker& w) noexcept;
  uint32_t size() const noexcept;

 private:
  enum class end { newest, oldest };

  struct list {
    task* newest = nullptr;
    task* oldest = nullptr;

    void push(task* t) noexcept;
    // Takes out t, which is next to `before`, or the first from that end where that is null.
    void remove(task* t, task* before, end from) noexcept;
  };
  struct alignas(line_bytes) one {
    spin_lock lock;
    atomic<uint32_t> held{0};
    // Under the lock.
    list ready;
    list yielded;
    uint32_t taken = 0;  // by its worker
  };

  deque_group(int (*admit)(void*, const weft_candidate_t*), void* state, uint32_t count) noexcept;
  static std::size_t bytes_for(uint32_t deques) noexcept {
    return sizeof(deque_group) + deques * sizeof(one);
  }
  one* deques() noexcept { return reinterpret_cast<one*>(this + 1); }
  const one* deques() const noexcept { return reinterpret_cast<const one*>(this + 1); }
  bool admits(const worker& w, uint32_t from, const task& t) const noexcept;
  // Under the lock: the first from that end that w may have, and the one passed before it.
  task* find(const worker& w, uint32_t from, const list& in, end first,
             task*& before) const noexcept;
  task* take_out(const worker& w, uint32_t from, list& of, end first) const noexcept;
  task* take_from(const worker& w, uint32_t from) noexcept;
  // From whose deque others' tasks are taken: w's own first, the nearest next, last what came from
  // outside.
  template <class What>
  bool any_deque_near(const worker& w, What&& what) noexcept;

  int (*const admit_)(void*, const weft_candidate_t*);
  void* const state_;
  const uint32_t outside_;  // the number of the deque for threads that are no workers: the last one
};

}  // namespace weft::rt
