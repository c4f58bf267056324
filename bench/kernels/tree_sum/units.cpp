// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same by runtimes of threads, those too that run the oldest first: there are never many at
// once.
#include BENCH_ADAPTER

#include "tree.hpp"

int main(int argc, char** argv) { return weft::bench::tree_main(argc, argv); }
