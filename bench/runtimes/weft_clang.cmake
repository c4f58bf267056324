# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The programs of weft.cmake as clang compiles them: what those of OpenMP that clang compiles are
# compared with.
if("libomp" IN_LIST bench_runtimes AND bench_beside_clang)
  bench_runtime(weft_clang LABEL "Weft, by clang" VERSION ${PROJECT_VERSION}
    SOURCES weft leaves forks ADAPTER adapters/weft.hpp LOOPS loops/weft.hpp BUILD bench_weft_clang FOR libomp
    POLICY "as Weft; compiled by clang")
endif()

function(bench_weft_clang kernel source target output)
  bench_by_clang(weft_clang ${kernel} ${source} ${target} ${output} -I${PROJECT_SOURCE_DIR}/include -pthread
    LIBRARIES weft_static)
endfunction()
