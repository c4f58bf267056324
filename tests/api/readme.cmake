# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles the example of README.md as C11, with libweft.so and with libweft.a, and runs it.

set(readme ${PROJECT_SOURCE_DIR}/README.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${readme})
file(READ ${readme} text)
string(FIND "${text}" "```c\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "README.md has no C example any more")
endif()
math(EXPR begin "${begin} + 5")
string(SUBSTRING "${text}" ${begin} -1 text)
string(FIND "${text}" "```" end)
string(SUBSTRING "${text}" 0 ${end} text)
set(example ${PROJECT_BINARY_DIR}/tests/readme_example.c)
file(CONFIGURE OUTPUT ${example} CONTENT "${text}" @ONLY)

foreach(library weft weft_static)
  set(target api.readme.${library})
  add_executable(${target} ${example})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_compile_options(${target} PRIVATE -pedantic)
  target_link_libraries(${target} PRIVATE weft_settings ${library})
  add_test(NAME ${target}
           COMMAND sh -c "out=$(\"$@\") && echo \"$out\" && test \"$out\" = 'fib(25) = 75025'" sh
                   ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${target}>)
  set_tests_properties(${target} PROPERTIES LABELS api TIMEOUT ${WEFT_TEST_TIMEOUT})
endforeach()
