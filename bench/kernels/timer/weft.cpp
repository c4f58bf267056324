// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weft's timers themselves, which lie under every wait with a deadline.
#include "harness/weft.hpp"

#include "config.hpp"
#include "sched/timer.hpp"

using namespace weft::bench;

namespace {

void never(weft::rt::timer&) noexcept { die("a timer fired"); }

double sample(int64_t pairs, int64_t& cancelled) {
  const int64_t base = weft_time_now_ns() + soonest_ns;
  std::vector<weft::rt::timer> others(others_armed);
  for (size_t i = 0; i < others.size(); ++i)
    weft::rt::arm(others[i], base + static_cast<int64_t>(i) * spread_ns, never);
  weft::rt::timer t;
  cancelled = 0;
  const stopwatch watch;
  for (int64_t i = 0; i < pairs; ++i) {
    weft::rt::arm(t, base + i % others_armed * spread_ns, never);
    cancelled += weft::rt::cancel(t);
  }
  const double ns = watch.ns() / static_cast<double>(pairs);
  for (weft::rt::timer& o : others) cancelled += weft::rt::cancel(o);
  return ns;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t pairs = out.opt().quick ? pairs_quick : pairs_full;
  measure(out, [&] {
    int64_t cancelled = 0;
    const double ns = sample(pairs, cancelled);
    out.check("timers cancelled", cancelled, pairs + others_armed);
    return ns;
  });
  return out.finish();
}
