# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The threads of Argobots, its ULTs.
bench_find(argobots abt.h abt)
if(TARGET bench_argobots)
  bench_version(argobots_VERSION ${argobots_INCLUDE}/abt.h "define ABT_VERSION \"([^\"]+)\"")
  bench_runtime(argobots LABEL "Argobots" VERSION "${argobots_VERSION}"
    SOURCES argobots units leaves forks ADAPTER adapters/argobots.hpp LIBRARIES bench_argobots
    POLICY "as it was built; workers without work spin, bound to processors in turn")
else()
  bench_runtime(argobots LABEL "Argobots" MISSING "abt.h and libabt were not found" PACKAGE "argobots (of Spack)")
endif()
