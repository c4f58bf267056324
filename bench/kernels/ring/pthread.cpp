// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread ring with threads of the operating system, a semaphore of the C library each.
#include <pthread.h>
#include <vector>

#include "config.hpp"
#include "harness/pthread_gate.hpp"
#include "harness/report.hpp"

using namespace weft::bench;

namespace {

class member {
 public:
  void hand(int64_t token) {
    token_ = token;
    full_.post();
  }

  int64_t receive() {
    full_.wait();
    return token_;
  }

  member* next = nullptr;
  int64_t number = 0;
  int64_t* answer = nullptr;

 private:
  pthread_gate full_;
  int64_t token_ = 0;
};

void* run(void* arg) {
  member& me = *static_cast<member*>(arg);
  for (;;) {
    const int64_t token = me.receive();
    if (token == 0) *me.answer = me.number;
    // The end goes round once: the one that received 0 sends it and is the last to receive it.
    me.next->hand(token > 0 ? token - 1 : end_token);
    if (token == end_token) return nullptr;
  }
}

int64_t go_round(int64_t hops) {
  std::vector<member> members(ring_size);
  std::vector<pthread_t> threads(ring_size);
  int64_t answer = -1;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  for (size_t i = 0; i < members.size(); ++i) {
    members[i].next = &members[(i + 1) % members.size()];
    members[i].number = static_cast<int64_t>(i);
    members[i].answer = &answer;
    if (pthread_create(&threads[i], &attributes, run, &members[i]) != 0)
      die("pthread_create failed");
  }
  pthread_attr_destroy(&attributes);
  members[0].hand(hops);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t hops = out.opt().quick ? os_hops_quick : os_hops_full;
  while (out.more()) {
    const stopwatch watch;
    const int64_t answer = go_round(hops);
    out.add(watch.ns() / static_cast<double>(hops));
    out.check("the last thread", answer, ring_answer(hops));
  }
  out.note("the system schedules them on the processors allowed");
  return out.finish();
}
