// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product of two square matrices, divided into quarters down to blocks that fit into a cache.
//
// As matmul of Cilk's examples (Frigo, Leiserson and Randall, PLDI 1998): four products at once,
// then the other four, which add to the same quarters.
#pragma once

#include <cstdint>

namespace weft::bench {

inline constexpr int64_t n_full = 1'024;
inline constexpr int64_t n_quick = 256;
inline constexpr int64_t block = 32;  // products of this size are not divided

}  // namespace weft::bench
