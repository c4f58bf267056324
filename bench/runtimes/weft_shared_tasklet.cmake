# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The same, stackless where units never wait.
bench_runtime(weft_shared_tasklet LABEL "Weft, one pool, stackless" VERSION ${PROJECT_VERSION}
  SOURCES leaves ADAPTER adapters/weft_pools.hpp OPTIONS -DBENCH_SHARED -DBENCH_TASKLETS LIBRARIES weft_static
  POLICY "schedulers that take from the one pool")
