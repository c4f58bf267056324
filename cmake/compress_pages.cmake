# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compresses the manual pages of a package that CPack is about to make, as Debian has them.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.[1-9])
list(FILTER pages INCLUDE REGEX "/man[1-9]/")
if(pages)
  execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
