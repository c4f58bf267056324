# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(producer_consumer UNIT ns/op PROGRAM
  TITLE "4 producers and consumers with one cell each, per item")
