# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the files of this folder share.

# bench_find(argobots abt.h abt): sets argobots_INCLUDE and argobots_LIBRARY, of a runtime that its users install.
# With a fourth argument it looks in that folder alone.
function(bench_find runtime header library)
  if(ARGC GREATER 3)
    set(where PATHS ${ARGV3}/include ${ARGV3}/lib ${ARGV3}/lib64 NO_DEFAULT_PATH)
  endif()
  find_path(${runtime}_INCLUDE ${header} ${where})
  find_library(${runtime}_LIBRARY ${library} ${where})
  mark_as_advanced(${runtime}_INCLUDE ${runtime}_LIBRARY)
  if(${runtime}_INCLUDE AND ${runtime}_LIBRARY AND NOT TARGET bench_${runtime})
    add_library(bench_${runtime} INTERFACE)
    target_include_directories(bench_${runtime} SYSTEM INTERFACE ${${runtime}_INCLUDE})
    target_link_libraries(bench_${runtime} INTERFACE ${${runtime}_LIBRARY})
  endif()
endfunction()

# bench_version(argobots_VERSION "${path}" "#define ABT_VERSION \"([^\"]+)"): what the expression finds in a file.
function(bench_version result path expression)
  set(found "")
  if(EXISTS "${path}")
    file(STRINGS ${path} lines REGEX "${expression}" LIMIT_COUNT 1)
    if(lines MATCHES "${expression}")
      set(found "${CMAKE_MATCH_1}")
    endif()
  endif()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Adds a program that clang++ compiles for OpenMP, whatever compiles the rest; options for it follow.
function(bench_clang_openmp runtime kernel source target output)
  separate_arguments(optimize UNIX_COMMAND "${CMAKE_CXX_FLAGS_${bench_build_type}}")
  get_filename_component(folder ${source} DIRECTORY)
  add_custom_command(OUTPUT ${output}
    COMMAND ${WEFT_CLANG} -std=c++20 ${optimize} ${bench_aligned_loops} ${ARGN} -I${CMAKE_CURRENT_SOURCE_DIR} -I${folder}
            -DBENCH_KERNEL="${kernel}" -DBENCH_RUNTIME="${runtime}" -DBENCH_ADAPTER="harness/openmp.hpp"
            -DBENCH_LOOPS="loops/openmp.hpp"
            -MD -MF ${output}.d -MT ${output} ${source} -o ${output}
    DEPENDS ${source} DEPFILE ${output}.d
    COMMENT "Building bench/${kernel} for ${runtime}" VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${output})
endfunction()
