# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds Boost.Context for the portable context switch; without it the switch is made of ucontext.
#
# A trial link for the target is the question that counts: a header or a library may be there for
# another machine. tests/unit/arch/context_test.cmake asks it too, to test both ways.

include_guard()
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES boost_context)
check_cxx_source_compiles("
  #include <boost/context/detail/fcontext.hpp>
  int main() { return boost::context::detail::make_fcontext(nullptr, 0, nullptr) == nullptr; }"
  WEFT_HAVE_BOOST_CONTEXT)
unset(CMAKE_REQUIRED_LIBRARIES)

add_library(weft_boost_context INTERFACE)
if(WEFT_HAVE_BOOST_CONTEXT)
  target_compile_definitions(weft_boost_context INTERFACE WEFT_HAVE_BOOST_CONTEXT)
  target_link_libraries(weft_boost_context INTERFACE boost_context)
endif()
if(WEFT_ISA STREQUAL portable)
  target_link_libraries(weft_settings INTERFACE weft_boost_context)
endif()
