// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Since when tasks wait: the clock is read for some dozens of waits that began on a worker, not for each.
//
// A wait that begins is shown without a time and noted here. The worker stamps what it has noted when there is no
// more room, and before it goes idle; a report stamps what it meets. So a time is never too early, and late by
// what the worker did in between. Most waits are over by then and cost no look at the clock.
#pragma once

#include <cstdint>

#include "base/attributes.hpp"
#include "base/owned.hpp"
#include "mem/wait_record.hpp"
#include "os/clock.hpp"

namespace weft::rt {

class begun_waits {
 public:
  // Owner. The record of a stack, or of an OS thread's: it stays readable while the runtime does.
  WEFT_ALWAYS_INLINE void show(wait_record& r, const char* what, const void* object, void* site,
                               const void* waiter) noexcept {
    r.show(what, object, site, wait_record::unknown, waiter);
    const uint32_t n = count_.get();
    records_[n].set(&r);
    count_.set(n + 1);
    if (n + 1 == most) [[unlikely]]
      stamp();
  }
  // Owner.
  WEFT_COLD void stamp() noexcept {
    const uint32_t n = count_.get();
    if (n == 0) return;
    const int64_t now_ns = os::monotonic_coarse_ns();
    for (uint32_t i = 0; i < n; ++i) records_[i].get()->stamp(now_ns);
    count_.set(0);
  }

 private:
  static constexpr uint32_t most = 32;

  owned<uint32_t> count_{0};
  owned<wait_record*> records_[most];
};

}  // namespace weft::rt
