# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(spawn_join_1k UNIT ns/op
  TITLE "1,000 spawns, then joins, per thread")
bench_kernel(spawn_join_100k UNIT ns/op
  TITLE "100,000 spawns, then joins, per thread"
  WITHOUT pthread)
