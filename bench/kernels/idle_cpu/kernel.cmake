# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(idle_cpu UNIT %cpu ONCE
  TITLE "processor time of an idle process"
  WITHOUT weft-so)
