# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Converse, the layer below Charm++, by its threads. Its own command, charmc, links.
find_program(WEFT_CHARMC charmc)
mark_as_advanced(WEFT_CHARMC)
if(WEFT_CHARMC)
  get_filename_component(converse_INCLUDE ${WEFT_CHARMC}/../../include ABSOLUTE)
  bench_version(converse_VERSION ${converse_INCLUDE}/charm-version-git.h "CHARM_VERSION_GIT \"v?([^\"]+)\"")
endif()
set(converse_POLICY "as it was built; workers without work look for messages, with pauses; free() keeps the \
end of the heap")
if(CMAKE_CROSSCOMPILING OR NOT WEFT_CHARMC)
  bench_runtime(converse LABEL "Converse" MISSING "charmc was not found" PACKAGE "charmpp (of Spack)")
else()
  bench_runtime(converse LABEL "Converse" VERSION "${converse_VERSION}" SOURCES leaves
    ADAPTER adapters/converse.hpp BUILD bench_converse POLICY "${converse_POLICY}")
endif()

# Adds a program that is compiled as all are and linked by charmc.
function(bench_charmc runtime kernel source target output)
  add_library(${target}_object OBJECT ${source})
  target_include_directories(${target}_object PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_include_directories(${target}_object SYSTEM PRIVATE ${converse_INCLUDE})
  target_compile_definitions(${target}_object PRIVATE BENCH_KERNEL="${kernel}" BENCH_RUNTIME="${runtime}")
  target_compile_options(${target}_object PRIVATE ${bench_aligned_loops} ${bench_${runtime}_options})
  target_link_libraries(${target}_object PRIVATE weft_settings)
  add_custom_command(OUTPUT ${output}
    COMMAND ${WEFT_CHARMC} -language converse++ $<TARGET_OBJECTS:${target}_object> -o ${output}
    DEPENDS ${target}_object $<TARGET_OBJECTS:${target}_object>
    COMMENT "Linking bench/${kernel} for ${runtime}" VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(${target} ALL DEPENDS ${output})
endfunction()

function(bench_converse kernel source target output)
  bench_charmc(converse ${kernel} ${source} ${target} ${output})
endfunction()
