// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ runtime's per-thread exception record, which must follow the task and not the thread.
//
// Layout: __cxa_eh_globals of the Itanium C++ ABI, section 2.2.2 (libsupc++ and libc++abi alike).
#pragma once

#include "base/attributes.hpp"
#include "base/owned.hpp"

namespace weft::rt {

struct exception_state {
  owned<void*> caught;
  owned<unsigned> uncaught;

  bool clean() const noexcept { return caught.get() == nullptr && uncaught.get() == 0; }
};

// The record of the calling OS thread.
exception_state* thread_exception_state() noexcept;

// What a task had in hand when it gave its worker up: as a rule nothing.
struct saved_exceptions {
  void* caught;
  unsigned uncaught;

  WEFT_ALWAYS_INLINE bool any() const noexcept { return caught != nullptr || uncaught != 0; }

  WEFT_ALWAYS_INLINE static saved_exceptions take(exception_state& from) noexcept {
    const saved_exceptions s{from.caught.get(), from.uncaught.get()};
    if (s.any()) [[unlikely]] {
      from.caught.set(nullptr);
      from.uncaught.set(0);
    }
    return s;
  }
  WEFT_ALWAYS_INLINE void give(exception_state& to) const noexcept {
    if (!any()) [[likely]]
      return;
    to.caught.set(caught);
    to.uncaught.set(uncaught);
  }
};

}  // namespace weft::rt
