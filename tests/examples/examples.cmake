# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# examples_test.py on the examples of this build.
if(WEFT_BUILD_EXAMPLES)
  add_test(NAME examples.examples_test COMMAND ${Python3_EXECUTABLE}
    ${CMAKE_CURRENT_LIST_DIR}/examples_test.py ${PROJECT_BINARY_DIR}/examples)
  set_tests_properties(examples.examples_test PROPERTIES
    LABELS examples TIMEOUT ${WEFT_TEST_TIMEOUT} PROCESSORS 2)
endif()
