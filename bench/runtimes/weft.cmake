# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Weft by its C functions, linked from the static library.
bench_runtime(weft LABEL "Weft" VERSION ${PROJECT_VERSION}
  SOURCES weft leaves forks ADAPTER adapters/weft.hpp LOOPS loops/weft.hpp LIBRARIES weft_static
  POLICY "workers without work watch for 50 us, then sleep; not bound")
