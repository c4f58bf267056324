// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a parked task or a waiting OS thread waits for, since when, and from where; for reports.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::rt {

// Lies on the waiting flow's stack. A report reads it while others run, so it may show a wait that has
// just ended; every field is valid by itself.
struct wait_record {
  atomic<const char*> what{nullptr};    // "mutex": a string that lives as long as the library
  atomic<const void*> object{nullptr};  // its address
  atomic<void*> site{nullptr};          // the caller of the API function
  atomic<int64_t> since_ns{0};          // monotonic, to a few milliseconds
};

}  // namespace weft::rt
