// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The owner of a deque pushes and takes by the code that weft.hpp inlines into programs, while
// others share by force and steal: each fork is taken once, and its body seen by who took it.
//
// The code is weft/cpp/fork_abi.hpp itself. What it sees of a worker is a picture: its accesses to
// words that others read or write go to the deque's own, which belong to the model.
#include <cstdint>
#include <optional>

#include "deque_users.hpp"

namespace weft::model {

// As the compiler's builtins of these names.
int64_t load(const int64_t* word, int order);
uint64_t load(const uint64_t* word, int order);
template <class T>
T* load(T* const* word, int) {
  return *word;
}
void store(int64_t* word, int64_t value, int order);
void store(uint64_t* word, uint64_t value, int order);
void store(void** slot, void* value, int order);

}  // namespace weft::model

#define __atomic_load_n(word, order) weft::model::load(word, order)
#define __atomic_store_n(word, value, order) weft::model::store(word, value, order)
#define __atomic_signal_fence(order) weft::rt::fence_light()
#include "weft/cpp/fork_abi.hpp"
#undef __atomic_load_n
#undef __atomic_store_n
#undef __atomic_signal_fence

extern "C" {
__thread void* weft_fork_word __attribute__((tls_model("initial-exec"))) = nullptr;
}

namespace abi = weft::detail::abi;
using deque_of_forks = weft::rt::work_deque<abi::task*>;
using weft::rt::take_result;

namespace weft::rt {

// The parts of the owner's line.
struct fork_layout {
  explicit fork_layout(deque_of_forks& d) : bottom(d.bottom_), floor(d.floor_), deque(d) {}

  atomic<int64_t>& bottom;
  atomic<int64_t>& floor;
  deque_of_forks& deque;

  int64_t limit() const { return deque.limit_.get(); }
  int64_t mask() const { return deque.mask_.get(); }
  int64_t ask_end() const { return deque.ask_end_.get(); }
  atomic<abi::task*>& slot(int64_t i) const { return deque.slots_.get()[i & deque.mask_.get()]; }
};

}  // namespace weft::rt

namespace {

constexpr int most_slots = 8;

// The worker as the inlined code sees it.
struct picture {
  std::optional<weft::rt::fork_layout> real;
  abi::worker worker{};
  abi::exceptions none{};
  uint64_t census = 0;
  void* slots[most_slots] = {};

  void draw(deque_of_forks& d) {
    if (!real) real.emplace(d);
    worker.thread_exceptions = &none;
    worker.census = &census;
    worker.bottom = d.end();
    worker.limit = real->limit();
    worker.mask = real->mask();
    worker.ask_end = real->ask_end();
    worker.slots = slots;
    RL_ASSERT(worker.mask < most_slots);
    for (int64_t i = 0; i <= worker.mask; ++i) slots[i] = real->slot(i).load_relaxed();
    weft_fork_word = &worker;
    current = this;
  }

  inline static picture* current = nullptr;
};

struct fork : weft::model::deque_item, abi::task {
  using slot = abi::task*;
  static fork& of(slot s) { return static_cast<fork&>(*s); }
};

template <class Suite, int Threads, bool Symmetric, int Forks>
struct fork_suite : weft::model::deque_users<Suite, Threads, Symmetric, fork, Forks> {
  using users = weft::model::deque_users<Suite, Threads, Symmetric, fork, Forks>;
  using users::deque;

  int open = 0;  // the newest that was not joined is open - 1
  picture seen;

  void start(int pushes, int capacity = most_slots) {
    this->make_deque(capacity);
    RL_ASSERT(deque->make_room());
    for (int i = 0; i < pushes; ++i) push();
  }

  void push() {
    fork& f = this->next();
    seen.draw(*deque);
    bool tell = true;
    RL_ASSERT(abi::push(f, nullptr, nullptr, tell));
    RL_ASSERT(!tell);
    open = this->made;
  }

  // The join of the newest: in place, else by the library. What thieves have they run.
  void join() {
    if (!taken_in_place(--open)) join_by_library(open);
  }
  bool taken_in_place(int i) {
    fork& f = this->items[i];
    seen.draw(*deque);
    if (abi::take(f) == nullptr) return false;
    this->take(f);
    return true;
  }
  void join_by_library(int i) {
    fork& f = this->items[i];
    if (deque->holds(&f, f.place) && deque->take(f.place) != take_result::no) this->take(f);
    deque->ask_less();
  }

  void after() {
    seen.real.reset();
    users::after();
  }
};

// The owner joins what one thread shares by force and both others take.
template <bool Symmetric>
struct forced_share : fork_suite<forced_share<Symmetric>, 3, Symmetric, 4> {
  void before() { this->start(3); }
  void thread(unsigned who) {
    if (who == 0) {
      this->join();
      this->join();
      this->push();
      this->join();
    } else {
      this->rob(who);
    }
  }
};

// Nothing but the push itself publishes.
template <bool Symmetric>
struct silent_owner : fork_suite<silent_owner<Symmetric>, 3, Symmetric, 3> {
  void before() { this->start(1); }
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

// A take as the last thing seen of the owner: the slots below it must be published by that take.
template <bool Symmetric>
struct take_then_silence : fork_suite<take_then_silence<Symmetric>, 2, Symmetric, 3> {
  void before() { this->start(0); }
  void thread(unsigned who) {
    if (who == 0) {
      for (int i = 0; i < 3; ++i) this->push();
      this->join();
    } else {
      for (int tries = 0; tries < 3; ++tries) this->force_and_steal();
    }
  }
};

// All is public: a take must put the bottom back as it was, whoever steals meanwhile.
template <bool Symmetric>
struct refused_take : fork_suite<refused_take<Symmetric>, 3, Symmetric, 4> {
  void before() {
    this->start(2);
    this->deque->share();
    this->deque->share();
  }
  void thread(unsigned who) {
    if (who == 0) {
      this->join();
      this->push();
      this->join();
      this->push();
    } else {
      this->force_and_steal();
      this->steal();
    }
  }
};

// A hole beneath the newest, which is the library's affair.
template <bool Symmetric>
struct holes : fork_suite<holes<Symmetric>, 3, Symmetric, 5> {
  void before() { this->start(4); }
  void thread(unsigned who) {
    if (who == 0) {
      this->join_by_library(2);
      this->join();
      this->open = 2;
      this->join();
      this->push();
      this->join();
    } else {
      this->rob(who);
    }
  }
};

// Once all are joined nothing is left that looks like work, holes neither: where the owner drops
// them itself.
struct nothing_left : fork_suite<nothing_left, 2, false, 3> {
  void before() { start(3); }
  void thread(unsigned who) {
    if (who == 0) {
      join_by_library(0);
      join_by_library(1);
      join();
      RL_ASSERT(deque->remaining_hint() == 0);
    } else {
      steal();
    }
  }
};

// A fork that may not be called where it was started goes by the library, though a hole above it
// has come and gone meanwhile. What is started after it does not.
struct barred : fork_suite<barred, 2, false, 5> {
  void before() { start(2); }
  void thread(unsigned who) {
    if (who == 1) {
      steal();
      return;
    }
    deque->bar();
    push();
    push();
    join_by_library(2);
    join_by_library(3);
    open = 2;
    RL_ASSERT(!taken_in_place(open - 1));
    join_by_library(--open);
    push();
    RL_ASSERT(taken_in_place(open - 1));
    open = 1;
    join();
  }
};

// A fork that has begun and comes back beneath a newer one is the library's affair, which resumes
// it. The newer one is not.
struct begun : fork_suite<begun, 2, false, 3> {
  void before() { start(2); }
  void thread(unsigned who) {
    if (who == 1) {
      force_and_steal();
      return;
    }
    fork& back = next();
    RL_ASSERT(deque->insert_below(&back, 1));
    const bool in_place = taken_in_place(1);
    RL_ASSERT(in_place || deque->private_from() > 0);  // else a thief has some
    RL_ASSERT(!taken_in_place(2));
  }
};

template <bool Symmetric>
bool all_hold() {
  using weft::model::holds;
  return holds<forced_share<Symmetric>>(100000) && holds<silent_owner<Symmetric>>(100000) &&
         holds<take_then_silence<Symmetric>>(100000) && holds<refused_take<Symmetric>>(100000) &&
         holds<holes<Symmetric>>(100000);
}

}  // namespace

namespace weft::model {

int64_t load(const int64_t* word, int) {
  const picture& p = *picture::current;
  return word == &p.worker.floor ? p.real->floor.load_relaxed() : *word;
}

uint64_t load(const uint64_t* word, int) { return *word; }

void store(int64_t* word, int64_t value, int order) {
  const picture& p = *picture::current;
  *word = value;
  RL_ASSERT(word == &p.worker.bottom);
  if (order == __ATOMIC_RELEASE) {
    p.real->bottom.store_release(value);
  } else {
    p.real->bottom.store_relaxed(value);
  }
}

void store(uint64_t* word, uint64_t value, int) { *word = value; }

void store(void** slot, void* value, int) {
  const picture& p = *picture::current;
  *slot = value;
  p.real->slot(slot - p.slots).store_relaxed(static_cast<abi::task*>(value));
}

}  // namespace weft::model

int main() {
  return all_hold<false>() && weft::model::holds<nothing_left>(10000) &&
                 weft::model::holds<barred>(10000) && weft::model::holds<begun>(10000) &&
                 all_hold<true>()
             ? 0
             : 1;
}
