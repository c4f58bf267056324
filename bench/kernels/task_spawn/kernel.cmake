# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The names, units and titles under which these programs are measured.
bench_kernel(task_spawn_0us UNIT us/op FIGURE task-spawn-1 X 0
  TITLE "tasks without work from one serial loop, per task and worker")
foreach(us 1 10 100 1000)
  bench_kernel(task_spawn_${us}us LIKE task_spawn_0us UNIT us/op FIGURE task-spawn-1 X ${us}
    TITLE "tasks of ${us} us from one serial loop, per task and worker")
endforeach()
