# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles each public C header on its own, as C11, as C++11 and as C++20, with every warning.

if(NOT WEFT_CHECK_INTERFACE)
  return()
endif()
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/include/weft/*.h)
set(sources "")
foreach(header ${headers})
  foreach(suffix c cpp)
    set(source ${PROJECT_BINARY_DIR}/tests/headers/${header}.${suffix})
    # Twice, for the include guard.
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <${header}>\n#include <${header}>\n")
    list(APPEND sources ${source})
  endforeach()
endforeach()
foreach(standard 11 20)
  set(target api.headers.cxx${standard})
  add_library(${target} OBJECT ${sources})
  set_target_properties(${target} PROPERTIES CXX_STANDARD ${standard})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${target} PRIVATE -pedantic -Wconversion
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>)
  target_link_libraries(${target} PRIVATE weft_settings)
endforeach()
