# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(skynet UNIT s PROGRAM
  TITLE "a million leaf tasks add up their numbers")
