// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By any runtime whose adapter offers both(f, g).
#include BENCH_ADAPTER

#include "tree.hpp"

int main(int argc, char** argv) { return weft::bench::tree_main(argc, argv); }
