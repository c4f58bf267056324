# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# HPX, its lightweight threads, without its distributed runtime. It runs the oldest first, and so
# takes no part in trees of tasks: it would hold a whole generation of them, a stack each. It maps
# each stack on its own, and Linux allows a process 65,530 maps.
find_package(HPX QUIET CONFIG)
if(TARGET HPX::hpx)
  bench_runtime(hpx LABEL "HPX" VERSION "${HPX_VERSION_STRING}" SOURCES hpx units leaves ADAPTER adapters/hpx.hpp
    OPTIONS -DBENCH_MOST_UNITS=30000 LIBRARIES HPX::hpx
    POLICY "as it was built; keeps to the processors of its process; workers without work back off, then sleep")
else()
  bench_runtime(hpx LABEL "HPX" MISSING "the CMake package HPX was not found" PACKAGE "hpx (of Spack)")
endif()
