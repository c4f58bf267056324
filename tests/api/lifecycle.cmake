# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs lifecycle_program in each of its ways, at each number of workers.

add_executable(api.lifecycle_program ${PROJECT_SOURCE_DIR}/tests/api/lifecycle_program.cpp)
set_target_properties(api.lifecycle_program PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
target_include_directories(api.lifecycle_program PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(api.lifecycle_program PRIVATE weft_settings weft_static gtest)

# A way, then the lines that it must print.
function(weft_lifecycle way)
  string(JOIN "\n" expected ${ARGN} destroyed)
  foreach(workers ${weft_test_workers})
    set(name api.lifecycle_program.${way}.w${workers})
    add_test(NAME ${name}
             COMMAND sh -c "${weft_lifecycle_before}out=$(\"$@\") && echo \"$out\" && test \"$out\" = '${expected}'" sh
                     ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:api.lifecycle_program> ${way})
    set_tests_properties(${name} PROPERTIES LABELS api TIMEOUT ${WEFT_TEST_TIMEOUT})
    set(environment WEFT_WORKERS=${workers} "ASAN_OPTIONS=detect_leaks=0")
    if(way STREQUAL static)
      list(APPEND environment LIFECYCLE_STATIC=1)
    endif()
    set_property(TEST ${name} PROPERTY ENVIRONMENT ${environment})
  endforeach()
endfunction()

weft_lifecycle(return)
weft_lifecycle(static "right outside main")
# The thread sanitizer has a thread of its own, which keeps a process whose first thread has ended.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  weft_lifecycle(pthread_exit "all ran")
  weft_lifecycle(pthread_exit_guest "all ran")
  weft_lifecycle(pthread_exit_by_spawn "all ran")
  weft_lifecycle(pthread_exit_before_guests "all ran")
  weft_lifecycle(pthread_exit_guest_before_guests "all ran")
  weft_lifecycle(pthread_exit_as_guest "all ran")
endif()
weft_lifecycle(thread_ends_as_worker stopped "started again")
weft_lifecycle(thread_ends_as_guest "runs on" "stopped by another")
# An emulator maps memory in its own way, as sanitizers do.
if(NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  # Where the limit may not be raised the stack is as it was.
  set(weft_lifecycle_before "ulimit -s unlimited 2>/dev/null || true && ")
  weft_lifecycle(unlimited_stack "the heap is whole")
  unset(weft_lifecycle_before)
endif()
