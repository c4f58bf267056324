# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# symbols.py on libweft.so. Not with sanitizers, which add symbols of their own.
if(NOT WEFT_CHECK_INTERFACE)
  return()
endif()
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/weft/*.h)
  add_test(NAME api.symbols COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/symbols.py
    $<TARGET_FILE:weft> ${PROJECT_SOURCE_DIR}/src/api/weft.map ${headers})
  set_tests_properties(api.symbols PROPERTIES LABELS api TIMEOUT ${WEFT_TEST_TIMEOUT})
endif()
