// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the C++ runtime's exception record of the calling thread.
#include "sched/exception_state.hpp"

#include <cxxabi.h>

namespace weft::rt {

exception_state* thread_exception_state() noexcept {
  return reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
}

}  // namespace weft::rt
