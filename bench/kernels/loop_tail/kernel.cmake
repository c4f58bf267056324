# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(loop_tail UNIT s
  TITLE "a parallel loop, iterations of very unequal length")
