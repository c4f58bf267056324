# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The children of lifecycle_exit_test make threads, which ThreadSanitizer forbids unless told, and
# leave tasks behind, which LeakSanitizer would count.
set_property(TEST ${entries} APPEND PROPERTY ENVIRONMENT "TSAN_OPTIONS=die_after_fork=0:atexit_sleep_ms=0"
             "ASAN_OPTIONS=detect_leaks=0")
