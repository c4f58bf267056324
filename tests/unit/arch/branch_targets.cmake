# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# branch_targets_program with BTI and return address signing, which QEMU enforces on every such
# page.
if(WEFT_ISA STREQUAL aarch64 AND CMAKE_CROSSCOMPILING_EMULATOR MATCHES "qemu")
  add_executable(unit.arch.branch_targets ${CMAKE_CURRENT_LIST_DIR}/branch_targets_program.cpp
    ${PROJECT_SOURCE_DIR}/src/arch/aarch64/entry.S)
  set_target_properties(unit.arch.branch_targets PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests INTERPROCEDURAL_OPTIMIZATION OFF)
  target_link_libraries(unit.arch.branch_targets PRIVATE weft_internal)
  target_compile_options(unit.arch.branch_targets PRIVATE
    -ffreestanding -march=armv8.5-a -mbranch-protection=standard)
  target_link_options(unit.arch.branch_targets PRIVATE -nostdlib -static)
  weft_add_entry(unit.arch.branch_targets unit.arch.branch_targets unit)
endif()
