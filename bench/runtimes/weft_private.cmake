# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Weft's tasks in a pool of the program's own for each worker.
bench_runtime(weft_private LABEL "Weft, a pool each" VERSION ${PROJECT_VERSION}
  SOURCES leaves ADAPTER adapters/weft_pools.hpp LIBRARIES weft_static
  POLICY "schedulers that take from their worker's pool alone")
