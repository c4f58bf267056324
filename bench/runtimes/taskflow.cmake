# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Taskflow by its task groups.
find_package(Taskflow QUIET CONFIG)
if(TARGET Taskflow::Taskflow)
  bench_runtime(taskflow LABEL "Taskflow" VERSION "${Taskflow_VERSION}" SOURCES taskflow forks
    ADAPTER adapters/taskflow.hpp LIBRARIES Taskflow::Taskflow
    POLICY "its headers, compiled as Weft; workers without work look for some for a short time, then sleep; not bound")
else()
  bench_runtime(taskflow LABEL "Taskflow" MISSING "the CMake package Taskflow was not found"
    PACKAGE "taskflow (of Spack, vcpkg or Conan)")
endif()
