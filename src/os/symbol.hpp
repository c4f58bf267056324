// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names a code address as well as the program's dynamic symbols allow, or its file alone.
#pragma once

#include "os/text.hpp"

namespace weft::rt::os {

// "0x5581 (main+0x21 in a.out)", or the address and the file where the symbol is not exported.
// Waits for the loader's lock, which a thread in dlopen() has: not for signal handlers.
void add_symbol(text& out, const void* code) noexcept;

// " (a.out+0x1121)", as add_symbol says it where it knows no symbol; nothing where the address is
// of no file, or the kernel does not show what is mapped. Async-signal-safe, and waits for no lock
// of the process.
void add_file(text& out, const void* code) noexcept;

}  // namespace weft::rt::os
