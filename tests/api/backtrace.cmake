# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# backtrace.py on a program of ours: for a machine that runs it, with the switches written by hand.
if(NOT WEFT_ISA STREQUAL portable AND NOT CMAKE_CROSSCOMPILING
   AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_executable(api.backtrace ${CMAKE_CURRENT_LIST_DIR}/backtrace_program.cpp)
  set_target_properties(api.backtrace PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests INTERPROCEDURAL_OPTIMIZATION OFF)
  target_compile_options(api.backtrace PRIVATE -g)
  target_link_libraries(api.backtrace PRIVATE weft_settings weft_static)
  # The program is not optimised at link time; the library may be.
  if(WEFT_LTO)
    target_link_options(api.backtrace PRIVATE -flto)
  endif()
  add_test(NAME api.backtrace COMMAND ${Python3_EXECUTABLE}
    ${CMAKE_CURRENT_LIST_DIR}/backtrace.py $<TARGET_FILE:api.backtrace>)
  set_tests_properties(api.backtrace PROPERTIES
    LABELS api TIMEOUT 150 SKIP_RETURN_CODE 77)
endif()
