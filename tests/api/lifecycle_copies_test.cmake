# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The libraries that lifecycle_copies_test loads, and a program that is linked to both copies at
# once.

add_library(api.lifecycle_plugin SHARED ${PROJECT_SOURCE_DIR}/tests/api/lifecycle_plugin.c)
target_link_libraries(api.lifecycle_plugin PRIVATE weft_settings weft)
add_dependencies(${target} api.lifecycle_plugin weft)
target_compile_definitions(${target} PRIVATE
  LIFECYCLE_PLUGIN="$<TARGET_FILE:api.lifecycle_plugin>" LIFECYCLE_LIBWEFT="$<TARGET_FILE:weft>")
target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
set_property(TEST ${entries} APPEND PROPERTY ENVIRONMENT "TSAN_OPTIONS=die_after_fork=0:atexit_sleep_ms=0"
             "ASAN_OPTIONS=detect_leaks=0")

add_executable(api.lifecycle_linked ${PROJECT_SOURCE_DIR}/tests/api/lifecycle_linked_program.c)
set_target_properties(api.lifecycle_linked PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
target_link_libraries(api.lifecycle_linked PRIVATE weft_settings weft_static api.lifecycle_plugin)
# Optimised at link time, and by lld, a program keeps what only libraries use of it to itself.
if(WEFT_LTO OR CMAKE_EXE_LINKER_FLAGS MATCHES "lld")
  target_link_options(api.lifecycle_linked PRIVATE -Wl,--export-dynamic)
endif()
add_test(NAME api.lifecycle_linked COMMAND api.lifecycle_linked)
set_tests_properties(api.lifecycle_linked PROPERTIES LABELS api TIMEOUT ${WEFT_TEST_TIMEOUT})
if(CMAKE_CROSSCOMPILING)  # qemu-user gives up where the child of a fork makes a thread
  set_tests_properties(${entries} PROPERTIES DISABLED TRUE)
endif()
