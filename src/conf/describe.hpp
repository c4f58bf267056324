// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What WEFT_INFO=1 prints about the options: each value, and why it is that.
#pragma once

#include "conf/values.hpp"

namespace weft::rt::conf {

// Receives one line, without a newline.
using line_sink = void (*)(void* to, const char* line);

// One line for the usable CPUs, then one for each option in the order of the table; each begins
// "weft: ".
void describe(const values& chosen, line_sink sink, void* to) noexcept;

// A sink that writes the line to standard error in one write; `to` is ignored.
void to_stderr(void* to, const char* line) noexcept;

}  // namespace weft::rt::conf
