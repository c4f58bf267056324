// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the models share: how a suite is run, how a thread waits, where memory comes from.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "base/atomic.hpp"
#include "base/check.hpp"
#include "lockfree/caller.hpp"

namespace weft::rt {

// A failed check ends the run under test as a failed RL_ASSERT does. Each model is one source file.
void check_failed(const char* what, const char* file, int line) noexcept {
  rl::ctx().fail_test(what, rl::test_result_user_assert_failed,
                      rl::debug_info("", file, static_cast<unsigned>(line)));
  std::abort();
}

}  // namespace weft::rt

namespace weft::model {

// Tries that many interleavings at random; always the same ones. False: one failed, and is printed.
template <class Suite>
bool holds(unsigned interleavings) {
  rl::test_params p;
  p.search_type = rl::random_scheduler_type;
  p.iteration_count = interleavings;
  p.execution_depth_limit = 5000;
  return rl::simulate<Suite>(p);
}

// All interleavings, with a store seen late by at most one step.
template <class Suite>
bool holds_always() {
  rl::test_params p;
  p.search_type = rl::fair_full_search_scheduler_type;
  return rl::simulate<Suite>(p);
}

inline void pause(unsigned) { rl::yield(1, RL_INFO); }

struct process_barrier {
  void operator()() const { rt::fence_heavy(); }
};

inline const rt::memory_source memory{
    [](void*, std::size_t bytes) { return std::malloc(bytes); },
    [](void*, void* block, std::size_t) { std::free(block); },
    nullptr,
};

}  // namespace weft::model
