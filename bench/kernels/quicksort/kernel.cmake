# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(quicksort_14 UNIT s FIGURE chapel-1 X 16384 TITLE "naive quicksort of 2^14 numbers")
foreach(log 16 18 20 22 24)
  math(EXPR elements "1 << ${log}")
  bench_kernel(quicksort_${log} LIKE quicksort_14 UNIT s FIGURE chapel-1 X ${elements}
    TITLE "naive quicksort of 2^${log} numbers")
endforeach()
# By those that the figure compares.
bench_kernel(quicksort_26 LIKE quicksort_14 UNIT s FIGURE chapel-1 X 67108864
  TITLE "naive quicksort of 2^26 numbers"
  WITHOUT weft-so gomp libomp iomp tbb taskflow opencilk argobots massivethreads sherwood boost_fiber)
