# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(triangle UNIT s TITLE "a triangular loop: iteration i sums i elements")
