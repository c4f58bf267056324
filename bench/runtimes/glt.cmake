# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# GLT over the library of threads that it was built for, which is installed beside it or where CMake
# looks.
bench_find(glt glt.h glt)
if(TARGET bench_glt)
  bench_version(glt_OVER ${glt_INCLUDE}/glt_common.h "GLT_VERSION .* over ([A-Za-z]+)")
  bench_version(glt_VERSION ${glt_INCLUDE}/glt_common.h "GLT_VERSION .*GLT ([0-9.]+)v")
  foreach(below Argobots.abt Qthreads.qthread MassiveThreads.myth)
    if(below MATCHES "^${glt_OVER}\\.(.+)")
      get_filename_component(glt_FOLDER ${glt_LIBRARY} DIRECTORY)
      # The one beside it first: GLT wants older ones than are measured by themselves.
      find_library(glt_BELOW ${CMAKE_MATCH_1} PATHS ${glt_FOLDER} NO_DEFAULT_PATH)
      find_library(glt_BELOW ${CMAKE_MATCH_1})
      mark_as_advanced(glt_BELOW)
    endif()
  endforeach()
endif()
if(NOT TARGET bench_glt)
  bench_runtime(glt LABEL "GLT" MISSING "glt.h and libglt were not found" PACKAGE "GLT (its authors' source)")
elseif(NOT glt_BELOW)
  bench_runtime(glt LABEL "GLT" MISSING "the library of threads below it, ${glt_OVER}, was not found")
else()
  # Only libglt calls the library below, and does not say where that is. Its headers include those
  # of that library: the ones beside it go first.
  target_link_libraries(bench_glt INTERFACE -Wl,--no-as-needed ${glt_BELOW})
  get_filename_component(below ${glt_BELOW} DIRECTORY)
  target_include_directories(bench_glt SYSTEM INTERFACE ${below}/../include)
  bench_runtime(glt LABEL "GLT" VERSION "${glt_VERSION} over ${glt_OVER}"
    SOURCES leaves ADAPTER adapters/glt.hpp LIBRARIES bench_glt
    POLICY "as the library below has it; a call more for each operation")
endif()
