# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# libfork, tasks that are coroutines. Without hwloc: with it its pools bind workers to processors
# counted from the machine's first, whatever the process was pinned to, and several to one where
# others are free.
find_package(libfork QUIET CONFIG)
if(TARGET libfork::libfork)
  bench_runtime(libfork LABEL "libfork" VERSION "${libfork_VERSION}" LIBRARIES libfork::libfork
    OPTIONS -ULF_USE_HWLOC -Wno-interference-size POLICY "lazy_pool, whose workers sleep without work; without hwloc")
else()
  bench_runtime(libfork LABEL "libfork" MISSING "the CMake package libfork was not found"
    PACKAGE "libfork (of vcpkg or Conan)")
endif()
