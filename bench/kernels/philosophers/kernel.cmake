# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(philosophers UNIT ns/op PROGRAM
  TITLE "101 dining philosophers, per meal")
