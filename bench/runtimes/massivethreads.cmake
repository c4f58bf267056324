# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# MassiveThreads by its native interface. It maps each stack on its own, and Linux allows a process
# 65,530 maps.
bench_find(massivethreads myth/myth.h myth)
set(WEFT_MASSIVETHREADS_VERSION "" CACHE STRING "Version of MassiveThreads, which nothing that it installs says")
if(TARGET bench_massivethreads)
  bench_runtime(massivethreads LABEL "MassiveThreads" VERSION "${WEFT_MASSIVETHREADS_VERSION}"
    SOURCES massivethreads units leaves forks ADAPTER adapters/massivethreads.hpp OPTIONS -DBENCH_MOST_UNITS=30000
    LIBRARIES bench_massivethreads
    POLICY "as it was built; workers without work spin, bound to processors in turn")
else()
  bench_runtime(massivethreads LABEL "MassiveThreads"
    MISSING "myth/myth.h and libmyth were not found" PACKAGE "massivethreads (of Spack)")
endif()
