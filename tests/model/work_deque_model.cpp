// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every item pushed is taken exactly once, its body seen by the taker, whoever shares meanwhile.
#include "deque_users.hpp"

using weft::rt::take_result;

namespace {

struct item : weft::model::deque_item {
  using slot = item*;
  static item& of(slot s) { return *s; }
};

// `before` is the owner's past, which every thread knows; it makes the deque that the steps under
// test meet.
template <class Suite, int Threads, bool Symmetric, int Items>
struct deque_suite : weft::model::deque_users<Suite, Threads, Symmetric, item, Items> {
  void start(int pushes, int capacity) {
    this->make_deque(capacity);
    for (int i = 0; i < pushes; ++i) push();
  }
  void push() { RL_ASSERT(this->deque->push(&this->next())); }
  void pop() {
    if (item* it = this->deque->pop()) this->take(*it);
  }
};

// The owner pops hidden work while one thread shares it by force and both others take it.
template <bool Symmetric>
struct forced_share : deque_suite<forced_share<Symmetric>, 3, Symmetric, 4> {
  void before() { this->start(3, 4); }
  void thread(unsigned who) {
    if (who == 0) {
      this->pop();
      this->pop();
      this->push();
      this->pop();
    } else {
      this->rob(who);
    }
  }
};

// The owner only pushes, through growth: nothing but the forced share publishes.
template <bool Symmetric>
struct silent_owner : deque_suite<silent_owner<Symmetric>, 3, Symmetric, 3> {
  void before() { this->start(1, 1); }
  void thread(unsigned who) {
    if (who == 0) {
      this->push();
      this->push();
    } else {
      this->force_and_steal();
      this->force_and_steal();
    }
  }
};

// A pop as the last thing seen of the owner: the slots below it must be published by that pop.
template <bool Symmetric>
struct pop_then_silence : deque_suite<pop_then_silence<Symmetric>, 2, Symmetric, 4> {
  void before() { this->start(0, 4); }
  void thread(unsigned who) {
    if (who == 0) {
      for (int i = 0; i < 3; ++i) this->push();
      this->pop();
    } else {
      for (int tries = 0; tries < 3; ++tries) this->force_and_steal();
    }
  }
};

// The owner shares what it pushed and grows its ring, thieves take it from the old ring or the new.
template <bool Symmetric>
struct own_share : deque_suite<own_share<Symmetric>, 3, Symmetric, 5> {
  void before() {
    this->start(2, 2);
    this->deque->share();
  }
  void thread(unsigned who) {
    if (who == 0) {
      this->push();
      this->deque->share();
      this->push();
      this->deque->share();
    } else {
      for (int tries = 0; tries < 3; ++tries) this->steal();
    }
  }
};

// The owner takes public items back, pushes others to the same indexes and shares them again, while
// thieves stand between any two of their steps.
template <bool Symmetric>
struct reclaim : deque_suite<reclaim<Symmetric>, 3, Symmetric, 8> {
  void before() {
    this->start(4, 4);
    this->deque->share();
    this->pop();
    this->pop();
  }
  void thread(unsigned who) {
    if (who == 0) {
      this->pop();  // takes index 1 back, unless it is too late
      this->push();
      this->push();
      this->deque->share();
      this->pop();
      this->pop();
      this->push();
    } else {
      for (int tries = 0; tries < 3; ++tries) this->steal();
    }
  }
};

// A thief that still sees an old split_ must not take what the owner took back.
template <bool Symmetric>
struct late_split : deque_suite<late_split<Symmetric>, 3, Symmetric, 5> {
  void before() {
    this->start(4, 4);
    this->deque->share();
    this->pop();
    this->pop();
  }
  void thread(unsigned who) {
    if (who == 0) {
      this->pop();
      this->push();
    } else {
      this->steal();
      this->steal();
    }
  }
};

// What was shared by force is taken back half: thieves may know the lowered split_, or the one put
// back, and no earlier one.
template <bool Symmetric>
struct reclaim_of_forced : deque_suite<reclaim_of_forced<Symmetric>, 4, Symmetric, 4> {
  weft::rt::atomic<int> phase;  // orders nothing, only makes the interesting runs likely

  void before() { this->start(0, 4); }
  void wait_for(int wanted) {
    while (phase.load_relaxed() < wanted) weft::model::pause(0);
  }
  void thread(unsigned who) {
    if (who == 0) {
      for (int i = 0; i < 4; ++i) this->push();
      phase.store_relaxed(1);
      wait_for(2);
      this->pop();
      this->pop();
      phase.store_relaxed(3);
      this->pop();
    } else if (who == 1) {
      wait_for(1);
      while (!this->deque->force_share(weft::model::process_barrier{})) weft::model::pause(0);
      phase.store_relaxed(2);
    } else {
      wait_for(3);
      this->steal();
      this->steal();
    }
  }
};

// The owner and thieves meet at the last item.
template <bool Symmetric>
struct last_item : deque_suite<last_item<Symmetric>, 3, Symmetric, 3> {
  void before() {
    this->start(1, 2);
    this->deque->share();
  }
  void thread(unsigned who) {
    if (who == 0) {
      this->pop();
      this->push();
      this->pop();
      this->push();
    } else {
      this->force_and_steal();
    }
  }
};

// The claims that rewrite private slots, against a sharer and a thief.
template <bool Symmetric>
struct claims : deque_suite<claims<Symmetric>, 3, Symmetric, 5> {
  item* middle;
  void before() {
    this->start(2, 8);
    middle = &this->items[1];
    this->push();
  }
  void thread(unsigned who) {
    if (who == 0) {
      RL_ASSERT(this->deque->insert_below(&this->next(), 2));
      if (this->deque->take_private(middle)) this->take(*middle);
      item* newest = &this->next();
      RL_ASSERT(this->deque->push(newest));
      const std::int64_t end = this->deque->end();
      if (this->deque->holds(newest, end - 1) && this->deque->take(end - 1) != take_result::no)
        this->take(*newest);
    } else {
      this->rob(who);
    }
  }
};

// One claim as the last thing seen of the owner.
template <bool Symmetric>
struct claim_then_silence : deque_suite<claim_then_silence<Symmetric>, 2, Symmetric, 4> {
  void before() { this->start(0, 4); }
  void thread(unsigned who) {
    if (who == 0) {
      for (int i = 0; i < 3; ++i) this->push();
      if (rl::rand(2)) {
        RL_ASSERT(this->deque->insert_below(&this->next(), rl::rand(4)));
      } else {
        item* any = &this->items[rl::rand(3)];
        if (this->deque->take_private(any)) this->take(*any);
      }
    } else {
      for (int tries = 0; tries < 3; ++tries) this->force_and_steal();
    }
  }
};

// The owner takes from the middle, and pops over the hole, while others share it and run into it.
template <bool Symmetric>
struct holes : deque_suite<holes<Symmetric>, 3, Symmetric, 5> {
  void before() { this->start(4, 8); }
  void take_at(int i) {
    item* it = &this->items[i];
    if (this->deque->holds(it, i) && this->deque->take(i) != take_result::no) this->take(*it);
  }
  void thread(unsigned who) {
    if (who == 0) {
      take_at(1);
      take_at(2);
      take_at(3);
      this->push();
      this->pop();
      this->pop();
    } else {
      this->rob(who);
    }
  }
};

// The owner looks into items, and takes what it saw if it still can, while others take them.
template <bool Symmetric>
struct looks : deque_suite<looks<Symmetric>, 3, Symmetric, 4> {
  void before() { this->start(3, 4); }
  void look_at(int i) {
    item* it = &this->items[i];
    if (this->deque->stands(i, [](item* at) { return at->body(RL_INFO) == 7; }) &&
        this->deque->take(i) != take_result::no)
      this->take(*it);
  }
  void thread(unsigned who) {
    if (who == 0) {
      look_at(1);
      look_at(2);
      this->push();
      look_at(0);
    } else {
      this->rob(who);
    }
  }
};

// A look as the last thing seen of the owner.
template <bool Symmetric>
struct look_then_silence : deque_suite<look_then_silence<Symmetric>, 2, Symmetric, 3> {
  void before() { this->start(2, 4); }
  void thread(unsigned who) {
    if (who == 0) {
      this->push();
      (void)this->deque->stands(rl::rand(3), [](item* at) { return at->body(RL_INFO) != 7; });
    } else {
      for (int tries = 0; tries < 3; ++tries) this->force_and_steal();
    }
  }
};

template <bool Symmetric>
bool all_hold() {
  using weft::model::holds;
  return holds<forced_share<Symmetric>>(100000) && holds<silent_owner<Symmetric>>(100000) &&
         holds<pop_then_silence<Symmetric>>(100000) && holds<own_share<Symmetric>>(100000) &&
         holds<reclaim<Symmetric>>(200000) && holds<late_split<Symmetric>>(200000) &&
         holds<reclaim_of_forced<Symmetric>>(200000) && holds<last_item<Symmetric>>(100000) &&
         holds<claims<Symmetric>>(100000) && holds<claim_then_silence<Symmetric>>(100000) &&
         holds<holes<Symmetric>>(200000) && holds<looks<Symmetric>>(200000) &&
         holds<look_then_silence<Symmetric>>(100000);
}

}  // namespace

int main() { return all_hold<false>() && all_hold<true>() ? 0 : 1; }
