// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is sent to a worker by message or by hand-off is taken, once, though who sends says so only
// where nobody has. The steps are those of src/sched/message.cpp and src/sched/hand_off.cpp.
#include "lockfree/inbox.hpp"
#include "model.hpp"

namespace {

struct item {
  rl::var<item*> next;
  int taken = 0;
};

// Links that the checker watches for races.
struct watched_link {
  static item* get(item* it) { return it->next(RL_INFO); }
  static void set(item* it, item* next) { it->next(RL_INFO) = next; }
};

// Who counts the first message is the reader until it counts the last one off. The checker sees if
// there are two of them.
struct messages : rl::test_suite<messages, 3> {
  weft::rt::inbox<item, watched_link> arrived;
  weft::rt::atomic<uint32_t> count{0};
  rl::var<item*> waiting{nullptr};
  item items[3][2];

  void read_one() {
    for (item* it = arrived.take_all(); it != nullptr;) {
      item* after = watched_link::get(it);
      watched_link::set(it, waiting(RL_INFO));
      waiting(RL_INFO) = it;
      it = after;
    }
    item* it = waiting(RL_INFO);
    RL_ASSERT(it != nullptr);
    waiting(RL_INFO) = watched_link::get(it);
    ++it->taken;
  }

  void thread(unsigned who) {
    for (item& it : items[who]) {
      arrived.push(&it);
      if (count.add_acq_rel(1) != 0) continue;
      do {
        read_one();
      } while (count.add_acq_rel(UINT32_MAX) != 1);
    }
  }

  void after() {
    RL_ASSERT(arrived.empty() && waiting(RL_INFO) == nullptr);
    for (item(&by_one)[2] : items)
      for (item& it : by_one) RL_ASSERT(it.taken == 1);
  }
};

// A bell is rung once for all that was handed off before it is answered.
struct bell : rl::test_suite<bell, 3> {
  weft::rt::inbox<item, watched_link> handed;
  weft::rt::atomic<uint32_t> rung{0};
  weft::rt::atomic<uint32_t> mail{0};
  item items[2][2];

  void ring() {
    if (rung.exchange_acq_rel(1) == 0) mail.store_release(1);
  }

  void work() {
    item* before = nullptr;
    for (int taken = 0; taken < 4;) {
      while (mail.load_acquire() == 0) weft::model::pause(0);
      mail.store_relaxed(0);
      (void)rung.exchange_acq_rel(0);
      item* it = before != nullptr ? before : handed.take_all();
      if (it == nullptr) continue;
      before = watched_link::get(it);
      if (before != nullptr || !handed.empty()) ring();
      ++it->taken;
      ++taken;
    }
  }

  void thread(unsigned who) {
    if (who == 2) {
      work();
      return;
    }
    for (item& it : items[who]) {
      handed.push(&it);
      ring();
    }
  }

  void after() {
    for (item(&by_one)[2] : items)
      for (item& it : by_one) RL_ASSERT(it.taken == 1);
  }
};

}  // namespace

int main() {
  return weft::model::holds<messages>(30000) && weft::model::holds<bell>(30000) ? 0 : 1;
}
