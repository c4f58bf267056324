# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` puts where: component library (what programs need to run), dev (what is needed
# to build them, and the rest), and two such for each front-end.
#
# Nothing installed but a libtool file names the prefix, so the tree can be moved: the package files
# and the command find their neighbours from where they stand themselves.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(weft_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
set(weft_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(weft_command_dir ${CMAKE_INSTALL_DATADIR}/weft)
set(weft_made ${PROJECT_BINARY_DIR}/install)

# The libraries, for find_package too.
install(TARGETS weft weft_static EXPORT weft
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# The C++ library that libweft.a needs, for linkers that are not told by a C++ compiler.
set(weft_cxx_libraries ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER weft_cxx_libraries INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|c\\+\\+abi)$")
list(REMOVE_DUPLICATES weft_cxx_libraries)
list(TRANSFORM weft_cxx_libraries PREPEND -l OUTPUT_VARIABLE weft_cxx_flags)
list(JOIN weft_cxx_flags " " weft_cxx_flags)
# And all that it needs, for those that find_package does not tell.
set(weft_static_flags ${weft_cxx_flags})
set(weft_switches_by_boost OFF)
if(WEFT_ISA STREQUAL portable AND WEFT_HAVE_BOOST_CONTEXT)
  set(weft_static_flags "-lboost_context ${weft_cxx_flags}")
  if(WEFT_BOOST_CONTEXT_FOLDER)
    string(PREPEND weft_static_flags "-L${WEFT_BOOST_CONTEXT_FOLDER} ")
  endif()
  set(weft_switches_by_boost ON)
endif()

install(EXPORT weft NAMESPACE weft:: FILE weft-targets.cmake
  DESTINATION ${weft_cmake_dir} COMPONENT dev)
configure_package_config_file(packaging/weft-config.cmake.in ${weft_made}/weft-config.cmake
  INSTALL_DESTINATION ${weft_cmake_dir})
# As the soname has it.
write_basic_package_version_file(${weft_made}/weft-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${weft_made}/weft-config.cmake ${weft_made}/weft-config-version.cmake
  DESTINATION ${weft_cmake_dir} COMPONENT dev)

# pkg-config: paths from where the .pc file stands, unless a folder was given as an absolute path.
foreach(kind INCLUDEDIR LIBDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
    set(weft_pc_${kind} ${CMAKE_INSTALL_${kind}})
  else()
    set(weft_pc_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
  endif()
endforeach()
file(RELATIVE_PATH weft_pc_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" weft_pc_up "${weft_pc_up}")
foreach(name weft weft-static)
  configure_file(packaging/${name}.pc.in ${weft_made}/${name}.pc @ONLY)
endforeach()
install(FILES ${weft_made}/weft.pc ${weft_made}/weft-static.pc DESTINATION ${weft_pc_dir}
  COMPONENT dev)

# The command, with a note of what it stands beside.
file(RELATIVE_PATH weft_library_from_command ${CMAKE_INSTALL_FULL_DATADIR}/weft
  ${CMAKE_INSTALL_FULL_LIBDIR}/libweft.so.${weft_soversion})
file(RELATIVE_PATH weft_command_from_bin ${CMAKE_INSTALL_FULL_BINDIR}
  ${CMAKE_INSTALL_FULL_DATADIR}/weft/weft)
configure_file(packaging/installed.json.in ${weft_made}/installed.json @ONLY)
install(PROGRAMS tools/weft DESTINATION ${weft_command_dir} COMPONENT dev)
install(DIRECTORY tools/weft_cli DESTINATION ${weft_command_dir} COMPONENT dev
  FILES_MATCHING PATTERN "*.py" PATTERN "*.css" PATTERN __pycache__ EXCLUDE)
install(FILES ${weft_made}/installed.json DESTINATION ${weft_command_dir} COMPONENT dev)
file(MAKE_DIRECTORY ${weft_made})
file(CREATE_LINK ${weft_command_from_bin} ${weft_made}/weft SYMBOLIC)
install(FILES ${weft_made}/weft DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT dev)

# Manual pages, where there is a Python to make them: of the version that the command needs, too.
find_package(Python3 3.11 COMPONENTS Interpreter)
if(Python3_FOUND)
  file(GLOB weft_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/weft/*.h)
  add_custom_command(OUTPUT ${weft_made}/man.stamp
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/man_pages.py ${PROJECT_VERSION}
            ${weft_made}/man
    COMMAND ${CMAKE_COMMAND} -E touch ${weft_made}/man.stamp
    DEPENDS ${weft_headers} ${PROJECT_SOURCE_DIR}/tools/man_pages.py
            ${PROJECT_SOURCE_DIR}/tools/doc_blocks.py ${PROJECT_SOURCE_DIR}/docs/options.md
    VERBATIM)
  add_custom_target(weft_man ALL DEPENDS ${weft_made}/man.stamp)
  install(DIRECTORY ${weft_made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT dev)
  install(FILES packaging/weft.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT dev)
else()
  message(STATUS "There is no Python 3.11 or newer: no manual pages will be made.")
endif()

# The licence, by the names of the packages that cmake/package.cmake makes.
set(weft_package_library libweft${weft_soversion})
set(weft_package_dev libweft-dev)
set(weft_package_qthreads libqthread1-weft)
set(weft_package_qthreads_dev libweft-qthreads-dev)
set(weft_components library dev)
if(WEFT_BUILD_QTHREADS)
  include(cmake/install_qthreads.cmake)
  list(APPEND weft_components qthreads qthreads_dev)
endif()
foreach(component ${weft_components})
  set(folder ${CMAKE_INSTALL_DATADIR}/doc/${weft_package_${component}})
  install(FILES LICENSE DESTINATION ${folder} RENAME copyright COMPONENT ${component})
  install(FILES NOTICE DESTINATION ${folder} COMPONENT ${component})
endforeach()

# The pages, where they stand in the tree, as they name each other.
set(weft_doc_dir ${CMAKE_INSTALL_DATADIR}/doc/${weft_package_dev})
set(weft_pages CHANGELOG.md CONTRIBUTING.md README.md bench/budgets.toml front/qthreads/README.md)
file(GLOB weft_more_pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} docs/*.md docs/design/*.md
  docs/guide/*.md docs/results/*.md docs/results/*.svg)
list(APPEND weft_pages ${weft_more_pages})
install(DIRECTORY examples DESTINATION ${weft_doc_dir} COMPONENT dev)
if(Python3_FOUND)
  # With links to the headers where those are installed.
  file(RELATIVE_PATH weft_headers_from_doc
    ${CMAKE_INSTALL_FULL_DATADIR}/doc/${weft_package_dev} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  add_custom_command(OUTPUT ${weft_made}/doc.stamp
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/installed_pages.py ${weft_made}/doc
            ${weft_headers_from_doc} ${weft_pages}
    COMMAND ${CMAKE_COMMAND} -E touch ${weft_made}/doc.stamp
    DEPENDS ${weft_pages} ${PROJECT_SOURCE_DIR}/tools/installed_pages.py
            ${PROJECT_SOURCE_DIR}/tools/pages.py
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
  add_custom_target(weft_doc ALL DEPENDS ${weft_made}/doc.stamp)
  install(DIRECTORY ${weft_made}/doc/ DESTINATION ${weft_doc_dir} COMPONENT dev)
else()
  foreach(page ${weft_pages})
    cmake_path(GET page PARENT_PATH folder)
    install(FILES ${page} DESTINATION ${weft_doc_dir}/${folder} COMPONENT dev)
  endforeach()
endif()

# Packages are those of the whole project, which decides about them.
if(PROJECT_IS_TOP_LEVEL)
  include(cmake/package.cmake)
endif()
