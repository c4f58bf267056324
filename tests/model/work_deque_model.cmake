# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# It takes longest of the models, so it begins first.
set_tests_properties(${entries} PROPERTIES COST 20)
