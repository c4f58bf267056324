# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(matmul UNIT s WITHOUT weft-so TITLE "the product of two matrices, divided into quarters")
