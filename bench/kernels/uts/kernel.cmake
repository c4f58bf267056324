# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(uts_t1 UNIT s PROGRAM
  TITLE "Unbalanced Tree Search, tree T1" WITHOUT sherwood)
bench_kernel(uts_t3 UNIT s PROGRAM
  TITLE "Unbalanced Tree Search, tree T3" WITHOUT sherwood)
