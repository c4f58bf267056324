// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product of two matrices, by any runtime whose adapter offers both(f, g).
#include BENCH_ADAPTER

#include "multiply.hpp"

int main(int argc, char** argv) { return weft::bench::matmul_main(argc, argv); }
