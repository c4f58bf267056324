# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(loop_balanced_1ns UNIT s TITLE "a parallel loop, iterations of 1ns" WITHOUT pthread)
foreach(time 10ns 100ns 1us 100us)
  bench_kernel(loop_balanced_${time} LIKE loop_balanced_1ns UNIT s
    TITLE "a parallel loop, iterations of ${time}" WITHOUT pthread)
endforeach()
foreach(time 10ns 1us)
  bench_kernel(loop_growing_${time} LIKE loop_balanced_1ns UNIT s
    TITLE "iterations of ${time} on average, growing" WITHOUT pthread)
  bench_kernel(loop_giant_${time} LIKE loop_balanced_1ns UNIT s
    TITLE "iterations of ${time}, one as long as half of the others" WITHOUT pthread)
  bench_kernel(loop_random_${time} LIKE loop_balanced_1ns UNIT s
    TITLE "iterations of ${time} on average, random with a heavy tail" WITHOUT pthread)
  bench_kernel(loop_disturbed_${time} LIKE loop_balanced_1ns UNIT s
    TITLE "iterations of ${time} while a thread computes on one processor"
    WITHOUT serial pthread)
endforeach()
