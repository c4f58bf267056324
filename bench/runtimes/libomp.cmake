# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# OpenMP as clang brings it.
find_program(WEFT_CLANG NAMES clang++-19 clang++)
set(libomp_LABEL "LLVM OpenMP")
set(bench_beside_clang "")
if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(bench_beside_clang weft_clang)
endif()
if(CMAKE_CROSSCOMPILING)
  bench_runtime(libomp LABEL "${libomp_LABEL}" MISSING "clang is not asked to build for another machine")
elseif(NOT WEFT_CLANG)
  bench_runtime(libomp LABEL "${libomp_LABEL}" MISSING "clang++ was not found" PACKAGE clang)
else()
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/libomp.cpp
    "#include <omp.h>\nint main() { return omp_get_max_threads() == 0; }\n")
  execute_process(OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE failed
    COMMAND ${WEFT_CLANG} -fopenmp=libomp ${CMAKE_CURRENT_BINARY_DIR}/libomp.cpp
            -o ${CMAKE_CURRENT_BINARY_DIR}/libomp.out)
  execute_process(COMMAND ${WEFT_CLANG} -dumpversion OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    bench_runtime(libomp LABEL "${libomp_LABEL}" MISSING "clang++ has no OpenMP" PACKAGE libomp-19-dev)
  else()
    bench_runtime(libomp LABEL "${libomp_LABEL}" VERSION "${version}" BESIDE "${bench_beside_clang}" BUILD bench_libomp
      SOURCES openmp forks ADAPTER harness/openmp.hpp LOOPS loops/openmp.hpp
      POLICY "compiled by clang; waits actively for 200 ms, then sleeps; not bound")
  endif()
endif()

function(bench_libomp kernel source target output)
  bench_by_clang(libomp ${kernel} ${source} ${target} ${output} -fopenmp=libomp)
endfunction()
