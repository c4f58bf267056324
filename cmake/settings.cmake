# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What every file of ours is compiled with: language, warnings, and which ISA's assembly is taken.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

if(WEFT_LTO)
  include(CheckIPOSupported)
  check_ipo_supported(LANGUAGES C CXX)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# Users never see this target: its options are ours alone.
add_library(weft_settings INTERFACE)
target_compile_options(weft_settings INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wshadow -Wundef>)
target_link_libraries(weft_settings INTERFACE Threads::Threads)

# src/arch/<isa>/ holds the assembly of one ISA; portable/ serves all the others, and programs of 32 bits on a kernel
# of 64.
set(WEFT_ISA portable)
if(WEFT_PORTABLE_SWITCH)
  target_compile_definitions(weft_settings INTERFACE WEFT_PORTABLE_SWITCH)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(WEFT_ISA x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(WEFT_ISA aarch64)
endif()
if(WEFT_ISA STREQUAL portable)
  # Adds Boost.Context to weft_settings where it is installed.
  include(cmake/portable.cmake)
endif()
