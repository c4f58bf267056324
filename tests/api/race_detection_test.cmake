# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# race_detection_test makes ThreadSanitizer find races, which it counts: no reason to fail or stop.
set_tests_properties(${entries} PROPERTIES ENVIRONMENT "TSAN_OPTIONS=exitcode=0 halt_on_error=0")
