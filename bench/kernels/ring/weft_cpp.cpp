// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread ring with tasks of weft.hpp that wait at semaphores and release the next one's.
#include "harness/weft_cpp.hpp"

#include <memory>
#include <vector>

#include "config.hpp"

using namespace weft::bench;

namespace {

struct member {
  int64_t token = 0;
  weft::binary_semaphore has_token{0};

  void hand(int64_t value) {
    token = value;
    has_token.release();
  }
};

int64_t go_round(int64_t hops) {
  const auto members = std::make_unique<member[]>(ring_size);
  weft::binary_semaphore over(0);
  int64_t answer = -1;
  std::vector<weft::task<void>> tasks;
  for (int64_t i = 0; i < ring_size; ++i)
    tasks.push_back(weft::spawn([&, i] {
      member& me = members[static_cast<size_t>(i)];
      member& next = members[static_cast<size_t>((i + 1) % ring_size)];
      for (;;) {
        me.has_token.acquire();
        if (me.token == end_token) return;
        if (me.token > 0) {
          next.hand(me.token - 1);
        } else {
          answer = i;
          over.release();
        }
      }
    }));
  members[0].hand(hops);
  over.acquire();
  for (int64_t i = 0; i < ring_size; ++i) members[static_cast<size_t>(i)].hand(end_token);
  for (auto& t : tasks) t.join();
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t hops = out.opt().quick ? hops_quick : hops_full;
  measure(out, [&] {
    const stopwatch watch;
    const int64_t answer = go_round(hops);
    const double sample = watch.ns() / static_cast<double>(hops);
    out.check("the last thread", answer, ring_answer(hops));
    return sample;
  });
  return out.finish();
}
