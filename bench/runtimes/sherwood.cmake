# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Qthreads built with its scheduler sherwood, in which work is stolen.
set(WEFT_SHERWOOD "" CACHE PATH "Where a Qthreads with the scheduler sherwood is installed")
if(WEFT_SHERWOOD)
  bench_find(sherwood qthread/qthread.h qthread "${WEFT_SHERWOOD}")
endif()
if(TARGET bench_sherwood)
  bench_version(sherwood_VERSION ${sherwood_INCLUDE}/qthread/qthread.h "define QTHREAD_VERSION \"([^\"]+)\"")
  bench_runtime(sherwood LABEL "Qthreads, sherwood" VERSION "${sherwood_VERSION}"
    SOURCES qthreads units leaves forks ADAPTER adapters/qthreads.hpp LOOPS loops/qthreads.hpp
    OPTIONS -DBENCH_SHERWOOD LIBRARIES bench_sherwood
    POLICY "as it was built; one shepherd of all workers, which spin without work")
else()
  bench_runtime(sherwood LABEL "Qthreads, sherwood"
    MISSING "WEFT_SHERWOOD names no folder with a Qthreads" PACKAGE "qthreads scheduler=sherwood (of Spack)")
endif()
