# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(castello_fig11 UNIT us FIGURE castello-11 WITHOUT weft-so
  TITLE "1,000 tasks made by one thread")
bench_kernel(castello_fig12 UNIT us FIGURE castello-12 WITHOUT weft-so
  TITLE "1,000 tasks made by as many threads as there are workers")
