// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members that go through rounds at their own pace: all see the same rounds in the same order, each
// round is made before it is used and given back once, by the last.
#include "lockfree/relay.hpp"
#include "model.hpp"

using weft::rt::relay_round;

namespace {

constexpr unsigned rounds = 3;

struct round : relay_round {
  rl::var<int> made;  // written by who makes it and by who gives it back
};

template <unsigned Threads>
struct relay : rl::test_suite<relay<Threads>, Threads> {
  round first;
  round pool[Threads][rounds];
  relay_round* seen[Threads][rounds];
  int given_back = 0;
  int thrown_away[Threads];

  void before() {
    first.made(RL_INFO) = 1;
    first.begin(Threads);
    for (int& n : thrown_away) n = 0;
  }

  void let_go(relay_round* r) {
    if (!r->let_go()) return;
    static_cast<round*>(r)->made(RL_INFO) = -1;
    ++given_back;
  }

  void thread(unsigned who) {
    relay_round* at = &first;
    for (unsigned n = 0; n < rounds; ++n) {
      relay_round* next = at->next();
      if (next == nullptr) {
        round& mine = pool[who][n];
        mine.made(RL_INFO) = 1;
        mine.begin(Threads);
        next = at->link(mine);
        if (next != &mine) ++thrown_away[who];
      }
      RL_ASSERT(static_cast<round*>(next)->made(RL_INFO) == 1);
      seen[who][n] = next;
      let_go(at);
      at = next;
    }
    let_go(at);
  }

  void after() {
    for (unsigned n = 0; n < rounds; ++n)
      for (unsigned who = 1; who < Threads; ++who) RL_ASSERT(seen[who][n] == seen[0][n]);
    RL_ASSERT(given_back == rounds + 1);
  }
};

}  // namespace

int main() {
  using weft::model::holds;
  return holds<relay<2>>(100000) && holds<relay<3>>(100000) ? 0 : 1;
}
