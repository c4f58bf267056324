# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(block_bytes_100k UNIT bytes/task ONCE
  TITLE "memory of a blocked thread, 100,000 of them"
  WITHOUT weft-so)
bench_kernel(block_bytes_100k_warm UNIT bytes/task ONCE
  TITLE "memory of a blocked thread, 100,000 of them, after others went 32 KiB deep"
  WITHOUT weft-so)
bench_kernel(block_bytes_1m UNIT bytes/task ONCE
  TITLE "memory of a blocked thread, 1,000,000 of them"
  WITHOUT weft-so massivethreads pthread)
# Go would need 64 GiB: its stacks double as they grow. Those that keep what a stack once used need
# 37.
bench_kernel(block_bytes_1m_warm UNIT bytes/task ONCE
  TITLE "memory of a blocked thread, 1,000,000 of them, after others went 32 KiB deep"
  WITHOUT weft-so argobots massivethreads qthreads sherwood boost_fiber go pthread)
