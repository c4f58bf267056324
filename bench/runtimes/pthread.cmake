# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Threads of the system.
bench_runtime(pthread LABEL "Pthreads" LOOPS loops/pthread.hpp VERSION ${CMAKE_SYSTEM_VERSION}
  POLICY "threads of the system, which places them and lets them sleep")
