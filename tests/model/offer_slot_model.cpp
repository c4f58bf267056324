// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every item that was put comes out once, with what was written before; a put after the taking too.
#include "lockfree/offer_slot.hpp"
#include "model.hpp"

namespace {

struct item {
  rl::var<int> body;
  rl::var<int> out;
};

struct owner_and_takers : rl::test_suite<owner_and_takers, 3> {
  weft::rt::offer_slot<item> slot;
  item items[3];

  void before() {
    for (item& it : items) it.out(RL_INFO) = 0;
  }

  void came_out(item* it) {
    if (it == nullptr) return;
    RL_ASSERT(it->body(RL_INFO) == 7);
    it->out(RL_INFO) = it->out(RL_INFO) + 1;
  }

  void thread(unsigned who) {
    if (who != 0) {
      came_out(slot.take());
      came_out(slot.take());
      return;
    }
    for (int i = 0; i < 2; ++i) {
      items[i].body(RL_INFO) = 7;
      came_out(slot.put(&items[i]));
    }
    came_out(slot.take());
    RL_ASSERT(slot.empty());
    items[2].body(RL_INFO) = 7;
    came_out(slot.put(&items[2]));
  }

  void after() {
    came_out(slot.take());
    RL_ASSERT(slot.empty());
    for (item& it : items) RL_ASSERT(it.out(RL_INFO) == 1);
  }
};

// What a taker had is used again by the owner, who sees what the taker did with it.
struct used_again : rl::test_suite<used_again, 2> {
  weft::rt::offer_slot<item> there;
  weft::rt::offer_slot<item> back;
  item one;

  void before() { one.body(RL_INFO) = 0; }

  void thread(unsigned who) {
    if (who == 0) {
      one.body(RL_INFO) = 1;
      RL_ASSERT(there.put(&one) == nullptr);
      if (item* it = back.take()) {
        RL_ASSERT(it->body(RL_INFO) == 2);
        it->body(RL_INFO) = 3;
      }
      return;
    }
    if (item* it = there.take()) {
      RL_ASSERT(it->body(RL_INFO) == 1);
      it->body(RL_INFO) = 2;
      RL_ASSERT(back.put(it) == nullptr);
    }
  }
};

}  // namespace

int main() {
  return weft::model::holds<owner_and_takers>(200000) && weft::model::holds<used_again>(20000) ? 0
                                                                                               : 1;
}
