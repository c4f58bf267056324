# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(timer UNIT ns/op WORKERS 1
  TITLE "a timer armed and cancelled, 1,000 others armed"
  WITHOUT weft-so)
# Timers have no C function of their own: the kernel uses what lies under all waits.
target_include_directories(bench_timer_weft PRIVATE ${PROJECT_SOURCE_DIR}/src)
