// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says what is wrong where the compiler was not asked for C++20; each public C++ header is empty
// then, so that this is the first error and not one of hundreds.
#pragma once

#if __cplusplus < 202002L
#error "Weft's C++ headers need C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif
