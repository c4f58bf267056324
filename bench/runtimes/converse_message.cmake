# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Converse's messages, for units that never wait.
if(CMAKE_CROSSCOMPILING OR NOT WEFT_CHARMC)
  bench_runtime(converse_message LABEL "Converse, messages"
    MISSING "charmc was not found" PACKAGE "charmpp (of Spack)")
else()
  bench_runtime(converse_message LABEL "Converse, messages" VERSION "${converse_VERSION}" SOURCES leaves
    ADAPTER adapters/converse.hpp OPTIONS -DBENCH_MESSAGES BUILD bench_converse_message
    POLICY "${converse_POLICY}")
endif()

function(bench_converse_message kernel source target output)
  bench_charmc(converse_message ${kernel} ${source} ${target} ${output})
endfunction()
