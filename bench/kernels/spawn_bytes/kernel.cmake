# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(spawn_bytes UNIT bytes/task WORKERS 1 ONCE
  TITLE "memory of a thread spawned, not started"
  WITHOUT weft-so)
