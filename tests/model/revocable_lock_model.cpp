// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The owner and others are never inside together, before and after the bias is revoked and given
// back; and the side door of a pool (src/sched/pool.hpp) keeps the order of each maker, whenever
// that happens.
#include "lockfree/inbox.hpp"
#include "lockfree/revocable_lock.hpp"
#include "model.hpp"

namespace {

using weft::model::process_barrier;
using weft::rt::revocable_lock;

// Thread 0 is the owner, which has the bias again after Patience turns alone.
template <bool Symmetric, unsigned Patience, int Turns>
struct owner_and_others : rl::test_suite<owner_and_others<Symmetric, Patience, Turns>, 3> {
  weft::rt::asymmetric_fences fences;
  revocable_lock lock{Symmetric, weft::model::pause, Patience};
  rl::var<int> inside;

  void before() { inside(RL_INFO) = 0; }
  void work() {
    inside(RL_INFO) = inside(RL_INFO) + 1;  // two at once are a race
  }
  void thread(unsigned who) {
    const int turns = who == 0 ? Turns : 2;
    for (int i = 0; i < turns; ++i) {
      if (who == 0) {
        const revocable_lock::way came = lock.lock_as_owner();
        work();
        lock.unlock_as_owner(came);
      } else {
        lock.lock(process_barrier{});
        work();
        lock.unlock();
      }
    }
  }
  void after() {
    RL_ASSERT(inside(RL_INFO) == Turns + 4);
    RL_ASSERT(Patience <= Turns || lock.is_revoked());
  }
};

struct item {
  rl::var<item*> next;
};

struct watched_link {
  static item* get(item* it) { return it->next(RL_INFO); }
  static void set(item* it, item* next) { it->next(RL_INFO) = next; }
};

// A shared pool, as pool.cpp has it: thread 0 owns it and takes, thread 1 makes two tasks, thread 2
// takes.
template <unsigned Patience>
struct side_door : rl::test_suite<side_door<Patience>, 3> {
  static constexpr int tasks = 2;
  weft::rt::asymmetric_fences fences;
  revocable_lock lock{false, weft::model::pause, Patience};
  weft::rt::inbox<item, watched_link> side;
  rl::var<int> first;  // of `order`
  rl::var<int> end;
  item items[tasks];
  rl::var<item*> order[tasks];

  void before() { first(RL_INFO) = end(RL_INFO) = 0; }

  // Inside.
  void enter(item* it) {
    order[end(RL_INFO)](RL_INFO) = it;
    end(RL_INFO) = end(RL_INFO) + 1;
  }
  void empty_side() {
    for (item* it = side.take_all(); it != nullptr;) {
      item* const after = watched_link::get(it);
      enter(it);
      it = after;
    }
  }
  void leave() {
    empty_side();
    const int at = first(RL_INFO);
    if (at == end(RL_INFO)) return;
    RL_ASSERT(static_cast<item*>(order[at](RL_INFO)) == &items[at]);
    first(RL_INFO) = at + 1;
  }

  void thread(unsigned who) {
    if (who == 0) {
      for (int i = 0; i < 3; ++i) {
        const revocable_lock::way came = lock.lock_as_owner();
        leave();
        lock.unlock_as_owner(came);
      }
    } else if (who == 1) {
      for (item& it : items) {
        if (!lock.is_revoked()) {
          side.push(&it);
          continue;
        }
        lock.lock(process_barrier{});
        empty_side();
        enter(&it);
        lock.unlock();
      }
    } else {
      lock.lock(process_barrier{});
      leave();
      lock.unlock();
    }
  }
  void after() {
    for (int i = 0; i < tasks; ++i) leave();
    RL_ASSERT(first(RL_INFO) == tasks);
  }
};

}  // namespace

int main() {
  using weft::model::holds;
  constexpr unsigned never = 100;
  return holds<owner_and_others<false, never, 2>>(200000) &&
                 holds<owner_and_others<false, 1, 3>>(200000) &&
                 holds<owner_and_others<true, 1, 2>>(50000) && holds<side_door<never>>(100000) &&
                 holds<side_door<1>>(100000)
             ? 0
             : 1;
}
