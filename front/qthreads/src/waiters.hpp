// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many of those that wait have not begun.
#pragma once

#include <cstdint>

namespace weft::qt {

// Tasks that were forked and wait for words to begin. In a callback that is shown who waits it is
// what it was before the first was shown.
int64_t held_back() noexcept;

}  // namespace weft::qt
