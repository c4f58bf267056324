# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# snippets_test.py on the library of this build; site_test.py where the renderer is installed.
#
# Where the examples are built: once in a run of all tests is enough.
if(WEFT_BUILD_EXAMPLES)
  add_test(NAME docs.snippets_test COMMAND ${Python3_EXECUTABLE}
    ${CMAKE_CURRENT_LIST_DIR}/snippets_test.py
    ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER} $<TARGET_FILE:weft_static>)
  set_tests_properties(docs.snippets_test PROPERTIES
    LABELS docs TIMEOUT ${WEFT_TEST_TIMEOUT} PROCESSORS 2)
  find_program(WEFT_CMARK cmark-gfm)
  if(WEFT_CMARK)
    add_test(NAME docs.site_test
      COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/site_test.py)
    set_tests_properties(docs.site_test PROPERTIES LABELS docs TIMEOUT ${WEFT_TEST_TIMEOUT})
  endif()
endif()
