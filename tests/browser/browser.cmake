# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The report's page in a real browser, where there is one (Debian: chromium).
find_program(WEFT_CHROMIUM chromium)
if(WEFT_CHROMIUM AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME browser.page COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/page.py ${WEFT_CHROMIUM})
  set_tests_properties(browser.page PROPERTIES LABELS browser TIMEOUT 120)
endif()
