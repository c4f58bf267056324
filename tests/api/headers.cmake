# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles each public C header on its own, as C11 and as C++20, with every warning.

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
add_library(api.headers OBJECT ${sources})
target_include_directories(api.headers PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_compile_options(api.headers PRIVATE -pedantic -Wconversion
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>)
target_link_libraries(api.headers PRIVATE weft_settings)
