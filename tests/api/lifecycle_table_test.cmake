# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lifecycle_table_test compares its tables with the list of exported symbols and with other tests.
target_compile_definitions(${target} PRIVATE LIFECYCLE_SOURCES="${PROJECT_SOURCE_DIR}")
set_property(TEST ${entries} APPEND PROPERTY ENVIRONMENT "TSAN_OPTIONS=die_after_fork=0:atexit_sleep_ms=0"
             "ASAN_OPTIONS=detect_leaks=0")
if(CMAKE_CROSSCOMPILING)  # qemu-user gives up where the child of a fork makes a thread
  set_tests_properties(${entries} PROPERTIES DISABLED TRUE)
endif()
