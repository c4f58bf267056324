# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
foreach(time 1ns 10ns 100ns 1us)
  bench_kernel(loop_blocks_${time} UNIT ratio
    TITLE "adaptive over the best fixed block, iterations of ${time}"
    WITHOUT weft-so)
endforeach()
