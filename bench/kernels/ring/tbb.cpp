// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread ring with oneTBB tasks that suspend themselves and resume the next.
#include "harness/tbb.hpp"

#include <atomic>
#include <tbb/task.h>
#include <tbb/task_group.h>
#include <vector>

#include "config.hpp"

using namespace weft::bench;

namespace {

// One place for a token that is there or a task that waits for it, whichever comes first. oneTBB
// calls the function given to suspend after the task has left its stack.
class member {
 public:
  void hand(int64_t token) {
    token_ = token;
    if (state_.exchange(filled, std::memory_order_acq_rel) == waiting) tbb::task::resume(tag_);
  }

  int64_t receive() {
    if (state_.load(std::memory_order_acquire) != filled) {
      tbb::task::suspend([this](tbb::task::suspend_point tag) {
        tag_ = tag;
        int expected = empty;
        if (!state_.compare_exchange_strong(expected, waiting, std::memory_order_acq_rel)) {
          tbb::task::resume(tag);
        }
      });
    }
    const int64_t token = token_;
    state_.store(empty, std::memory_order_release);
    return token;
  }

 private:
  enum state : int { empty, waiting, filled };
  std::atomic<int> state_{empty};
  int64_t token_ = 0;
  tbb::task::suspend_point tag_ = nullptr;
};

int64_t go_round(int64_t hops) {
  std::vector<member> members(ring_size);
  int64_t answer = -1;
  tbb::task_group group;
  for (size_t i = 0; i < members.size(); ++i) {
    group.run([&members, &answer, i] {
      for (;;) {
        const int64_t token = members[i].receive();
        if (token == 0) answer = static_cast<int64_t>(i);
        // The end goes round once: the one that received 0 sends it and is the last to receive it.
        members[(i + 1) % members.size()].hand(token > 0 ? token - 1 : end_token);
        if (token == end_token) return;
      }
    });
  }
  members[0].hand(hops);
  group.wait();
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t hops = out.opt().quick ? hops_quick : suspend_hops_full;
  measure(out, [&] {
    const stopwatch watch;
    const int64_t answer = go_round(hops);
    const double sample = watch.ns() / static_cast<double>(hops);
    out.check("the last thread", answer, ring_answer(hops));
    return sample;
  });
  return out.finish();
}
