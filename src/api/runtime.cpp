// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/runtime.h.
#include <cerrno>
#include <cstring>

#include <weft/runtime.h>

#include "boot/boot.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"

namespace rt = weft::rt;

int weft_start(const weft_config_t* config) { return rt::boot::start(config); }

int weft_stop(void) { return rt::boot::stop(); }

uint32_t weft_worker_count(void) { return rt::boot::running() ? rt::the().count : 0; }

uint32_t weft_worker_index(void) {
  const rt::worker* w = rt::self();
  return w != nullptr ? w->index : WEFT_ANYWHERE;
}

int weft_stats_read(weft_stats_t* out) {
  if (out == nullptr || out->size < sizeof out->size) return -EINVAL;
  if (!rt::boot::running()) return -ENOTCONN;
  weft_stats_t sum{};
  sum.size = out->size;
  for (uint32_t i = 0; i < rt::the().count; ++i) {
    const rt::worker& w = rt::the().workers[i];
    sum.steals += w.steals.load_relaxed();                // count: statistics
    sum.forced_shares += w.forced_shares.load_relaxed();  // count: as above
    sum.parks += w.parks.load_relaxed();                  // count: as above
    sum.sleeps += w.sleeps.load_relaxed();                // count: as above
    sum.wakes += w.wakes.load_relaxed();                  // count: as above
  }
  sum.stacks_live = rt::the().stacks.live();
  sum.stacks_made = rt::the().stacks.made();
  sum.stack_bytes = rt::the().stacks.options().promised_bytes;
  std::memcpy(out, &sum, out->size < sizeof sum ? out->size : sizeof sum);
  return 0;
}
