# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Stops with one sentence where Weft cannot be built, before a compiler says it in hundreds.
if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
  message(FATAL_ERROR "Weft runs on Linux; this build is for ${CMAKE_SYSTEM_NAME}.")
endif()
set(weft_least_GNU 12)
set(weft_least_Clang 16)
foreach(language C CXX)
  set(weft_least ${weft_least_${CMAKE_${language}_COMPILER_ID}})
  if(weft_least AND CMAKE_${language}_COMPILER_VERSION VERSION_LESS weft_least)
    message(FATAL_ERROR "Weft needs gcc ${weft_least_GNU} or clang ${weft_least_Clang}, or later ones; "
      "${CMAKE_${language}_COMPILER} is ${CMAKE_${language}_COMPILER_ID} "
      "${CMAKE_${language}_COMPILER_VERSION}. Name another by CMAKE_${language}_COMPILER.")
  endif()
endforeach()
