# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hazards_rethrow_test at -O3 too, whatever the rest is built with: what an optimiser keeps over a
# call that may park is the hazard. Optimised at link time it is a test of the presets lto and
# clang-lto.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_executable(${target}.o3 ${PROJECT_SOURCE_DIR}/tests/api/hazards_rethrow_test.cpp
                 ${PROJECT_SOURCE_DIR}/tests/api/hazards_exceptions_test.cpp
                 ${PROJECT_SOURCE_DIR}/tests/api/hazards_elsewhere_test.cpp
                 ${PROJECT_SOURCE_DIR}/tests/api/hazards_floating_point_test.cpp)
  set_target_properties(${target}.o3 PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(${target}.o3 PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(${target}.o3 PRIVATE -O3)
  target_link_libraries(${target}.o3 PRIVATE weft_settings weft_static gtest gtest_main)
  foreach(workers ${weft_test_workers})
    weft_add_entry(${target}.o3.w${workers} ${target}.o3 api ${workers})
  endforeach()
endif()
