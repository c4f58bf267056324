# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# With precompiled headers gcc 12 warns of the C++ library's own code for short strings.
set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
