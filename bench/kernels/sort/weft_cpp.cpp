// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting a file of numbers with forks of weft.hpp.
#include "harness/weft_cpp.hpp"

#include "merge_sort.hpp"

int main(int argc, char** argv) { return weft::bench::sort_main(argc, argv); }
