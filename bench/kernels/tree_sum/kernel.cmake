# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(tree_sum_12 UNIT s FIGURE chapel-2 X 4096 TITLE "a tree of 2^12 nodes, grown and summed")
foreach(log 14 16 18 20 22 24)
  math(EXPR nodes "1 << ${log}")
  bench_kernel(tree_sum_${log} LIKE tree_sum_12 UNIT s FIGURE chapel-2 X ${nodes}
    TITLE "a tree of 2^${log} nodes, grown and summed")
endforeach()
# 1.6 GB; by those that the figure compares.
bench_kernel(tree_sum_26 LIKE tree_sum_12 UNIT s FIGURE chapel-2 X 67108864
  TITLE "a tree of 2^26 nodes, grown and summed"
  WITHOUT weft-so gomp libomp iomp tbb taskflow opencilk argobots massivethreads sherwood boost_fiber)
