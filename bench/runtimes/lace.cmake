# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Lace, tasks of C macros.
find_package(lace QUIET CONFIG)
if(TARGET lace::lace)
  bench_runtime(lace LABEL "Lace" VERSION "${lace_VERSION}" LIBRARIES lace::lace
    POLICY "as it was built; workers without work spin")
else()
  bench_runtime(lace LABEL "Lace" MISSING "the CMake package lace was not found" PACKAGE "lace (its source)")
endif()
