# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(channel UNIT ns/op
  TITLE "values through a channel without a buffer, each"
  WITHOUT tokio)
bench_kernel(channel_64 UNIT ns/op
  TITLE "values through a channel with a buffer of 64, each")
