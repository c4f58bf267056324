# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(jacobi UNIT s TITLE "Jacobi sweeps over 512 x 512 points, by rows")
