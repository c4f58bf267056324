# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
set(figure_1k FIGURE castello-10)
foreach(length 1k 10k 1m)
  bench_kernel(loop_scal_${length} UNIT ns/op ${figure_${length}}
    TITLE "a parallel loop y = a x over ${length} elements")
endforeach()
