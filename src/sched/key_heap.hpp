// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks by key, the smallest first, of equal ones the oldest or the newest.
//
// The links lie in the extra parts of the tasks that were sent to the pool. What waits may be
// another: one that such a task has called, on whose stack both wait, in its place and by its key.
// Whoever calls sees to it that nobody else does.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/extra.hpp"
#include "sched/pairing_heap.hpp"

namespace weft::rt {

// The task by which a ready one is in a pool: itself, or the one beneath that was sent there.
inline task* sent_to_pool(task* t) noexcept {
  while (!t->has(flag_pool)) t = t->beneath();
  return t;
}

class key_heap {
 public:
  void push(task* t, bool newest_first) noexcept {
    task_extra* x = sent_to_pool(t)->extra.load_acquire();  // E2 <- E1
    x->in_heap.of = t;
    x->in_heap.rank = newest_first ? --newest_ : ++oldest_;
    heap_.push(x);
  }
  // The first, or null.
  task* pop() noexcept {
    const task_extra* x = heap_.pop();
    return x != nullptr ? x->in_heap.of : nullptr;
  }

 private:
  struct links {
    static task_extra*& child(task_extra& x) noexcept { return x.in_heap.child; }
    static task_extra*& sibling(task_extra& x) noexcept { return x.in_heap.sibling; }
    static bool goes_first(const task_extra& a, const task_extra& b) noexcept {
      const uint32_t words = std::max(a.key_words, b.key_words);
      for (uint32_t i = 0; i < words; ++i) {
        const uint64_t x = i < a.key_words ? a.key[i] : 0;
        const uint64_t y = i < b.key_words ? b.key[i] : 0;
        if (x != y) return x < y;
      }
      return a.in_heap.rank < b.in_heap.rank;
    }
  };

  pairing_heap<task_extra, links> heap_;
  int64_t oldest_ = 0;
  int64_t newest_ = 0;
};

}  // namespace weft::rt
