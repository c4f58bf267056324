# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Intel's OpenMP, whose library the Python package intel-openmp has; compiled by clang, which knows
# its interface.
find_library(iomp_LIBRARY iomp5 PATH_SUFFIXES lib ../../..)
mark_as_advanced(iomp_LIBRARY)
set(iomp_LABEL "Intel OpenMP")
if(NOT "libomp" IN_LIST bench_runtimes)
  bench_runtime(iomp LABEL "${iomp_LABEL}" MISSING "it needs clang++ with OpenMP" PACKAGE libomp-19-dev)
elseif(NOT iomp_LIBRARY)
  bench_runtime(iomp LABEL "${iomp_LABEL}" MISSING "libiomp5 was not found" PACKAGE "intel-openmp (of PyPI)")
else()
  get_filename_component(iomp_FOLDER ${iomp_LIBRARY} DIRECTORY)
  bench_version(iomp_VERSION ${iomp_LIBRARY} "Intel\\(R\\) OMP version: ([0-9.]+)")
  bench_runtime(iomp LABEL "${iomp_LABEL}" VERSION "${iomp_VERSION}" BESIDE "${bench_beside_clang}" BUILD bench_iomp
    SOURCES openmp forks ADAPTER harness/openmp.hpp LOOPS loops/openmp.hpp
    POLICY "compiled by clang; waits actively for 200 ms, then sleeps; not bound")
endif()

function(bench_iomp kernel source target output)
  bench_by_clang(iomp ${kernel} ${source} ${target} ${output}
    -fopenmp=libiomp5 -L${iomp_FOLDER} -Wl,-rpath,${iomp_FOLDER})
endfunction()
