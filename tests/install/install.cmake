# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# install_test.py on this build, which looks for all that can be installed. Not where programs made here
# do not run as they are.
if(WEFT_INSTALL AND WEFT_BUILD_QTHREADS AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME install.install_test COMMAND ${Python3_EXECUTABLE}
    ${CMAKE_CURRENT_LIST_DIR}/install_test.py ${PROJECT_BINARY_DIR})
  set_tests_properties(install.install_test PROPERTIES LABELS install TIMEOUT 600 PROCESSORS 2)
endif()
