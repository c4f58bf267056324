// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the models of the deque share: items whose body only the taker may see, those who take them
// beside the owner, and the end, where each was taken once.
#pragma once

#include <optional>

#include "lockfree/work_deque.hpp"
#include "model.hpp"

namespace weft::model {

struct deque_item {
  rl::var<int> body;
  int taken = 0;
};

// Item: a deque_item; `slot`, what the deque holds of it, and `of` that gives the item back.
// Symmetric: the mode without a barrier of the process.
template <class Suite, int Threads, bool Symmetric, class Item, int Items>
struct deque_users : rl::test_suite<Suite, Threads> {
  using slot = typename Item::slot;

  rt::asymmetric_fences fences;
  Item items[Items];
  int made = 0;
  std::optional<rt::work_deque<slot>> deque;

  void make_deque(int capacity) { deque.emplace(memory, pause, Symmetric, capacity); }

  Item& next() {
    Item& it = items[made++];
    it.body(RL_INFO) = 7;
    return it;
  }
  void take(Item& it) {
    RL_ASSERT(it.body(RL_INFO) == 7);
    it.body(RL_INFO) = 8;
    ++it.taken;
  }

  void steal() {
    slot s = nullptr;
    if (deque->steal(s) == rt::steal_result::taken) take(Item::of(s));
  }
  void force_and_steal() {
    deque->force_share(process_barrier{});
    steal();
  }
  // What the threads beside the owner do in most suites: the first of them shares by force what all
  // take.
  void rob(unsigned who) {
    for (int tries = 0; tries < 2; ++tries) {
      if (who == 1) {
        force_and_steal();
      } else {
        steal();
      }
    }
  }

  // The owner's future.
  void after() {
    while (slot s = deque->pop()) take(Item::of(s));
    for (int i = 0; i < made; ++i) RL_ASSERT(items[i].taken == 1);
    RL_ASSERT(deque->remaining_hint() == 0);
    deque.reset();
  }
};

}  // namespace weft::model
