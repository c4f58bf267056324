// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread ring with Weft tasks that suspend themselves and resume the next.
#include "harness/weft.hpp"

#include "config.hpp"

using namespace weft::bench;

namespace {

struct member {
  int64_t token;
  weft_task_t task;
  member* next;
  weft_task_t starter;  // resumed by the member that receives 0
  int64_t* answer;
  int64_t number;
};

void hand(member& to, int64_t token) {
  to.token = token;
  must(weft_task_resume(to.task), "weft_task_resume");
}

void* run(void* arg) {
  member& me = *static_cast<member*>(arg);
  for (;;) {
    must(weft_task_suspend(), "weft_task_suspend");
    if (me.token == end_token) return nullptr;
    if (me.token > 0) {
      hand(*me.next, me.token - 1);
    } else {
      *me.answer = me.number;
      must(weft_task_resume(me.starter), "weft_task_resume");
    }
  }
}

// The starter ends all members itself: a member that resumed the next at its own end could be using
// a handle which the starter has already joined.
int64_t go_round(int64_t hops) {
  std::vector<member> members(ring_size);
  int64_t answer = -1;
  for (int64_t i = 0; i < ring_size; ++i) {
    const size_t at = static_cast<size_t>(i);
    members[at] = {0, nullptr, &members[(at + 1) % members.size()], weft_task_self(), &answer, i};
    must(weft_task_spawn(run, &members[at], &members[at].task), "weft_task_spawn");
  }
  hand(members[0], hops);
  must(weft_task_suspend(), "weft_task_suspend");
  for (member& m : members) hand(m, end_token);
  for (const member& m : members) must(weft_task_join(m.task, nullptr), "weft_task_join");
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
