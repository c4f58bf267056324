// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// errno in code that may go on on another thread: its address is asked for anew each time.
#pragma once

namespace weft::qt {

int last_error() noexcept;
void set_last_error(int error) noexcept;

}  // namespace weft::qt
