// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one yield: two tasks of SIZE yields each on one worker.
#include "cost.hpp"

using namespace weft::cost;

namespace {

void* yield_often(void* arg) {
  const intptr_t count = reinterpret_cast<intptr_t>(arg);
  for (intptr_t i = 0; i < count; ++i) must(weft_task_yield());
  return arg;
}

void* pair(void* arg) {
  weft_task_t tasks[2];
  for (weft_task_t& task : tasks) must(weft_task_spawn(yield_often, arg, &task));
  for (const weft_task_t task : tasks) must(weft_task_join(task, nullptr));
  return reinterpret_cast<void*>(2 * reinterpret_cast<intptr_t>(arg));
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, pair); }
