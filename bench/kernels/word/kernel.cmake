# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(word_pair UNIT ns/op WORKERS 1
  TITLE "readFE + writeEF of any word, uncontended")
bench_kernel(word_read_full UNIT ns/op WORKERS 1
  TITLE "readFF of a full word"
  WITHOUT go)
bench_kernel(syncvar_pair UNIT ns/op WORKERS 1
  TITLE "readFE + writeEF of a syncvar, uncontended"
  WITHOUT go)
