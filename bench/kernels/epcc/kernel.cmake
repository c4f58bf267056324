# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(epcc_parallel UNIT ns/op WITHOUT weft-so TITLE "a parallel region")
bench_kernel(epcc_for UNIT ns/op WITHOUT weft-so TITLE "a loop shared in a region, an iteration each")
bench_kernel(epcc_barrier UNIT ns/op WITHOUT weft-so TITLE "a barrier in a region")
bench_kernel(epcc_single UNIT ns/op WITHOUT weft-so TITLE "a block for the first of a region")
bench_kernel(epcc_critical UNIT ns/op WITHOUT weft-so TITLE "a critical section that all of a region want")
bench_kernel(epcc_reduction UNIT ns/op WITHOUT weft-so TITLE "a parallel region that adds up")
bench_kernel(epcc_task UNIT ns/op WITHOUT weft-so TITLE "a task, made by each of a region, waited for at its end")
bench_kernel(epcc_taskwait UNIT ns/op WITHOUT weft-so TITLE "a task, waited for at once, by each of a region")
bench_kernel(epcc_nested UNIT ns/op WITHOUT weft-so TITLE "a parallel region in each of a region")
