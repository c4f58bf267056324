# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# install_test.py on this build, which looks for all that can be installed, and added_test.py. Not where
# programs made here do not run as they are.
#
# They take longest of all, so they begin first.
if(WEFT_INSTALL AND WEFT_BUILD_QTHREADS AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND NOT CMAKE_CROSSCOMPILING)
  foreach(name added_test install_test)
    add_test(NAME install.${name} COMMAND ${Python3_EXECUTABLE}
      ${CMAKE_CURRENT_LIST_DIR}/${name}.py ${PROJECT_BINARY_DIR})
    set_tests_properties(install.${name} PROPERTIES LABELS install TIMEOUT 600 COST 60)
  endforeach()
  set_tests_properties(install.added_test PROPERTIES PROCESSORS 2)
endif()
