// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every item pushed is taken once, in the order of its pusher, also when items are reused.
#include "lockfree/inbox.hpp"
#include "model.hpp"

namespace {

struct item {
  rl::var<item*> next;
  rl::var<int> body;
  int taken = 0;
  unsigned from = 0;
  int rank = 0;
};

// Links that the checker watches for races.
struct watched_link {
  static item* get(item* it) { return it->next(RL_INFO); }
  static void set(item* it, item* next) { it->next(RL_INFO) = next; }
};

struct pushers_and_takers : rl::test_suite<pushers_and_takers, 4> {
  weft::rt::inbox<item, watched_link> box;
  item items[2][3];

  void take_all() {
    int last[2] = {-1, -1};
    for (item* it = box.take_all(); it != nullptr; it = watched_link::get(it)) {
      RL_ASSERT(it->body(RL_INFO) == 7);
      RL_ASSERT(it->rank > last[it->from]);
      last[it->from] = it->rank;
      ++it->taken;
    }
  }

  void thread(unsigned who) {
    if (who >= 2) {
      take_all();
      take_all();
      return;
    }
    for (int i = 0; i < 3; ++i) {
      items[who][i].from = who;
      items[who][i].rank = i;
      items[who][i].body(RL_INFO) = 7;
    }
    box.push(&items[who][0]);
    watched_link::set(&items[who][1], &items[who][2]);
    box.push_chain(&items[who][1], &items[who][2]);
  }

  void after() {
    take_all();
    RL_ASSERT(box.empty());
    for (item(&by_one)[3] : items)
      for (item& it : by_one) RL_ASSERT(it.taken == 1);
  }
};

// A taker pushes what it took again at once, as a worker does that passes tasks on.
struct reuse : rl::test_suite<reuse, 3> {
  weft::rt::inbox<item, watched_link> box;
  item items[2];

  void thread(unsigned who) {
    if (who < 2) {
      items[who].body(RL_INFO) = 0;
      box.push(&items[who]);
    }
    for (item* it = box.take_all(); it != nullptr;) {
      item* next = watched_link::get(it);
      it->body(RL_INFO) = it->body(RL_INFO) + 1;
      ++it->taken;
      if (it->taken < 3) box.push(it);
      it = next;
    }
  }

  void after() {
    int found = 0;
    for (item* it = box.take_all(); it != nullptr; it = watched_link::get(it)) ++found;
    for (item& it : items) {
      RL_ASSERT(it.body(RL_INFO) == it.taken);
      found += it.taken == 3;
    }
    RL_ASSERT(found == 2);
  }
};

}  // namespace

int main() {
  return weft::model::holds<pushers_and_takers>(200000) && weft::model::holds<reuse>(200000) ? 0
                                                                                             : 1;
}
