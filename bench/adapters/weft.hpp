// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of Weft: tasks, for kernels that have one source for all runtimes of units.
#pragma once

#include "adapters/queues.hpp"
#include "harness/weft.hpp"

namespace weft::bench {

class unit {
 public:
  template <void (*Run)(void*)>
  void spawn(void* arg) {
    must(weft_task_spawn(trampoline<Run>, arg, &self_), "weft_task_spawn");
  }

  // Tasks are left with their maker, from whom workers without work take them.
  template <void (*Run)(void*)>
  void spawn_on(uint32_t /*worker*/, void* arg) {
    spawn<Run>(arg);
  }

  void join() { must(weft_task_join(self_, nullptr), "weft_task_join"); }

 private:
  template <void (*Run)(void*)>
  static void* trampoline(void* arg) {
    Run(arg);
    return nullptr;
  }

  weft_task_t self_ = nullptr;
};

using leaf = unit;

template <class Body>
void measure(report& out, Body body, queues /*kind*/) {
  measure(out, body);
}

}  // namespace weft::bench
