# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Threading Building Blocks, oneTBB.
find_package(TBB QUIET)
if(TARGET TBB::tbb)
  bench_runtime(tbb LABEL "oneTBB" VERSION ${TBB_VERSION}
    SOURCES tbb forks ADAPTER harness/tbb.hpp LOOPS loops/tbb.hpp LIBRARIES TBB::tbb
    POLICY "as it was built; workers without work look for some for a short time, then sleep; not bound")
else()
  bench_runtime(tbb LABEL "oneTBB" MISSING "oneTBB was not found" PACKAGE libtbb-dev)
endif()
