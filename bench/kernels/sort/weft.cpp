// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting a file of numbers with Weft tasks.
#include "harness/weft.hpp"

#include "merge_sort.hpp"

int main(int argc, char** argv) { return weft::bench::sort_main(argc, argv); }
