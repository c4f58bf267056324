# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(wait_cpu UNIT ms ONCE
  TITLE "processor time of 100,000 threads that wait for 5 s, spread over all there is to wait for")
