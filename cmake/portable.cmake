# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds Boost.Context for the portable context switch; without it the switch is made of ucontext.
#
# A trial link for the target is the question that counts: a header or a library may be there for
# another machine. tests/unit/arch/context_test.cmake asks it too, to test both ways.

include_guard()
include(CheckCXXSourceCompiles)
set(weft_boost_trial "
  #include <boost/context/detail/fcontext.hpp>
  int main() { return boost::context::detail::make_fcontext(nullptr, 0, nullptr) == nullptr; }")
set(CMAKE_REQUIRED_LIBRARIES boost_context)
check_cxx_source_compiles("${weft_boost_trial}"
  WEFT_HAVE_BOOST_CONTEXT)
unset(CMAKE_REQUIRED_LIBRARIES)

# weft_boost_context_folder(out): where such a link takes it from, if no linker would look there by
# itself. What this build is told by the environment or by flags, who links libweft.a need not be.
function(weft_boost_context_folder out)
  set(${out} "" PARENT_SCOPE)
  try_compile(linked SOURCE_FROM_CONTENT trial.cpp "${weft_boost_trial}\n" LINK_OPTIONS -Wl,--trace
    LINK_LIBRARIES boost_context OUTPUT_VARIABLE said NO_CACHE)
  if(NOT linked OR NOT said MATCHES "(/[^ \n()]*)/(libboost_context[^/ \n()]*\\.(so|a))")
    return()
  endif()
  set(folder ${CMAKE_MATCH_1})
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=LIBRARY_PATH ${CMAKE_CXX_COMPILER}
    -print-file-name=${CMAKE_MATCH_2} OUTPUT_VARIABLE usual OUTPUT_STRIP_TRAILING_WHITESPACE)
  cmake_path(GET usual PARENT_PATH usual)  # empty: it is found nowhere
  file(REAL_PATH "${usual}" usual)
  file(REAL_PATH ${folder} real)
  if(NOT real STREQUAL usual)
    cmake_path(NORMAL_PATH folder)
    set(${out} ${folder} PARENT_SCOPE)
  endif()
endfunction()

if(WEFT_ISA STREQUAL portable AND WEFT_HAVE_BOOST_CONTEXT AND
   NOT DEFINED CACHE{WEFT_BOOST_CONTEXT_FOLDER})
  weft_boost_context_folder(weft_boost_folder)
  set(WEFT_BOOST_CONTEXT_FOLDER "${weft_boost_folder}" CACHE PATH
    "Where who links libweft.a finds Boost.Context; empty: where linkers look by themselves")
endif()

add_library(weft_boost_context INTERFACE)
if(WEFT_HAVE_BOOST_CONTEXT)
  target_compile_definitions(weft_boost_context INTERFACE WEFT_HAVE_BOOST_CONTEXT)
  target_link_libraries(weft_boost_context INTERFACE boost_context)
endif()
if(WEFT_ISA STREQUAL portable)
  target_link_libraries(weft_settings INTERFACE weft_boost_context)
endif()
