// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting a file of numbers, by any runtime whose adapter offers both(f, g).
#include BENCH_ADAPTER

#include "merge_sort.hpp"

int main(int argc, char** argv) { return weft::bench::sort_main(argc, argv); }
