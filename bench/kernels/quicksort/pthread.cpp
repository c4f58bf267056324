// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same by a thread of the system for each task.
#include "harness/pthread.hpp"

#include "quicksort.hpp"

int main(int argc, char** argv) { return weft::bench::quicksort_main(argc, argv); }
