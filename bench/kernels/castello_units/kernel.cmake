# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(castello_fig1 UNIT us FIGURE castello-1 WITHOUT weft-so
  TITLE "one thread for each worker made and joined")
bench_kernel(castello_fig8 UNIT us FIGURE castello-8 WITHOUT weft-so
  TITLE "making one thread for each worker")
bench_kernel(castello_fig9 UNIT us FIGURE castello-9 WITHOUT weft-so
  TITLE "joining one thread for each worker")
