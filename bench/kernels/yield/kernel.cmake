# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(yield UNIT ns/op WORKERS 1
  TITLE "yield between two threads on one worker")
