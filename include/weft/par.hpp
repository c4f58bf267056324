// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel loops and algorithms for C++20, in namespace weft::par, on the C functions of
// weft/loop.h.
#pragma once

#include "weft/cpp/standard.hpp"

#if __cplusplus >= 202002L
#include "weft/cpp/algorithm.hpp"  // IWYU pragma: export
#include "weft/cpp/loop.hpp"       // IWYU pragma: export
#include "weft/cpp/reduce.hpp"     // IWYU pragma: export
#include "weft/cpp/sort.hpp"       // IWYU pragma: export
#include "weft/cpp/team.hpp"       // IWYU pragma: export
#endif
