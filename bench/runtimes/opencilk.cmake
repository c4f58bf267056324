# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# OpenCilk, which is a compiler: WEFT_OPENCILK names its clang++.
set(WEFT_OPENCILK "" CACHE FILEPATH "clang++ of OpenCilk, which knows -fopencilk")
set(opencilk_works "")
if(WEFT_OPENCILK AND NOT CMAKE_CROSSCOMPILING)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/opencilk.cpp
    "#include <cilk/cilk.h>\nvoid f() {}\nint main() { cilk_spawn f(); cilk_sync; }\n")
  execute_process(OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE opencilk_failed
    COMMAND ${WEFT_OPENCILK} -fopencilk ${CMAKE_CURRENT_BINARY_DIR}/opencilk.cpp
            -o ${CMAKE_CURRENT_BINARY_DIR}/opencilk.out)
  if(opencilk_failed EQUAL 0)
    set(opencilk_works yes)
  endif()
endif()
if(opencilk_works)
  execute_process(COMMAND ${WEFT_OPENCILK} -dumpversion OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  bench_runtime(opencilk LABEL "OpenCilk" VERSION "clang ${version}" BESIDE "${bench_beside_clang}" BUILD bench_opencilk
    SOURCES opencilk forks ADAPTER adapters/opencilk.hpp
    POLICY "its own clang; workers without work look for some, then sleep; not bound")
else()
  bench_runtime(opencilk LABEL "OpenCilk" MISSING "WEFT_OPENCILK names no clang++ that knows -fopencilk"
    PACKAGE "OpenCilk (its authors' builds)")
endif()

function(bench_opencilk kernel source target output)
  bench_by_clang(opencilk ${kernel} ${source} ${target} ${output} COMPILER ${WEFT_OPENCILK} -fopencilk)
endfunction()
