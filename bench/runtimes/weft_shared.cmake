# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Weft's tasks in one pool of the program's own.
bench_runtime(weft_shared LABEL "Weft, one pool" VERSION ${PROJECT_VERSION}
  SOURCES leaves ADAPTER adapters/weft_pools.hpp OPTIONS -DBENCH_SHARED LIBRARIES weft_static
  POLICY "schedulers that take from the one pool")
