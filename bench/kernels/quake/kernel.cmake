# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(quake UNIT s FIGURE balanced-loops-6
  TITLE "conjugate gradients, 3 x 3 blocks on an irregular mesh")
foreach(nodes 5 20 100 500 2000 10000)
  bench_kernel(quake_blocks_${nodes} LIKE quake UNIT s FIGURE balanced-loops-4 X ${nodes}
    TITLE "conjugate gradients, each loop in blocks of ${nodes} nodes" WITHOUT serial std_par pthread)
endforeach()
bench_kernel(quake_dynamic LIKE quake UNIT ratio FIGURE balanced-loops-5
  TITLE "conjugate gradients, adaptive over the best fixed block"
  WITHOUT serial gomp libomp iomp tbb std_par qthreads sherwood pthread)
