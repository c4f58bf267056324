// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weft as a scheduler of std::execution (P2300), in the form of stdexec, where that library is
// found.
#pragma once

#include "weft/cpp/standard.hpp"

#if __cplusplus >= 202002L
#if !__has_include(<stdexec/execution.hpp>)
#error "weft/execution.hpp needs stdexec in the include path"
#endif

#include "weft/cpp/execution.hpp"  // IWYU pragma: export
#endif
