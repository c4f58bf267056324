# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(block_wake UNIT ns/op
  TITLE "two threads wake each other in turn, per turn")
bench_kernel(block_wake_apart UNIT ns/op WORKERS 2
  TITLE "two threads, each held on a processor of its own, wake each other, per turn"
  WITHOUT go tokio)
