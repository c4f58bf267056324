# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Whether the tests here use all that the headers declare. Links a program that names every declared
# function with both libraries; compiles each header alone.
set(include ${PROJECT_SOURCE_DIR}/front/qthreads/include)
add_test(NAME front.qthreads.used
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/used.py ${include})
set_tests_properties(front.qthreads.used PROPERTIES LABELS check TIMEOUT ${WEFT_TEST_TIMEOUT})

if(NOT WEFT_CHECK_INTERFACE)
  return()
endif()
file(GLOB headers CONFIGURE_DEPENDS ${include}/qthread/*.h ${include}/qthread.h)
file(GLOB headers_cxx CONFIGURE_DEPENDS ${include}/qthread/*.hpp)
set(program ${PROJECT_BINARY_DIR}/tests/qthreads_names.c)
add_custom_command(OUTPUT ${program}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/names.py ${program} ${include}
  DEPENDS ${headers} ${CMAKE_CURRENT_LIST_DIR}/names.py ${CMAKE_CURRENT_LIST_DIR}/declared.py)
foreach(library qthread qthread_static)
  set(target front.qthreads.names.${library})
  add_executable(${target} ${program})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX C_EXTENSIONS ON
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${target} PRIVATE ${library})
  weft_add_entry(${target} ${target} api)
endforeach()

set(sources "")
foreach(header ${headers} ${headers_cxx})
  cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${include} OUTPUT_VARIABLE name)
  set(suffixes c cpp)
  if(name MATCHES "hpp$")
    set(suffixes cpp)
  endif()
  foreach(suffix ${suffixes})
    set(source ${PROJECT_BINARY_DIR}/tests/headers/${name}.${suffix})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <${name}>\n#include <${name}>\n")
    list(APPEND sources ${source})
  endforeach()
endforeach()
foreach(standards "11;11" "17;20")
  list(GET standards 0 c)
  list(GET standards 1 cxx)
  set(target front.qthreads.headers.${c}.${cxx})
  add_library(${target} OBJECT ${sources})
  set_target_properties(${target} PROPERTIES C_STANDARD ${c} C_EXTENSIONS ON CXX_STANDARD ${cxx}
    CXX_EXTENSIONS ON)
  target_include_directories(${target} PRIVATE ${include})
  target_compile_options(${target} PRIVATE -Wall -Wextra
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
endforeach()
