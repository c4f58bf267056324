// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of arch/fiber_notes.hpp that asks the OS: the bounds of a thread's own stack.
#include "arch/fiber_notes.hpp"

#include <pthread.h>

#include "base/check.hpp"

namespace weft::rt::notes {

void adopt_thread_stack([[maybe_unused]] stack_note& n) noexcept {
  if constexpr (build::asan) {
    pthread_attr_t attributes;
    void* low = nullptr;
    std::size_t bytes = 0;
    WEFT_CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0,
               "the bounds of this thread's stack are unknown");
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    n.bounds_.set(low, bytes);
  }
}

}  // namespace weft::rt::notes
