# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(prime_sieve UNIT s PROGRAM
  TITLE "prime sieve: a thread and a channel for each prime")
