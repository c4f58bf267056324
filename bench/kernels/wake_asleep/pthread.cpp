// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads of the operating system, each bound to a processor, that wake each other through a
// bare futex.
#include <atomic>
#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "config.hpp"
#include "harness/bound_thread.hpp"
#include "harness/turns_of_two.hpp"

using namespace weft::bench;

namespace {

struct gate {
  std::atomic<uint32_t> open{0};

  void wait() {
    while (open.load() == 0) syscall(SYS_futex, &open, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    open.store(0);
  }
  void post() {
    open.store(1);
    syscall(SYS_futex, &open, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
};

using pair = pair_of<gate, turns>;
using player = player_of<pair>;

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns");
  const int64_t total = out.opt().quick ? turns_quick : turns_full;
  while (out.more()) {
    pair both;
    both.each = total / 2;
    player players[2] = {{&both, 0}, {&both, 1}};
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) threads[i] = start_thread(player::run, &players[i], i);
    both.shared.first();
    both.gates[0].post();
    for (const pthread_t t : threads) pthread_join(t, nullptr);
    out.add(both.shared.finish(out, total));
  }
  out.note("each bound to a processor");
  return out.finish();
}
