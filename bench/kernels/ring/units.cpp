// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread ring, by any runtime whose adapter offers units and semaphores.
#include BENCH_ADAPTER

#include <vector>

#include "config.hpp"

using namespace weft::bench;

namespace {

struct member {
  unit_semaphore full;
  int64_t token = 0;
  member* next = nullptr;
  int64_t number = 0;
  int64_t* answer = nullptr;
};

void hand(member& to, int64_t token) {
  to.token = token;
  to.full.post();
}

void run(void* arg) {
  member& me = *static_cast<member*>(arg);
  for (;;) {
    me.full.wait();
    const int64_t token = me.token;
    if (token == 0) *me.answer = me.number;
    // The end goes round once: the one that received 0 sends it and is the last to receive it.
    hand(*me.next, token > 0 ? token - 1 : end_token);
    if (token == end_token) return;
  }
}

int64_t go_round(int64_t hops) {
  std::vector<member> members(ring_size);
  std::vector<unit> units(ring_size);
  int64_t answer = -1;
  for (size_t i = 0; i < members.size(); ++i) {
    members[i].next = &members[(i + 1) % members.size()];
    members[i].number = static_cast<int64_t>(i);
    members[i].answer = &answer;
    units[i].spawn_on<run>(0, &members[i]);
  }
  hand(members[0], hops);
  for (unit& u : units) u.join();
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t hops = out.opt().quick ? hops_quick : hops_full;
  const auto sample = [&] {
    const stopwatch watch;
    const int64_t answer = go_round(hops);
    const double ns = watch.ns() / static_cast<double>(hops);
    out.check("the last thread", answer, ring_answer(hops));
    return ns;
  };
  measure(out, sample, queues::own);
  return out.finish();
}
