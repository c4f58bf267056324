# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What of the interface of Qthreads is installed, under the names of what it stands in for: component
# qthreads (what programs need to run) and qthreads_dev (the rest).

install(TARGETS qthread qthread_static EXPORT weft-qthreads
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT qthreads NAMELINK_COMPONENT qthreads_dev
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT qthreads_dev
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY front/qthreads/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT qthreads_dev FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT weft-qthreads NAMESPACE weft:: FILE weft-qthreads-targets.cmake
  DESTINATION ${weft_cmake_dir} COMPONENT qthreads_dev)

# By the name and the version of what it stands in for.
set(qthread_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/qthread)
configure_package_config_file(packaging/qthread-config.cmake.in
  ${weft_made}/qthread-config.cmake INSTALL_DESTINATION ${qthread_cmake_dir})
write_basic_package_version_file(${weft_made}/qthread-config-version.cmake
  VERSION 1.23 COMPATIBILITY SameMajorVersion)
install(FILES ${weft_made}/qthread-config.cmake ${weft_made}/qthread-config-version.cmake
  DESTINATION ${qthread_cmake_dir} COMPONENT qthreads_dev)

foreach(name weft-qthreads qthread)
  configure_file(packaging/${name}.pc.in ${weft_made}/${name}.pc @ONLY)
endforeach()
install(FILES ${weft_made}/weft-qthreads.pc ${weft_made}/qthread.pc DESTINATION ${weft_pc_dir}
  COMPONENT qthreads_dev)

# For libtool, which wants to be told the place, so it is written when the place is known.
string(CONFIGURE [[
  set(libdir "@CMAKE_INSTALL_LIBDIR@")
  if(NOT IS_ABSOLUTE "${libdir}")
    set(libdir "${CMAKE_INSTALL_PREFIX}/${libdir}")
  endif()
  set(weft_static_flags "@weft_static_flags@")
  configure_file("@PROJECT_SOURCE_DIR@/packaging/libqthread.la.in"
    "$ENV{DESTDIR}${libdir}/libqthread.la" @ONLY)
]] weft_libtool_script @ONLY)
install(CODE "${weft_libtool_script}" COMPONENT qthreads_dev)
