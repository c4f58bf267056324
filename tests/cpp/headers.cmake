# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles each public C++ header on its own, with every warning, and measures what weft.hpp brings
# in.
#
# It takes as long as several tests.
if(NOT WEFT_CHECK_INTERFACE)
  return()
endif()
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/include/weft/*.hpp ${PROJECT_SOURCE_DIR}/include/weft/cpp/*.hpp)
list(REMOVE_ITEM headers weft/execution.hpp)  # needs stdexec: execution.cmake
set(sources "")
foreach(header ${headers})
  set(source ${PROJECT_BINARY_DIR}/tests/headers/${header}.cpp)
  # Twice, for the guard.
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <${header}>\n#include <${header}>\n")
  list(APPEND sources ${source})
endforeach()
add_library(cpp.headers OBJECT ${sources})
target_include_directories(cpp.headers PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_compile_options(cpp.headers PRIVATE -pedantic -Wconversion -Wold-style-cast)
target_link_libraries(cpp.headers PRIVATE weft_settings)

# 0.65 s of gcc 12 -O2 on a Zen 4 are 51,000 lines, half of them of <chrono> and <memory>. Time
# repeats badly, lines exactly.
add_test(NAME cpp.header_size COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/header_size.py
  60000 ${CMAKE_CXX_COMPILER} -std=c++20 -I ${PROJECT_SOURCE_DIR}/include)
set_tests_properties(cpp.header_size PROPERTIES LABELS cpp TIMEOUT ${WEFT_TEST_TIMEOUT})

add_test(NAME cpp.misuse COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/misuse_test.py
  ${PROJECT_SOURCE_DIR}/include ${CMAKE_CXX_COMPILER})
set_tests_properties(cpp.misuse PROPERTIES LABELS cpp TIMEOUT ${WEFT_TEST_TIMEOUT})
