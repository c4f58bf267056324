// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nobody is taken for quiescent while a task runs: not in a nap, not between naps, not when one
// worker passes a task on to another.
#include "lockfree/quiescence.hpp"
#include "model.hpp"

using weft::rt::atomic;

namespace {

// As src/sched/idle.cpp and drain.cpp have it: the counts are relaxed.
template <class Suite, int Workers>
struct workers_suite : rl::test_suite<Suite, Workers + 1> {
  atomic<int> idle;
  weft::rt::rise_count risen[Workers];
  atomic<int> queued;
  weft::rt::nap_count naps;
  int running = 0;  // the truth: tasks that have not ended

  std::uint64_t rises() const {
    std::uint64_t sum = 0;
    for (const auto& r : risen) sum += r.read();
    return sum;
  }
  bool at_rest() const { return idle.load_relaxed() == Workers; }
  bool nap() const { return naps.any(); }
  bool holds_none() const { return queued.load_relaxed() == 0; }

  void rest() { (void)idle.add_relaxed(1); }
  void rise(unsigned me) {
    risen[me].raise();
    (void)idle.add_relaxed(-1);
    weft::rt::fence_seq_cst();  // W1 <> W2
  }
  void end() {
    for (int i = 0; i < 2; ++i) weft::model::pause(0);  // it runs for a while
    running = 0;
  }
  void collect() {
    while (!weft::rt::is_quiescent(*this)) weft::model::pause(0);
    RL_ASSERT(running == 0);
  }
};

// A task that polls by yielding: its worker naps again and again.
template <int Naps>
struct naps_again : workers_suite<naps_again<Naps>, 1> {
  void before() { this->running = 1; }
  void thread(unsigned who) {
    if (who == 1) return this->collect();
    for (int i = 0; i < Naps; ++i) {
      this->naps.begin();
      this->rest();
      this->rise(0);
      this->naps.end();
    }
    this->end();
    this->rest();
  }
};

// Worker 1 is at rest. Worker 0 queues a task and comes to rest; worker 1 rises for it, runs it,
// and rests again.
struct passes_on : workers_suite<passes_on, 2> {
  void before() {
    this->running = 1;
    (void)this->idle.add_relaxed(1);
  }
  void thread(unsigned who) {
    if (who == 2) return this->collect();
    if (who == 0) {
      this->queued.store_relaxed(1);
      weft::rt::fence_seq_cst();
      return this->rest();
    }
    while (this->queued.load_relaxed() == 0) weft::model::pause(0);
    this->rise(1);
    this->queued.store_relaxed(0);
    this->end();
    this->rest();
  }
};

// A worker rises, takes the only task, and runs it.
struct takes_one : workers_suite<takes_one, 1> {
  void before() {
    this->running = 1;
    this->queued.store_relaxed(1);
    this->rest();
  }
  void thread(unsigned who) {
    if (who == 1) {
      if (weft::rt::is_quiescent(*this)) RL_ASSERT(running == 0);
      return;
    }
    this->rise(0);
    this->queued.store_relaxed(0);
    this->end();
    this->rest();
  }
};

}  // namespace

int main() {
  using weft::model::holds;
  return holds<naps_again<1>>(1000000) && holds<naps_again<2>>(1000000) &&
                 holds<passes_on>(1000000) && holds<takes_one>(1000000)
             ? 0
             : 1;
}
