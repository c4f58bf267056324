# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the files of this folder share.

# bench_find(argobots abt.h abt): sets argobots_INCLUDE and argobots_LIBRARY, of a runtime that its
# users install. With a fourth argument it looks in that folder alone.
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

# bench_version(argobots_VERSION "${path}" "#define ABT_VERSION \"([^\"]+)"): what the expression
# finds in a file.
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

# Adds a program that clang++ compiles, whatever compiles the rest; options for it follow.
# LIBRARIES: targets to link; COMPILER: another clang++ than the one found.
function(bench_by_clang runtime kernel source target output)
  cmake_parse_arguments(PARSE_ARGV 5 arg "" COMPILER LIBRARIES)
  if(NOT arg_COMPILER)
    set(arg_COMPILER ${WEFT_CLANG})
  endif()
  list(TRANSFORM arg_LIBRARIES REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE libraries)
  separate_arguments(optimize UNIX_COMMAND "${CMAKE_CXX_FLAGS_${bench_build_type}}")
  get_filename_component(folder ${source} DIRECTORY)
  add_custom_command(OUTPUT ${output}
    COMMAND ${arg_COMPILER} -std=c++20 ${optimize} ${bench_aligned_loops} ${bench_${runtime}_options}
            ${arg_UNPARSED_ARGUMENTS} -I${CMAKE_CURRENT_SOURCE_DIR} -I${folder}
            -DBENCH_KERNEL="${kernel}" -DBENCH_RUNTIME="${runtime}"
            -MD -MF ${output}.d -MT ${output} ${source} ${libraries} -o ${output}
    DEPENDS ${source} ${arg_LIBRARIES} DEPFILE ${output}.d
    COMMENT "Building bench/${kernel} for ${runtime}" VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${output})
endfunction()
