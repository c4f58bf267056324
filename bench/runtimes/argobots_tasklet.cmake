# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Argobots' tasklets, for units that never wait.
bench_find(argobots abt.h abt)
if(TARGET bench_argobots)
  bench_version(argobots_VERSION ${argobots_INCLUDE}/abt.h "define ABT_VERSION \"([^\"]+)\"")
  bench_runtime(argobots_tasklet LABEL "Argobots, tasklets" VERSION "${argobots_VERSION}"
    SOURCES leaves ADAPTER adapters/argobots.hpp OPTIONS -DBENCH_TASKLETS LIBRARIES bench_argobots
    POLICY "as it was built; workers without work spin, bound to processors in turn")
else()
  bench_runtime(argobots_tasklet LABEL "Argobots, tasklets"
    MISSING "abt.h and libabt were not found" PACKAGE "argobots (of Spack)")
endif()
