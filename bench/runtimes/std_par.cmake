# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The parallel algorithms of the C++ library, as libstdc++ has them.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  bench_runtime(std_par LABEL "std::execution::par"
    MISSING "it needs gcc, and this build uses ${CMAKE_CXX_COMPILER_ID}")
elseif(NOT TARGET TBB::tbb)
  bench_runtime(std_par LABEL "std::execution::par" MISSING "oneTBB was not found" PACKAGE libtbb-dev)
else()
  bench_runtime(std_par LABEL "std::execution::par" VERSION ${CMAKE_CXX_COMPILER_VERSION}
    POLICY "on oneTBB ${TBB_VERSION}, and idles as that does" LOOPS loops/std_par.hpp LIBRARIES TBB::tbb)
endif()
