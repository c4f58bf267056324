# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(integer_sort_b UNIT s FIGURE balanced-loops-7
  TITLE "integer sort as NAS IS, class B: 2^25 keys")
foreach(letter s w a)
  string(TOUPPER ${letter} class)
  bench_kernel(integer_sort_${letter} LIKE integer_sort_b UNIT s
    TITLE "integer sort as NAS IS, class ${class}")
endforeach()
