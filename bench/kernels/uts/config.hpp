// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search: the published trees T1 (uts_t1) and T3 (uts_t3), and their node counts.
//
// Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006. T1 is geometric of fixed
// shape: 4 children on average, to depth 10, seed 19. T3 is binomial: a root with 2,000 children,
// then 8 children with a probability of 0.124875, seed 42. quick cuts both down: T1 to depth 7, T3
// to the first 100 children of its root; those counts are of our own serial program.
#pragma once

#include <cstdint>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t t1_seed = 19;
inline constexpr int64_t t1_children = 4;
inline constexpr int64_t t1_depth_full = 10;
inline constexpr int64_t t1_depth_quick = 7;
inline constexpr int64_t t1_nodes_full = 4'130'071;
inline constexpr int64_t t1_nodes_quick = 63'914;

inline constexpr int64_t t3_seed = 42;
inline constexpr int64_t t3_children = 8;
inline constexpr int64_t t3_per_million = 124'875;
inline constexpr int64_t t3_root_full = 2'000;
inline constexpr int64_t t3_root_quick = 100;
inline constexpr int64_t t3_nodes_full = 4'112'897;
inline constexpr int64_t t3_nodes_quick = 6'797;

inline constexpr bool geometric = kernel_name == "uts_t1";

}  // namespace weft::bench
