# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(stream UNIT s FIGURE chapel-3 TITLE "STREAM: copy, scale, add, triad")
bench_kernel(stream_ep LIKE stream UNIT s FIGURE chapel-4
  TITLE "STREAM-EP: each worker on arrays of its own")
