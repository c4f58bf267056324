// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queue of the Qthreads interface: each element is taken once, in its putter's order, with what
// it points at, while nodes are used again and chunks are added; empty is said of an empty queue
// alone.
#include "front/qthreads/src/lf_queue.hpp"
#include "model.hpp"

namespace {

struct heap {
  template <class Node>
  static Node* make(std::size_t count) {
    auto* nodes = static_cast<Node*>(std::malloc(count * sizeof(Node)));
    for (std::size_t i = 0; i < count; ++i) new (&nodes[i]) Node;
    return nodes;
  }
  template <class Node>
  static void drop(Node* nodes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) nodes[i].~Node();
    std::free(nodes);
  }
};

// Threads that take turns at random never stop for long. These do, between a load and what follows.
void stall() {
  for (unsigned i = rl::rand(100); i > 0; --i) rl::yield(1, RL_INFO);
}
template <class T>
struct stalling : weft::rt::atomic<T> {
  using weft::rt::atomic<T>::atomic;
  T load_acquire(weft::rt::code_place s = weft::rt::code_place::current()) const {
    const T v = weft::rt::atomic<T>::load_acquire(s);
    if (rl::rand(3) == 0) stall();
    return v;
  }
};

struct item {
  rl::var<int> body;
  int taken = 0;
  unsigned from = 0;
  int rank = 0;
};

template <class Suite, unsigned Threads, unsigned Putters, int Each,
          template <class> class Atomic = weft::rt::atomic>
struct queue_suite : rl::test_suite<Suite, Threads> {
  using queue_type = weft::qt::basic_lf_queue<Atomic, heap, 1>;
  queue_type* queue = nullptr;
  item items[Putters][Each];
  int last[Threads][Putters];

  void before() {
    queue = new (std::malloc(sizeof(queue_type))) queue_type;
    RL_ASSERT(queue->begin());
    for (auto& by_one : items)
      for (item& it : by_one) it.body(RL_INFO) = 0;
    for (auto& of_thread : last)
      for (int& rank : of_thread) rank = -1;
  }

  void put(unsigned from, int rank) {
    item& it = items[from][rank];
    it.from = from;
    it.rank = rank;
    it.body(RL_INFO) = 7;
    RL_ASSERT(queue->put(&it));
  }
  item* take(unsigned who) {
    auto* it = static_cast<item*>(queue->take());
    if (it == nullptr) return nullptr;
    RL_ASSERT(it->body(RL_INFO) == 7);
    it->body(RL_INFO) = 8;
    RL_ASSERT(it->rank > last[who][it->from]);
    last[who][it->from] = it->rank;
    ++it->taken;
    return it;
  }

  void after() {
    for (int& rank : last[0]) rank = -1;
    while (take(0) != nullptr) {
    }
    RL_ASSERT(queue->empty());
    for (auto& by_one : items)
      for (item& it : by_one) RL_ASSERT(it.taken == (it.body(RL_INFO) != 0 ? 1 : 0));
    queue->~queue_type();
    std::free(queue);
  }
};

// Putters and takers of their own; chunks are added by whoever comes first.
struct putters_and_takers : queue_suite<putters_and_takers, 4, 2, 3> {
  void thread(unsigned who) {
    if (who < 2) {
      for (int i = 0; i < 3; ++i) put(who, i);
    } else {
      for (int i = 0; i < 3; ++i) take(who);
    }
  }
};

// Each puts and takes, so that nodes come back at once, in another order.
struct all_do_both : queue_suite<all_do_both, 3, 3, 3> {
  void thread(unsigned who) {
    for (int i = 0; i < 3; ++i) {
      put(who, i);
      take(who);
    }
  }
};

// The last node is taken and put again by others while one that has read its name appends to it,
// then appends more.
struct late_putter : queue_suite<late_putter, 3, 4, 2, stalling> {
  void before() {
    queue_suite::before();
    put(3, 0);
  }
  void thread(unsigned who) {
    if (who == 0) {
      put(0, 0);
      put(0, 1);
    } else if (who == 1) {
      put(1, 0);
      take(1);
      take(1);
    } else {
      stall();
      put(2, 0);
    }
  }
};

// A queue that always has an element is never said to be empty, and a put is seen by a later take.
struct never_empty : queue_suite<never_empty, 3, 4, 6> {
  void before() {
    queue_suite::before();
    put(3, 0);
  }
  void thread(unsigned who) {
    if (who == 0) {
      for (int i = 0; i < 3; ++i) {
        put(0, i);
        RL_ASSERT(take(0) != nullptr);
      }
      for (int i = 3; i < 6; ++i) put(0, i);
    } else if (who == 1) {
      for (int i = 0; i < 3; ++i) {
        put(1, i);
        RL_ASSERT(take(1) != nullptr);
      }
    } else {
      for (int i = 0; i < 3; ++i) RL_ASSERT(!queue->empty());
    }
  }
};

}  // namespace

int main() {
  using weft::model::holds;
  return holds<putters_and_takers>(60000) && holds<all_do_both>(60000) &&
                 holds<late_putter>(100000) && holds<never_empty>(60000)
             ? 0
             : 1;
}
