# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails when docs/options.md is not what the table of options says.
if(NOT CMAKE_CROSSCOMPILING)
  add_test(NAME unit.conf.options_doc
           COMMAND ${CMAKE_COMMAND} -E env CXX=${CMAKE_CXX_COMPILER}
                   ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/options_table.py --check)
  set_tests_properties(unit.conf.options_doc PROPERTIES LABELS unit TIMEOUT ${WEFT_TEST_TIMEOUT})
endif()
