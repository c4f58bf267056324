// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the stress tests of the algorithms share: real barrier and memory, a repeatable choice.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <sched.h>

#include "lockfree/caller.hpp"
#include "os/membarrier.hpp"

namespace weft::test {

inline void pause(unsigned spun) {
  if (spun % 64 == 63) sched_yield();
}

inline const rt::memory_source memory{
    [](void*, std::size_t bytes) { return std::malloc(bytes); },
    [](void*, void* block, std::size_t) { std::free(block); },
    nullptr,
};

struct process_barrier {
  void operator()() const { rt::os::membarrier(); }
};

// xorshift64: the same sequence for the same seed, which a test records.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  // A number in [0, n).
  unsigned roll(unsigned n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<unsigned>(state_ >> 32) % n;
  }

 private:
  std::uint64_t state_;
};

}  // namespace weft::test

// For suites whose parameter says `symmetric`: the other mode needs the system's barrier.
#define WEFT_SKIP_WITHOUT_BARRIER(symmetric)                            \
  do {                                                                  \
    if (!(symmetric) && !::weft::rt::os::membarrier_register())         \
      GTEST_SKIP() << "this system has no process-wide memory barrier"; \
  } while (0)
