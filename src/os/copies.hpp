// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One runtime per process: every copy of this library in it can see whether another one runs.
//
// A program may hold two copies, say libweft.a in itself and libweft.so below a library that it
// loads. Symbols do not bring them together: a program exports none to libraries that it loads
// later. So each copy carries an ELF note that says where its record lies, and looks for notes in
// all loaded objects.
#pragma once

namespace weft::rt::os {

// Claims the process for this copy. nullptr: done, until release_process(). Else the file of the
// copy that holds it ("" for the program itself), valid while that is loaded.
[[nodiscard]] const char* claim_process() noexcept;
void release_process() noexcept;

}  // namespace weft::rt::os
