# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The name, unit and title under which these programs are measured.
bench_kernel(wake_asleep UNIT ns WORKERS 2
  TITLE "from a wake to the first instruction of the woken thread, which slept in the kernel")
