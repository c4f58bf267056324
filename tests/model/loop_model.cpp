// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members that come to a loop late, take, steal, settle and leave: each iteration runs once, the
// caller goes on when all have run, and the descriptor is freed once, by the last.
#include "lockfree/iteration_span.hpp"
#include "lockfree/join_word.hpp"
#include "lockfree/loop_ledger.hpp"
#include "model.hpp"

using weft::rt::iteration_span;
using weft::rt::join_word;
using weft::rt::loop_ledger;

namespace {

constexpr unsigned iterations = 4;

// Thread 0 is the caller, with the first span; the others are helpers. Late ones find nothing.
template <unsigned Threads>
struct members : rl::test_suite<members<Threads>, Threads> {
  iteration_span spans[2];
  loop_ledger ledger{iterations};
  join_word over;
  rl::var<int> result[iterations];  // what iterations write
  rl::var<int> of_caller;           // gone once the caller goes on
  rl::var<int> descriptor;          // gone once it is freed
  weft::rt::atomic<int> woken{0};

  void before() {
    spans[0].put({0, iterations / 2});
    spans[1].put({iterations / 2, iterations});
    for (auto& r : result) r(RL_INFO) = 0;
    of_caller(RL_INFO) = 1;
    descriptor(RL_INFO) = 1;
    over.reset();
    ledger.hold_unseen();
    for (unsigned i = 2; i < Threads; ++i) ledger.hold();
  }

  std::uint64_t run(iteration_span::run r) {
    for (std::uint64_t i = r.first; i < r.last; ++i) {
      RL_ASSERT(of_caller(RL_INFO) == 1);
      result[i](RL_INFO) = result[i](RL_INFO) + 1;
    }
    return r.size();
  }

  // mine: the span of this member, or none: from anywhere then.
  std::uint64_t take_part(int mine) {
    std::uint64_t taken = 0;
    for (;;) {
      RL_ASSERT(descriptor(RL_INFO) == 1);
      iteration_span::run r;
      if (mine >= 0) {
        r = spans[mine].take_front(1);
        if (r.empty()) {
          const auto half = spans[1 - mine].take_back_half();
          if (half.empty()) return taken;
          spans[mine].put(half);
          continue;
        }
      } else {
        r = spans[0].take_front(1);
        if (r.empty()) r = spans[1].take_all();
        if (r.empty()) return taken;
      }
      taken += run(r);
    }
  }

  void leave() {
    RL_ASSERT(descriptor(RL_INFO) == 1);
    if (ledger.drop()) descriptor(RL_INFO) = -1;
  }

  void thread(unsigned who) {
    const std::uint64_t taken = take_part(who < 2 ? static_cast<int>(who) : -1);
    const bool last = taken != 0 && ledger.settle(taken);
    if (who != 0) {
      if (last && over.finish() == join_word::first_waiter) woken.store_release(1);
      return leave();
    }
    // The caller looks once or twice before it waits.
    if (!last && !ledger.settled() && !ledger.settled() && over.wait_for(join_word::first_waiter))
      while (woken.load_acquire() == 0) weft::model::pause(0);
    for (auto& r : result) RL_ASSERT(r(RL_INFO) == 1);
    of_caller(RL_INFO) = -1;
    leave();
  }

  void after() { RL_ASSERT(descriptor(RL_INFO) == -1); }
};

}  // namespace

int main() {
  using weft::model::holds;
  return holds<members<2>>(100000) && holds<members<3>>(200000) ? 0 : 1;
}
