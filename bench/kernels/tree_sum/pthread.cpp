// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same by a thread of the system for each task.
#include "harness/pthread.hpp"

#include "tree.hpp"

int main(int argc, char** argv) { return weft::bench::tree_main(argc, argv); }
