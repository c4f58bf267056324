# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds the tests by their place and makes each an executable and a ctest entry.
#
#   tests/unit/**/<x>_test.cpp     label unit     GoogleTest, may include src/
#   tests/api/**/<x>_test.cpp      label api      GoogleTest, sees include/ alone
#   tests/api/**/<x>_test.c        label api      its own main, C11
#   tests/cpp/**/<x>_test.cpp      label cpp      GoogleTest, sees include/ alone, weft.hpp too
#   tests/front/<abi>/**           label api      the same over a front-end of front/<abi>
#   tests/stress/**/<x>_stress.cpp label stress   GoogleTest, may include src/
#   tests/model/**/<x>_model.cpp   label model    its own main, under the model checker
#   tests/tools/**/<x>_test.py     label tools    python3
#   tools/check_<x>.py             label check    python3
#   tests/browser                  label browser  python3, where Chromium is installed
#
# What tests of several folders share stands in tests/support, included as "support/child.hpp".
# The target of tests/unit/os/futex_test.cpp is unit.os.futex_test. A file futex_test.cmake beside
# it is included once its target (`target`) and its ctest entries (`entries`) exist. A .cmake file
# with no test of its name is included at the end, for what is not one executable.
# An API, C++ or stress test that mentions WEFT_TEST_AT_WORKERS runs at each of these numbers of
# workers:
set(weft_stress_workers 1 2 7 64)
# 64 threads of an emulator, or watched by a thread sanitizer, take minutes.
if(CMAKE_CROSSCOMPILING OR CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  set(weft_stress_workers 1 2 7)
endif()
set(weft_test_workers ${weft_stress_workers})
# Watched by another they take a minute or two, which the stress tests are worth.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  set(weft_test_workers 1 2 7)
endif()
# and at 2 workers with each of these options, as <target>.sticky and <target>.symmetric. One that
# starts runtimes of its own has these two more if it mentions WEFT_TEST_AT_STICKY,
# WEFT_TEST_AT_SYMMETRIC.
set(weft_option_sticky WEFT_STICKY=1)
set(weft_option_symmetric WEFT_MEMBARRIER=off)
# A test that mentions WEFT_TEST_UNDER_VALGRIND has one more entry, <target>.valgrind. One that
# mentions WEFT_TEST_AT_LEVEL_OF_LIBRARY, because it matters what its frames hold or what a compiler
# keeps across a call, is compiled without WEFT_TEST_OPTIONS.
find_program(WEFT_VALGRIND valgrind)

find_package(Python3 3.11 COMPONENTS Interpreter REQUIRED)

add_library(weft_internal INTERFACE)
target_include_directories(weft_internal INTERFACE
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)

function(weft_add_gtest)
  if(NOT EXISTS ${WEFT_GTEST_DIR}/CMakeLists.txt)
    message(FATAL_ERROR "There is no GoogleTest at ${WEFT_GTEST_DIR}: install the package "
            "googletest, set WEFT_GTEST_DIR to its sources, or set WEFT_BUILD_TESTS=OFF.")
  endif()
  set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
  set(INSTALL_GTEST OFF)
  set(BUILD_GMOCK OFF)
  add_subdirectory(${WEFT_GTEST_DIR} ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
endfunction()

# weft_precompile(target from [options]): has GoogleTest's header compiled once for all tests with
# the same options, in a target `from`: a third of what a test takes to compile. A build that does so
# does not see what a test forgets to include.
function(weft_precompile target from)
  if(NOT WEFT_PRECOMPILE_TESTS)
    return()
  endif()
  if(NOT TARGET ${from})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "int main() { return 0; }\n")
    add_executable(${from} EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(${from} PRIVATE weft_settings gtest)
    target_compile_options(${from} PRIVATE ${ARGN})
    target_precompile_headers(${from} PRIVATE <gtest/gtest.h> <algorithm> <atomic> <chrono>
      <functional> <memory> <mutex> <string> <thread> <vector>)
    weft_keep_precompiled(${from})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${from})
  weft_keep_precompiled(${target})
endfunction()

# Registers one ctest entry: weft_add_entry(name target label [workers [option]]). The stress tests with
# several workers count as two of ctest's jobs, so that their threads do meet. The others
# keep about one processor busy.
function(weft_add_entry name target label)
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${WEFT_TEST_TIMEOUT})
  if(ARGC GREATER 3)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "WEFT_WORKERS=${ARGV3};${ARGV4}")
    if(ARGV3 GREATER 1 AND label STREQUAL "stress")
      set_tests_properties(${name} PROPERTIES PROCESSORS 2)
    endif()
  endif()
endfunction()

# weft_test(tests/api/task_test.cpp api)
function(weft_test path label)
  cmake_path(REMOVE_EXTENSION path LAST_ONLY OUTPUT_VARIABLE stem)
  string(REGEX REPLACE "^tests/" "" target ${stem})
  string(REPLACE "/" "." target ${target})
  set(file ${PROJECT_SOURCE_DIR}/${path})

  add_executable(${target} ${file})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE weft_settings)
  file(STRINGS ${file} marks REGEX "WEFT_TEST_(AT|UNDER)_")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  if(NOT marks MATCHES WEFT_TEST_AT_LEVEL_OF_LIBRARY)
    target_compile_options(${target} PRIVATE ${WEFT_TEST_OPTIONS})
  endif()
  if(label STREQUAL model)
    target_compile_definitions(${target} PRIVATE WEFT_MODEL=1)
    # What stands there comes before the file of that name in src.
    target_include_directories(${target} BEFORE PRIVATE
      ${PROJECT_SOURCE_DIR}/tests/model ${PROJECT_SOURCE_DIR}/tests/model/stand_in)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE weft_internal)
  else()
    target_link_libraries(${target} PRIVATE weft_static)
    if(path MATCHES "\\.cpp$")
      target_link_libraries(${target} PRIVATE gtest gtest_main)
      if(marks MATCHES WEFT_TEST_AT_LEVEL_OF_LIBRARY)
        weft_precompile(${target} precompiled_at_level)
      else()
        weft_precompile(${target} precompiled ${WEFT_TEST_OPTIONS})
      endif()
    endif()
    if(path MATCHES "^tests/front/qthreads/")
      target_link_libraries(${target} PRIVATE qthread_static)
      target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/front/qthreads/src)
    endif()
    if(NOT label MATCHES "^(api|cpp)$")
      target_link_libraries(${target} PRIVATE weft_internal)
    endif()
  endif()

  set(entries "")
  if(label MATCHES "^(api|cpp|stress)$" AND marks MATCHES WEFT_TEST_AT_WORKERS)
    set(counts ${weft_test_workers})
    if(label STREQUAL "stress")
      set(counts ${weft_stress_workers})
    endif()
    foreach(workers ${counts})
      weft_add_entry(${target}.w${workers} ${target} ${label} ${workers})
      list(APPEND entries ${target}.w${workers})
    endforeach()
  else()
    weft_add_entry(${target} ${target} ${label})
    set(entries ${target})
  endif()
  foreach(option sticky symmetric)
    string(TOUPPER "WEFT_TEST_AT_(WORKERS|${option})" mark)
    if(label MATCHES "^(api|cpp|stress)$" AND marks MATCHES "${mark}")
      weft_add_entry(${target}.${option} ${target} ${label} 2 ${weft_option_${option}})
      list(APPEND entries ${target}.${option})
    endif()
  endforeach()
  if(marks MATCHES WEFT_TEST_UNDER_VALGRIND AND WEFT_VALGRIND AND NOT CMAKE_CROSSCOMPILING)
    add_test(NAME ${target}.valgrind
             COMMAND ${WEFT_VALGRIND} --quiet --error-exitcode=99 $<TARGET_FILE:${target}>)
    set_tests_properties(${target}.valgrind PROPERTIES LABELS valgrind TIMEOUT 300)
  endif()
  include(${PROJECT_SOURCE_DIR}/${stem}.cmake OPTIONAL)
endfunction()

function(weft_script path label)
  cmake_path(GET path STEM name)
  add_test(NAME ${label}.${name} COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/${path})
  set_tests_properties(${label}.${name} PROPERTIES LABELS ${label} TIMEOUT ${WEFT_TEST_TIMEOUT})
  if(label STREQUAL "tools")
    # Some take long: they do not begin last.
    set_tests_properties(${label}.${name} PROPERTIES COST 10)
  endif()
endfunction()

function(weft_glob out)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/tests/)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${ARGN})
  set(${out} ${found} PARENT_SCOPE)
endfunction()

if(WEFT_BUILD_TESTS)
  weft_add_gtest()
  weft_glob(unit unit/*_test.cpp)
  weft_glob(api api/*_test.cpp api/*_test.c)
  if(WEFT_BUILD_QTHREADS)
    weft_glob(front front/qthreads/*_test.cpp)
    list(APPEND api ${front})
  endif()
  weft_glob(cpp cpp/*_test.cpp)
  # Under an emulator, stress shows little and takes long.
  if(NOT CMAKE_CROSSCOMPILING)
    weft_glob(stress stress/*_stress.cpp)
  endif()
  foreach(label unit api cpp stress)
    foreach(path ${${label}})
      weft_test(${path} ${label})
    endforeach()
  endforeach()

  weft_glob(scripts tools/*_test.py)
  foreach(path ${scripts})
    weft_script(${path} tools)
  endforeach()
  file(GLOB checks CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} tools/check_*.py)
  foreach(path ${checks})
    weft_script(${path} check)
  endforeach()

  weft_glob(extras *.cmake)
  if(NOT WEFT_BUILD_QTHREADS)
    list(FILTER extras EXCLUDE REGEX "^tests/front/qthreads/")
  endif()
  foreach(path ${extras})
    string(REGEX REPLACE "\\.cmake$" "" stem ${PROJECT_SOURCE_DIR}/${path})
    if(NOT EXISTS ${stem}.cpp AND NOT EXISTS ${stem}.c)
      include(${PROJECT_SOURCE_DIR}/${path})
    endif()
  endforeach()
endif()

if(WEFT_MODEL_TESTS)
  # Models are made of headers: a build for them alone does without the libraries.
  if(NOT WEFT_BUILD_TESTS)
    set(libraries weft weft_static)
    if(WEFT_BUILD_QTHREADS)
      list(APPEND libraries qthread qthread_static)
    endif()
    set_target_properties(${libraries} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  weft_glob(models model/*_model.cpp)
  foreach(path ${models})
    weft_test(${path} model)
  endforeach()
endif()
