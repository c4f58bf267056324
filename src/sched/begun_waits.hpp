// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Since when tasks wait: the clock is read for a batch of waits that began on a worker, not for
// each.
//
// A wait that begins is shown without a time and noted here. The worker stamps what it has noted at
// each fair pick, when there is no more room, and before it goes idle; a report stamps what it
// meets. So a time is never too early, and late by what the worker did in between. Most waits are
// over by then and cost no look at the clock.
//
// Until it is stamped the record names its batch: a number below 0 that this worker alone uses,
// once. A task that waits again and again is so noted but once in a batch.
#pragma once

#include <cstdint>

#include "base/attributes.hpp"
#include "base/owned.hpp"
#include "mem/wait_record.hpp"
#include "os/clock.hpp"

namespace weft::rt {

class begun_waits {
 public:
  // number: the worker's, below worker_limit.
  explicit begun_waits(uint32_t number) noexcept : batch_(-int64_t{number} - 1) {}

  // Owner. The record of a stack, or of an OS thread's: it stays readable while the runtime does.
  WEFT_ALWAYS_INLINE void show(wait_record& r, const char* what, const void* object, void* site,
                               const void* waiter) noexcept {
    if (!r.show(what, object, site, batch_.get(), waiter)) note(r);
  }
  // Owner.
  WEFT_COLD void stamp() noexcept {
    const uint32_t n = count_.get();
    if (n == 0) return;
    const int64_t now_ns = os::monotonic_coarse_ns();
    for (uint32_t i = 0; i < n; ++i) records_[i].get()->stamp(now_ns);
    count_.set(0);
    batch_.set(batch_.get() - worker_limit);
  }

  static constexpr uint32_t most = 32;

 private:
  static constexpr int64_t worker_limit = 1 << 16;

  WEFT_NOINLINE void note(wait_record& r) noexcept {
    const uint32_t n = count_.get();
    records_[n].set(&r);
    count_.set(n + 1);
    if (n + 1 == most) stamp();
  }

  owned<int64_t> batch_;
  owned<uint32_t> count_{0};
  owned<wait_record*> records_[most];
};

}  // namespace weft::rt
