# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The name, unit and title under which this program is measured.
bench_kernel(spawn_there UNIT ns/op WORKERS 2
  TITLE "a task spawned to another worker, until its answer is seen")
