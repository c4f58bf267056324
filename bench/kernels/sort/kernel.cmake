# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(sort UNIT s PROGRAM DATA
  TITLE "parallel merge sort of a file of numbers")
