# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# switch_backtrace.py on one program, compiled in the ways that give its frames different shapes.
#
# For the switches written by hand, and without sanitizers (the program switches without telling
# them). Static, so that a debugger of a foreign program needs no libraries of the other machine.
if(NOT WEFT_ISA STREQUAL portable AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  function(weft_switch_backtrace shape)
    set(name unit.arch.switch_backtrace.${shape})
    add_executable(${name} ${CMAKE_CURRENT_LIST_DIR}/switch_backtrace_program.cpp
      ${PROJECT_SOURCE_DIR}/src/arch/${WEFT_ISA}/entry.S)
    set_target_properties(${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests INTERPROCEDURAL_OPTIMIZATION OFF)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-g;${ARGN}>)
    target_link_libraries(${name} PRIVATE weft_internal)
    target_link_options(${name} PRIVATE -static)
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE}
      ${CMAKE_CURRENT_LIST_DIR}/switch_backtrace.py $<TARGET_FILE:${name}>
      ${CMAKE_CROSSCOMPILING_EMULATOR})
    set_tests_properties(${name} PROPERTIES
      LABELS unit TIMEOUT ${WEFT_TEST_TIMEOUT} SKIP_RETURN_CODE 77)
  endfunction()
  weft_switch_backtrace(plain -O0)
  weft_switch_backtrace(optimised -O2 -fomit-frame-pointer)
  weft_switch_backtrace(frame_pointer -O3 -fno-omit-frame-pointer)
endif()
