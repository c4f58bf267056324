# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How runtimes and kernels say what they are; what is said ends up in manifest.json.

set(bench_runtimes "")      # those that are there, in order
set(bench_runtime_list "")  # all of them, as JSON
set(bench_group_list "")
set(bench_kernel_list "")
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/figures.toml bench_figures REGEX "^\\[figure\\.")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/figures.toml)
string(TOUPPER "${CMAKE_BUILD_TYPE}" bench_build_type)
include(runtimes/functions.cmake)
include(rust/functions.cmake)

# A loop of few instructions takes twice as long where it happens to cross a line of code. So those
# of all runtimes in C++ begin at one, whoever compiles them; Go and Rust place theirs themselves.
set(bench_aligned_loops -falign-loops=64)

# Adds one line to a list of the manifest.
macro(bench_say list line)
  string(APPEND ${list} "    ${line},\n")
  set(${list} "${${list}}" PARENT_SCOPE)
endmacro()

# bench_runtime(tbb LABEL "oneTBB" VERSION 2021.8 LIBRARIES TBB::tbb)
# bench_runtime(go LABEL "Go" MISSING "Go was not found" PACKAGE golang-go)
#   LABEL      what people call it
#   VERSION    of what was found
#   POLICY     what to know of idling, affinity and build, where it is not as of the others
#   SOURCES    names that its file in a kernel's folder may have, without suffix: the first that is
#              there is taken; the runtime's name if not given
#   SUFFIX     of that file (.cpp)
#   ADAPTER    the header that sources for many runtimes include as BENCH_ADAPTER
#   LOOPS      the header that loops.cpp in a kernel's folder includes as BENCH_LOOPS
#              (loops/README.md)
#   LIBRARIES  to link, OPTIONS to compile with
#   BUILD      a function(kernel source target output) that makes a target which builds the program,
#              where that is not C++ of this compiler
#   BESIDE     the runtime of Weft's whose programs are compiled as these, if they are not as Weft's
#              own
#   FOR        a runtime that comes before: only the kernels that this one has too
#   MISSING    why it is not there, and PACKAGE, what brings it
function(bench_runtime runtime)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;VERSION;POLICY;SUFFIX;ADAPTER;LOOPS;BUILD;BESIDE;FOR;MISSING;PACKAGE"
    "SOURCES;LIBRARIES;OPTIONS")
  if(NOT arg_SOURCES)
    set(arg_SOURCES ${runtime})
  endif()
  if(arg_LOOPS)
    list(APPEND arg_SOURCES loops)
    list(APPEND arg_OPTIONS -DBENCH_LOOPS="${arg_LOOPS}")
  endif()
  if(NOT arg_SUFFIX)
    set(arg_SUFFIX .cpp)
  endif()
  bench_say(bench_runtime_list "{\"name\": \"${runtime}\", \"label\": \"${arg_LABEL}\", \
\"version\": \"${arg_VERSION}\", \"policy\": \"${arg_POLICY}\", \
\"missing\": \"${arg_MISSING}\", \"package\": \"${arg_PACKAGE}\", \"beside\": \"${arg_BESIDE}\"}")
  if(NOT arg_MISSING)
    set(bench_runtimes ${bench_runtimes} ${runtime} PARENT_SCOPE)
  endif()
  list(TRANSFORM arg_SOURCES APPEND ${arg_SUFFIX})
  set(bench_${runtime}_sources ${arg_SOURCES} PARENT_SCOPE)
  set(bench_${runtime}_build ${arg_BUILD} PARENT_SCOPE)
  set(bench_${runtime}_for "${arg_FOR}" PARENT_SCOPE)
  set(bench_${runtime}_libraries ${arg_LIBRARIES} PARENT_SCOPE)
  if(arg_ADAPTER)
    list(APPEND arg_OPTIONS -DBENCH_ADAPTER=\"${arg_ADAPTER}\")
  endif()
  set(bench_${runtime}_options ${arg_OPTIONS} PARENT_SCOPE)
endfunction()

# The file of a kernel's folder that a runtime is built from; empty if it has none there.
function(bench_source runtime folder result)
  foreach(name ${bench_${runtime}_sources})
    if(EXISTS ${folder}/${name})
      set(${result} ${folder}/${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${result} "" PARENT_SCOPE)
endfunction()

# bench_group(tasks "Threads" fib yield): kernels, which are folders, under one heading.
macro(bench_group group title)
  string(APPEND bench_group_list "    {\"name\": \"${group}\", \"title\": \"${title}\"},\n")
  set(bench_group ${group})
  foreach(bench_folder ${ARGN})
    include(kernels/${bench_folder}/kernel.cmake)
  endforeach()
endmacro()

# bench_kernel(uts_t1 UNIT s TITLE "..." PROGRAM): one kernel of the folder that calls it, for each
# runtime that has a file there.
#   WITHOUT  runtimes that have a file and are left out
#   WORKERS  the only number of workers with which it makes sense
#   LIKE     another kernel of the folder, whose programs are these too: they look how they are
#            called
#   FIGURE   the name in figures.toml of the figure that it repeats
#   X        where it stands on that figure's horizontal axis, if that is not the number of workers
#   PROGRAM  part of `weft run`
#   ONCE     one sample a process
#   DATA     reads the file of numbers
function(bench_kernel kernel)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PROGRAM;ONCE;DATA" "UNIT;TITLE;WORKERS;LIKE;FIGURE;X" "WITHOUT")
  if(arg_FIGURE AND NOT "[figure.${arg_FIGURE}]" IN_LIST bench_figures)
    message(FATAL_ERROR "The kernel ${kernel} names the figure ${arg_FIGURE}, which bench/figures.toml does not have.")
  endif()
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/kernels/${bench_folder})
  set(built "")
  foreach(runtime ${bench_runtimes})
    bench_source(${runtime} ${folder} source)
    set(for "\"${bench_${runtime}_for}\"")
    if(runtime IN_LIST arg_WITHOUT OR NOT source OR (bench_${runtime}_for AND NOT for IN_LIST built))
      continue()
    endif()
    list(APPEND built "\"${runtime}\"")
    set(target bench_${kernel}_${runtime})
    if(arg_LIKE)
      set(like bench_${arg_LIKE}_${runtime})
      set(made_by ${like})
      if(bench_${runtime}_build)
        set(made_by build_${like})
      endif()
      add_custom_command(TARGET ${made_by} POST_BUILD VERBATIM
        COMMAND ${CMAKE_COMMAND} -E create_symlink ${like} ${CMAKE_CURRENT_BINARY_DIR}/${target})
      continue()
    endif()
    if(bench_${runtime}_build)
      # The program's name is taken by its file.
      set(program ${CMAKE_CURRENT_BINARY_DIR}/${target})
      set(target build_${target})
      cmake_language(CALL ${bench_${runtime}_build} ${kernel} ${source} ${target} ${program})
    else()
      add_executable(${target} ${source})
      target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
      target_compile_definitions(${target} PRIVATE
        BENCH_KERNEL="${kernel}" BENCH_RUNTIME="${runtime}")
      target_compile_options(${target} PRIVATE ${bench_aligned_loops} ${bench_${runtime}_options})
      target_link_libraries(${target} PRIVATE weft_settings ${bench_${runtime}_libraries})
    endif()
    if(arg_PROGRAM)
      add_dependencies(bench_programs ${target})
    endif()
  endforeach()
  list(JOIN built ", " built)
  foreach(flag PROGRAM ONCE DATA)
    string(TOLOWER ${arg_${flag}} ${flag})
  endforeach()
  foreach(number WORKERS X)
    if("${arg_${number}}" STREQUAL "")
      set(arg_${number} null)
    endif()
  endforeach()
  bench_say(bench_kernel_list "{\"name\": \"${kernel}\", \"group\": \"${bench_group}\", \
\"unit\": \"${arg_UNIT}\", \"title\": \"${arg_TITLE}\", \"figure\": \"${arg_FIGURE}\", \
\"x\": ${arg_X}, \"workers\": ${arg_WORKERS}, \"program\": ${PROGRAM}, \"once\": ${ONCE}, \"data\": ${DATA}, \
\"runtimes\": [${built}]}")
endfunction()

# Writes manifest.json. NUMBERS: the sizes of the file of numbers, as JSON.
function(bench_manifest numbers)
  foreach(list runtime group kernel)
    string(REGEX REPLACE ",\n$" "\n" bench_${list}_list "${bench_${list}_list}")
  endforeach()
  file(CONFIGURE OUTPUT manifest.json @ONLY CONTENT [[{
  "compiler": "@CMAKE_CXX_COMPILER_ID@ @CMAKE_CXX_COMPILER_VERSION@",
  "build_type": "@CMAKE_BUILD_TYPE@",
  "processor": "@CMAKE_SYSTEM_PROCESSOR@",
  "numbers": {@numbers@},
  "figures": "@CMAKE_CURRENT_SOURCE_DIR@/figures.toml",
  "runtimes": [
@bench_runtime_list@  ],
  "groups": [
@bench_group_list@  ],
  "kernels": [
@bench_kernel_list@  ]
}
]])
endfunction()
