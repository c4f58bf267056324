# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# context_test with the portable switches too, whichever one this build uses.
include(${PROJECT_SOURCE_DIR}/cmake/portable.cmake)

# Not linked with the library, whose contexts may be of another kind.
function(weft_portable_context_test way)
  set(name ${target}.${way})
  add_executable(${name} ${CMAKE_CURRENT_LIST_DIR}/context_test.cpp
    ${PROJECT_SOURCE_DIR}/src/arch/portable/context.cpp
    ${PROJECT_SOURCE_DIR}/src/arch/fiber_notes.cpp ${PROJECT_SOURCE_DIR}/src/base/check.cpp)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_compile_definitions(${name} PRIVATE WEFT_PORTABLE_SWITCH)
  target_link_libraries(${name} PRIVATE weft_internal Threads::Threads gtest gtest_main ${ARGN})
  weft_add_entry(${name} ${name} unit)
endfunction()

weft_portable_context_test(ucontext)
if(WEFT_HAVE_BOOST_CONTEXT)
  weft_portable_context_test(boost weft_boost_context)
endif()
