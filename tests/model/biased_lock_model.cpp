// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owner and visitors are never inside together, and each sees what the last one did.
#include "lockfree/biased_lock.hpp"
#include "model.hpp"

namespace {

// Threads 1 and 2 visit.
template <bool Symmetric>
struct owner_and_visitors : rl::test_suite<owner_and_visitors<Symmetric>, 3> {
  weft::rt::asymmetric_fences fences;
  weft::rt::biased_lock lock{Symmetric, weft::model::pause};
  rl::var<int> inside;
  int visits = 0;

  void before() { inside(RL_INFO) = 0; }

  void work() {
    inside(RL_INFO) = inside(RL_INFO) + 1;  // two at once are a race
  }

  void thread(unsigned who) {
    if (who == 0) {
      for (int i = 0; i < 3; ++i) {
        lock.lock();
        work();
        lock.unlock();
      }
    } else {
      for (int i = 0; i < 2; ++i) {
        if (!lock.try_visit(weft::model::process_barrier{})) continue;
        work();
        ++visits;
        lock.end_visit();
      }
    }
  }

  void after() { RL_ASSERT(inside(RL_INFO) == 3 + visits); }
};

}  // namespace

int main() {
  using weft::model::holds;
  return holds<owner_and_visitors<false>>(200000) && holds<owner_and_visitors<true>>(200000) ? 0
                                                                                             : 1;
}
