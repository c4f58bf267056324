// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names a code address as well as the program's dynamic symbols allow.
#pragma once

#include "os/text.hpp"

namespace weft::rt::os {

// "0x5581 (main+0x21 in a.out)", or the address and the file where the symbol is not exported. Uses
// dladdr, which takes no lock in a process that is not loading a library just then.
void add_symbol(text& out, const void* code) noexcept;

}  // namespace weft::rt::os
