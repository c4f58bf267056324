// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By any runtime whose adapter offers both(f, g).
#include BENCH_ADAPTER

#include "quicksort.hpp"

int main(int argc, char** argv) { return weft::bench::quicksort_main(argc, argv); }
