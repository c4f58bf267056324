# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The two libraries: libweft.so, and libweft.a, whose code reaches its TLS and itself directly.

# weft_keep_precompiled(target): lets ccache keep what gcc compiles with a precompiled header.
function(weft_keep_precompiled target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endfunction()

# weft_precompile_library(target): has the headers that most of its files include compiled once. They
# are more than half of what a file takes to compile. A build that does so does not see what a file
# forgets to include.
function(weft_precompile_library target)
  if(WEFT_PRECOMPILE_LIBRARIES)
    target_precompile_headers(${target} PRIVATE <algorithm> <atomic> <memory> <mutex>)
    weft_keep_precompiled(${target})
  endif()
endfunction()

file(GLOB weft_sources CONFIGURE_DEPENDS LIST_DIRECTORIES false
  ${PROJECT_SOURCE_DIR}/src/*/*.cpp
  ${PROJECT_SOURCE_DIR}/src/arch/${WEFT_ISA}/*.cpp
  ${PROJECT_SOURCE_DIR}/src/arch/${WEFT_ISA}/*.S)

add_library(weft SHARED ${weft_sources})
set_target_properties(weft PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${weft_soversion})
target_compile_options(weft PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-fno-plt>)
# nodelete: its threads, its thread-local word and its handlers outlive a dlclose.
# Bsymbolic: its parts go together, also where a program holds another copy (src/os/copies.hpp).
target_link_options(weft PRIVATE LINKER:-z,nodelete LINKER:-Bsymbolic)
set(weft_map ${PROJECT_SOURCE_DIR}/src/api/weft.map)
if(EXISTS ${weft_map})
  target_link_options(weft PRIVATE LINKER:--version-script=${weft_map})
  set_target_properties(weft PROPERTIES LINK_DEPENDS ${weft_map})
endif()

# Position-independent for executables only: TLS and calls stay direct, and both kinds of executable
# can link it. A shared library cannot; it links libweft.so.
if(WEFT_SHARE_OBJECTS)
  add_library(weft_static STATIC $<TARGET_OBJECTS:weft>)
else()
  add_library(weft_static STATIC ${weft_sources})
endif()
set_target_properties(weft_static PROPERTIES OUTPUT_NAME weft POSITION_INDEPENDENT_CODE OFF
  LINKER_LANGUAGE CXX)
target_compile_options(weft_static PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-fPIE>)
# Inlined assembly wants the worker's word, which a linker that optimises sees too late to bring it.
set(weft_wanted weft_self_word)
target_link_options(weft_static INTERFACE LINKER:--undefined=${weft_wanted})

foreach(library weft weft_static)
  set_target_properties(${library} PROPERTIES
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${library}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # Threads is named again for those who link an installed libweft.a: they do not see our settings.
  target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:weft_settings> Threads::Threads)
  # gcc takes the hot half of a function for the cold one where the cold half is a call.
  target_compile_options(${library} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-reorder-blocks-and-partition>)
  weft_precompile_library(${library})
endforeach()
add_library(weft::weft ALIAS weft)
add_library(weft::static ALIAS weft_static)
set_target_properties(weft_static PROPERTIES EXPORT_NAME static)
