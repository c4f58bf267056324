# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The same programs, linked to the shared library.
bench_runtime(weft-so LABEL "Weft, shared library" VERSION ${PROJECT_VERSION}
  SOURCES weft leaves forks ADAPTER adapters/weft.hpp LIBRARIES weft
  POLICY "as Weft")
