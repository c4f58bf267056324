# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(sleep_accuracy UNIT us
  TITLE "a sleep of 1 ms, late by")
