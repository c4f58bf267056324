# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# OpenMP as gcc brings it.
find_package(OpenMP QUIET COMPONENTS CXX)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  bench_runtime(gomp LABEL "gcc OpenMP"
    MISSING "it needs gcc, and this build uses ${CMAKE_CXX_COMPILER_ID}")
elseif(NOT OpenMP_CXX_FOUND)
  bench_runtime(gomp LABEL "gcc OpenMP"
    MISSING "gcc was built without OpenMP" PACKAGE libgomp1)
else()
  bench_runtime(gomp LABEL "gcc OpenMP" VERSION ${CMAKE_CXX_COMPILER_VERSION}
    POLICY "waits actively for some ms, then sleeps; not bound"
    SOURCES openmp forks ADAPTER harness/openmp.hpp LOOPS loops/openmp.hpp LIBRARIES OpenMP::OpenMP_CXX)
endif()
