# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(mandelbrot UNIT s TITLE "the Mandelbrot set, by rows")
