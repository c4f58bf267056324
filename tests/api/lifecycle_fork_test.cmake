# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The children of lifecycle_fork_test make threads, which ThreadSanitizer forbids unless told, and
# leave their parent's memory behind, which LeakSanitizer would count.
set_property(TEST ${entries} APPEND PROPERTY ENVIRONMENT "TSAN_OPTIONS=die_after_fork=0:atexit_sleep_ms=0"
             "ASAN_OPTIONS=detect_leaks=0")
if(CMAKE_CROSSCOMPILING)  # qemu-user gives up where the child of a fork makes a thread
  set_tests_properties(${entries} PROPERTIES DISABLED TRUE)
endif()
