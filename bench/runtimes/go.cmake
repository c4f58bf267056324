# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Go, each program built by its own command.
find_program(WEFT_GO go HINTS /usr/local/go/bin)
if(CMAKE_CROSSCOMPILING)
  bench_runtime(go LABEL "Go" MISSING "Go is not built for another machine")
elseif(NOT WEFT_GO)
  bench_runtime(go LABEL "Go" MISSING "Go was not found" PACKAGE golang-go)
else()
  execute_process(COMMAND ${WEFT_GO} env GOVERSION OUTPUT_VARIABLE version
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  bench_runtime(go LABEL "Go" VERSION "${version}" SUFFIX .go BUILD bench_go
    POLICY "go build; threads without goroutines look for some for a short time, then sleep; not bound")
endif()

function(bench_go kernel source target output)
  get_filename_component(folder ${source} DIRECTORY)
  file(GLOB headers ${folder}/config.hpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E env GOFLAGS=-mod=mod GOTOOLCHAIN=local GOPROXY=off GO111MODULE=on
            GOWORK=off CGO_ENABLED=0 ${WEFT_GO} build
            -ldflags "-X weft/bench/harness.Kernel=${kernel}" -o ${output} go.go
    WORKING_DIRECTORY ${folder}
    DEPENDS ${source} ${headers} ${CMAKE_CURRENT_SOURCE_DIR}/harness/harness.go
            ${CMAKE_CURRENT_SOURCE_DIR}/go.mod
    COMMENT "Building Go program bench/${kernel}" VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${output})
endfunction()
