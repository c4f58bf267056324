# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# self_word_test at -O3, where a compiler would keep the address, and once more with the word in a
# shared library, where it is reached through the GOT.
target_compile_options(${target} PRIVATE -O3)
set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)  # compiled at -O1

add_library(${target}.library SHARED ${CMAKE_CURRENT_LIST_DIR}/self_word_library.cpp)
target_link_libraries(${target}.library PRIVATE weft_settings weft_internal)

file(GLOB switch_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/arch/${WEFT_ISA}/*.cpp ${PROJECT_SOURCE_DIR}/src/arch/${WEFT_ISA}/*.S)
add_executable(${target}.shared ${CMAKE_CURRENT_LIST_DIR}/self_word_test.cpp
  ${PROJECT_SOURCE_DIR}/src/arch/fiber_notes.cpp ${PROJECT_SOURCE_DIR}/src/base/check.cpp
  ${switch_sources})
set_target_properties(${target}.shared PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests POSITION_INDEPENDENT_CODE ON)
target_compile_options(${target}.shared PRIVATE -O3)
target_link_libraries(${target}.shared PRIVATE
  weft_settings weft_internal gtest gtest_main ${target}.library)
weft_add_entry(${target}.shared ${target}.shared unit)
