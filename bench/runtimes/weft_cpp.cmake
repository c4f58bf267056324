# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Weft by weft.hpp.
bench_runtime(weft_cpp LABEL "Weft, C++" VERSION ${PROJECT_VERSION}
  SOURCES weft_cpp forks ADAPTER harness/weft_cpp.hpp LIBRARIES weft_static
  POLICY "as Weft")
