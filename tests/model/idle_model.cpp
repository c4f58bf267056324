// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No wake-up is lost: all work is taken although every worker may sleep; the counts end at zero.
//
// The steps are those of src/lockfree/README.md, "Idle". A worker that took its work computes for
// ever after (its thread ends), as does who gave the work, so each wake-up has to come from the
// protocol.
#include "lockfree/idle_census.hpp"
#include "lockfree/wake_word.hpp"
#include "model.hpp"

using weft::rt::atomic;
using weft::rt::wake_reason;
using weft::rt::wake_result;

namespace {

template <class Suite, int Threads, int Workers, int Items, bool Symmetric>
struct idle_suite : rl::test_suite<Suite, Threads> {
  weft::rt::asymmetric_fences fences;
  weft::rt::idle_census census{Symmetric};
  weft::rt::wake_word words[Workers];
  atomic<int> kernel[Workers];  // 1: the kernel has been told to wake the worker
  atomic<int> shared[Items];    // work for anybody: 1 is there, 2 was taken
  atomic<int> mail[Workers];    // work for one worker
  atomic<int> stop;
  int taken = 0;

  void put(int item) {
    shared[item].store_release(1);
    weft::rt::fence_light();
    if (census.quiet()) return;
    if (Symmetric) {
      weft::rt::fence_seq_cst();
      if (census.quiet_after_fence()) return;
    }
    wake_one();
  }

  void send(int worker) {
    mail[worker].store_release(1);
    call(worker);
  }

  void call(int worker) { kernel_wake(worker, words[worker].call()); }

  void wake_one() {
    if (!census.claim_wake()) return;
    do {
      for (int i = 0; i < Workers; ++i) {
        const wake_result r = words[i].hand_search();
        kernel_wake(i, r);
        if (r != wake_result::not_idle) return;
      }
    } while (census.claim_missed());
  }

  void kernel_wake(int worker, wake_result r) {
    if (r == wake_result::must_wake) kernel[worker].store_relaxed(1);
  }

  void kernel_wait(int worker) {
    std::uint32_t value = weft::rt::wake_word::asleep_value;
    if (!words[worker].futex().cas_relaxed(value, value)) return;
    while (kernel[worker].load_relaxed() == 0) weft::model::pause(0);
    kernel[worker].store_relaxed(0);
  }

  bool is_shared() {
    for (atomic<int>& item : shared)
      if (item.load_relaxed() == 1) return true;
    return false;
  }

  bool take(atomic<int>& from) {
    int there = 1;
    if (from.load_relaxed() != 1 || !from.cas_acq_rel(there, 2)) return false;
    ++taken;
    return true;
  }

  bool take_shared() {
    for (atomic<int>& item : shared)
      if (take(item)) return true;
    return false;
  }

  void found() {
    if (census.searcher_found() && is_shared()) wake_one();
  }

  void barrier() {
    if (Symmetric) {
      weft::rt::fence_seq_cst();
    } else {
      weft::rt::fence_heavy();
    }
  }

  // Found nothing; returns as a searcher.
  void idle(int me) {
    words[me].watch();
    census.searcher_gives_up();
    barrier();
    const bool again = is_shared() || mail[me].load_relaxed() == 1 || stop.load_relaxed() == 1;
    if (!again && words[me].fall_asleep())
      while (!words[me].is_notified()) kernel_wait(me);
    if (words[me].rise() != wake_reason::handed) census.idle_leaves(true);
  }

  void after() {
    RL_ASSERT(census.idle_hint() == 0);
    RL_ASSERT(census.searching_hint() == 0);
  }
};

// Givers put one item each, every worker takes one.
template <int Givers, int Each, bool Symmetric>
struct one_for_each
    : idle_suite<one_for_each<Givers, Each, Symmetric>, Givers + 2, 2, 2, Symmetric> {
  void thread(unsigned who) {
    if (who < Givers) {
      for (int i = 0; i < Each; ++i) this->put(static_cast<int>(who) * Each + i);
      return;
    }
    const int me = static_cast<int>(who) - Givers;
    this->census.becomes_searcher();
    while (!this->take_shared()) this->idle(me);
    this->found();
  }
};

// One item for anybody, one letter for worker 0, who then has no time for anything else. Whoever
// takes the last of the two sends the other worker home.
template <bool Symmetric>
struct letter_and_item : idle_suite<letter_and_item<Symmetric>, 4, 2, 1, Symmetric> {
  void thread(unsigned who) {
    if (who == 0) return this->put(0);
    if (who == 1) return this->send(0);
    const int me = static_cast<int>(who) - 2;
    this->census.becomes_searcher();
    for (;;) {
      const bool mine = this->take(this->mail[me]);
      if (!mine && this->stop.load_relaxed() == 1) break;
      if (mine || this->take_shared()) {
        this->found();
        if (this->taken == 2) {
          this->stop.store_release(1);
          this->call(1 - me);
        }
        if (mine || me == 1) return;
        this->census.becomes_searcher();
      } else {
        this->idle(me);
      }
    }
    (void)this->census.searcher_found();
  }
};

// A call shows the worker what preceded it, without help from another word.
struct call_publishes : rl::test_suite<call_publishes, 2> {
  weft::rt::asymmetric_fences fences;
  weft::rt::wake_word word;
  rl::var<int> letter;

  void before() { letter(RL_INFO) = 0; }
  void thread(unsigned who) {
    if (who == 0) {
      letter(RL_INFO) = 7;
      while (word.call() == wake_result::not_idle) weft::model::pause(0);
    } else {
      word.watch();
      while (!word.is_notified()) weft::model::pause(0);
      RL_ASSERT(word.rise() == wake_reason::called);
      RL_ASSERT(letter(RL_INFO) == 7);
    }
  }
};

// So does a claim that is handed over.
struct claim_publishes : rl::test_suite<claim_publishes, 2> {
  weft::rt::asymmetric_fences fences;
  weft::rt::wake_word word;
  rl::var<int> letter;

  void before() { letter(RL_INFO) = 0; }
  void thread(unsigned who) {
    if (who == 0) {
      letter(RL_INFO) = 7;
      while (word.hand_search() == wake_result::not_idle) weft::model::pause(0);
    } else {
      word.watch();
      while (!word.is_notified()) weft::model::pause(0);
      RL_ASSERT(word.rise() == wake_reason::handed);
      RL_ASSERT(letter(RL_INFO) == 7);
    }
  }
};

template <bool Symmetric>
bool all_hold() {
  using weft::model::holds;
  return holds<one_for_each<1, 2, Symmetric>>(200000) &&
         holds<one_for_each<2, 1, Symmetric>>(200000) && holds<letter_and_item<Symmetric>>(200000);
}

}  // namespace

int main() {
  using weft::model::holds;
  return all_hold<false>() && all_hold<true>() && holds<call_publishes>(20000) &&
                 holds<claim_publishes>(20000)
             ? 0
             : 1;
}
