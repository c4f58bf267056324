# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(mutex UNIT ns/op WORKERS 1
  TITLE "lock and unlock of a mutex, uncontended")
bench_kernel(mutex_contended UNIT ns/op
  TITLE "8 threads that want one mutex, per lock and unlock")
