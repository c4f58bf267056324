# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The same, stackless where units never wait.
bench_runtime(weft_private_tasklet LABEL "Weft, a pool each, stackless" VERSION ${PROJECT_VERSION}
  SOURCES leaves ADAPTER adapters/weft_pools.hpp OPTIONS -DBENCH_TASKLETS LIBRARIES weft_static
  POLICY "schedulers that take from their worker's pool alone")
