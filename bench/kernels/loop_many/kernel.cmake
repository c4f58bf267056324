# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(loop_many UNIT s TITLE "a parallel loop of 100 million iterations of 1 ns" WITHOUT pthread)
