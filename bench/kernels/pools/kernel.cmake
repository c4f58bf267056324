# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(pool_none UNIT ns/op WORKERS 1
  TITLE "a task spawned and run by the loop, without a pool")
bench_kernel(pool_private UNIT ns/op WORKERS 1
  TITLE "the same in a private pool of the program's own")
bench_kernel(pool_one_consumer UNIT ns/op WORKERS 1
  TITLE "the same in a pool that others may fill")
bench_kernel(pool_shared UNIT ns/op WORKERS 1
  TITLE "the same in a pool that others may take from, too")
bench_kernel(pool_revoked UNIT ns/op WORKERS 2
  TITLE "the same in a pool that another worker has taken from")
bench_kernel(pool_returned UNIT ns/op WORKERS 2
  TITLE "the same in a pool that its worker has alone again after that")
