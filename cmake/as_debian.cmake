# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes of the files of a package that CPack is about to make what Debian has in their place: manual
# pages are compressed, and `copyright` says whose the work is.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

file(GLOB_RECURSE pages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.[1-9])
list(FILTER pages INCLUDE REGEX "/man[1-9]/")
if(pages)
  execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()

file(GLOB_RECURSE licences ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/copyright)
foreach(file ${licences})
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/../packaging/debian/copyright ${file})
endforeach()
