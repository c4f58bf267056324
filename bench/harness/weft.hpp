// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels need of Weft by its C functions.
#pragma once

#include "harness/weft_measure.hpp"

namespace weft::bench {

// Runs f() as a task beside g().
template <class F, class G>
void both(F f, G g) {
  weft_task_t task = nullptr;
  must(weft_task_spawn(
           [](void* arg) -> void* {
             (*static_cast<F*>(arg))();
             return nullptr;
           },
           &f, &task),
       "weft_task_spawn");
  g();
  must(weft_task_join(task, nullptr), "weft_task_join");
}

}  // namespace weft::bench
