# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(random_access UNIT s FIGURE chapel-5
  TITLE "RandomAccess: updates all over a table of 32 MiB")
