# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Packages by CPack: a .deb for each component, and the sources as an archive.

set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VENDOR "The Weft maintainers")
set(CPACK_PACKAGE_CONTACT "The Weft maintainers <maintainers@weft.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/as_debian.cmake)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL ${weft_components})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${weft_package_library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME ${weft_package_dev})
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
  "What programs that use Weft need to run: the shared library.")
set(CPACK_COMPONENT_DEV_DESCRIPTION
  "What is needed to build programs with Weft: headers, static library,
files for CMake and pkg-config, manual pages and the weft command.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "${weft_package_library} (= ${PROJECT_VERSION}), libc6-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS libstdc++-dev)  # for libweft.a
if(weft_switches_by_boost)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS ", libboost-context-dev")
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "python3, pkg-config, cmake")

set(CPACK_DEBIAN_QTHREADS_PACKAGE_NAME ${weft_package_qthreads})
set(CPACK_DEBIAN_QTHREADS_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_QTHREADS_DESCRIPTION
  "What programs for Qthreads need to run over Weft: the shared library libqthread.")
set(CPACK_DEBIAN_QTHREADS_PACKAGE_DEPENDS "${weft_package_library} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_QTHREADS_DEV_PACKAGE_NAME ${weft_package_qthreads_dev})
set(CPACK_DEBIAN_QTHREADS_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_QTHREADS_DEV_DESCRIPTION
  "What is needed to build programs for Qthreads over Weft: qthread.h and other
headers, static library, files for CMake, pkg-config and libtool.")
# Programs are built by what weft's own files for CMake and pkg-config say.
set(CPACK_DEBIAN_QTHREADS_DEV_PACKAGE_DEPENDS
  "${weft_package_qthreads} (= ${PROJECT_VERSION}), ${weft_package_dev} (= ${PROJECT_VERSION})")
# The same files as Qthreads has.
set(CPACK_DEBIAN_QTHREADS_PACKAGE_CONFLICTS "qthreads, libqthread1")
set(CPACK_DEBIAN_QTHREADS_DEV_PACKAGE_CONFLICTS "qthreads, libqthread-dev")

# What the shared libraries need of the system's is found out where Debian's tool for it is there. No
# package has libweft.so yet that it could name.
find_program(WEFT_SHLIBDEPS dpkg-shlibdeps)
if(WEFT_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_QTHREADS_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libc6, libgcc-s1, libstdc++6")
  string(APPEND CPACK_DEBIAN_QTHREADS_PACKAGE_DEPENDS ", libc6, libgcc-s1, libstdc++6")
endif()
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS libhwloc15)  # loaded where WEFT_TOPOLOGY asks for it
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")  # that is what the soname promises
foreach(component LIBRARY QTHREADS)
  foreach(file triggers postinst postrm)
    list(APPEND CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA
      ${PROJECT_SOURCE_DIR}/packaging/debian/${file})
  endforeach()
endforeach()

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME weft-${PROJECT_VERSION})
# Paths are compared as a whole, and the tree itself may lie below a folder of such a name.
string(REGEX REPLACE "[^A-Za-z0-9_/-]" "." weft_tree "${PROJECT_SOURCE_DIR}")
set(CPACK_SOURCE_IGNORE_FILES "^${weft_tree}/build/" "^${weft_tree}/\\.git/" __pycache__)

include(CPack)
