# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(ring UNIT ns/op PROGRAM
  TITLE "ring of 503 threads, per hop")
