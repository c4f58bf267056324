# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# No runtime: plain calls.
bench_runtime(serial LABEL "serial" VERSION ${CMAKE_CXX_COMPILER_VERSION}
  SOURCES serial forks ADAPTER harness/serial.hpp LOOPS loops/serial.hpp
  POLICY "plain calls")
