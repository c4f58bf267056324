# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(loop_nested UNIT s FIGURE castello-13
  TITLE "a parallel loop in a parallel loop, 1,000 x 1,000")
