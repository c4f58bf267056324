# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(fib UNIT ns/op PROGRAM
  TITLE "Fibonacci without cut-off, per spawn and join"
  WITHOUT sherwood)  # two workers need more than 40 s a sample
