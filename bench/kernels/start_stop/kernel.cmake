# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(start_stop UNIT us
  TITLE "start, a task on each worker and stop, but for the first")
