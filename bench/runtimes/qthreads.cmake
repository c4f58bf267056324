# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Qthreads with its default scheduler, nemesis, which runs the oldest first: it takes no part in
# trees of tasks, of which it would hold a whole generation, a stack each.
bench_find(qthreads qthread/qthread.h qthread)
if(TARGET bench_qthreads)
  file(STRINGS ${qthreads_LIBRARY} ours REGEX "weft_task_spawn" LIMIT_COUNT 1)
endif()
if(NOT TARGET bench_qthreads)
  bench_runtime(qthreads LABEL "Qthreads"
    MISSING "qthread/qthread.h and libqthread were not found" PACKAGE "qthreads (of Spack)")
elseif(ours)
  bench_runtime(qthreads LABEL "Qthreads"
    MISSING "the libqthread that was found is Weft's own" PACKAGE "qthreads (of Spack)")
else()
  bench_version(qthreads_VERSION ${qthreads_INCLUDE}/qthread/qthread.h "define QTHREAD_VERSION \"([^\"]+)\"")
  bench_runtime(qthreads LABEL "Qthreads" VERSION "${qthreads_VERSION}"
    SOURCES qthreads units leaves ADAPTER adapters/qthreads.hpp LOOPS loops/qthreads.hpp LIBRARIES bench_qthreads
    POLICY "as it was built; a shepherd a worker, which spin for a while without work")
endif()
