# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The runtimes of Rust: one program for all kernels of a runtime, linked under the name of each.
find_program(WEFT_CARGO cargo HINTS $ENV{HOME}/.cargo/bin)
set(bench_cargo_folder ${CMAKE_CURRENT_BINARY_DIR}/rust)
set(rayon_VERSION 1.12.0)
set(tokio_VERSION 1.54.1)
configure_file(${CMAKE_CURRENT_LIST_DIR}/Cargo.toml.in ${bench_cargo_folder}/Cargo.toml @ONLY)
set(bench_crates_here FALSE)
if(WEFT_CARGO)
  execute_process(COMMAND ${WEFT_CARGO} metadata --offline --format-version 1
    WORKING_DIRECTORY ${bench_cargo_folder} RESULT_VARIABLE bench_cargo_failed OUTPUT_QUIET ERROR_QUIET)
  if(NOT bench_cargo_failed)
    set(bench_crates_here TRUE)
  endif()
endif()

# bench_crate(rayon "Rayon"): the runtime of this crate. Nothing is fetched: the crates must be
# here.
macro(bench_crate crate label)
  if(CMAKE_CROSSCOMPILING)
    bench_runtime(${crate} LABEL "${label}" MISSING "cargo is not asked to build for another machine")
  elseif(NOT WEFT_CARGO)
    bench_runtime(${crate} LABEL "${label}" MISSING "cargo was not found" PACKAGE cargo)
  elseif(NOT bench_crates_here)
    bench_runtime(${crate} LABEL "${label}"
      MISSING "its crate is not here: cargo fetch --manifest-path ${bench_cargo_folder}/Cargo.toml brings it")
  else()
    bench_runtime(${crate} LABEL "${label}" VERSION ${${crate}_VERSION} SUFFIX .rs BUILD bench_${crate}
      POLICY "release build of cargo, linked as a whole; workers without work sleep")
  endif()
endmacro()

# Makes the program of a runtime once, and one more name for it.
function(bench_cargo crate target output)
  if(NOT TARGET cargo_${crate})
    file(GLOB sources ${CMAKE_CURRENT_SOURCE_DIR}/rust/*.rs ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*/${crate}.rs
         ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*/config.hpp)
    add_custom_command(OUTPUT ${bench_cargo_folder}/release/bench_${crate}
      COMMAND ${WEFT_CARGO} build --quiet --offline --release --bin bench_${crate}
              --manifest-path ${bench_cargo_folder}/Cargo.toml --target-dir ${bench_cargo_folder}
      DEPENDS ${sources} ${bench_cargo_folder}/Cargo.toml
      COMMENT "Building the Rust programs of ${crate}" VERBATIM)
    add_custom_target(cargo_${crate} DEPENDS ${bench_cargo_folder}/release/bench_${crate})
  endif()
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E copy ${bench_cargo_folder}/release/bench_${crate} ${output}
    DEPENDS cargo_${crate} ${bench_cargo_folder}/release/bench_${crate} VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${output})
endfunction()

function(bench_rayon kernel source target output)
  bench_cargo(rayon ${target} ${output})
endfunction()

function(bench_tokio kernel source target output)
  bench_cargo(tokio ${target} ${output})
endfunction()
