# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The test of weft/execution.hpp, where stdexec is found: no package of Debian brings it. Give its
# include folder by -DWEFT_STDEXEC_DIR=... . Once, by the plain native build: its headers take long.
find_path(WEFT_STDEXEC_DIR stdexec/execution.hpp DOC "Where the headers of stdexec are")
if(NOT WEFT_STDEXEC_DIR OR CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR CMAKE_CROSSCOMPILING)
  return()
endif()
add_executable(cpp.execution_test ${CMAKE_CURRENT_LIST_DIR}/execution_program.cpp)
set_target_properties(cpp.execution_test PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
target_include_directories(cpp.execution_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_include_directories(cpp.execution_test SYSTEM PRIVATE ${WEFT_STDEXEC_DIR})
target_link_libraries(cpp.execution_test PRIVATE weft_settings weft_static gtest gtest_main)
foreach(workers ${weft_test_workers})
  weft_add_entry(cpp.execution_test.w${workers} cpp.execution_test cpp ${workers})
endforeach()
