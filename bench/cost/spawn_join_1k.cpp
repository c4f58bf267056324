// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one thread among 1,000 spawned and then joined: SIZE such batches.
#include "cost.hpp"

using namespace weft::cost;

namespace {

constexpr intptr_t batch = 1000;
intptr_t ran = 0;  // one worker

void* work(void*) {
  ++ran;
  return nullptr;
}

void* batches(void* arg) {
  static weft_task_t tasks[batch];
  const intptr_t count = reinterpret_cast<intptr_t>(arg);
  for (intptr_t i = 0; i < count; ++i) {
    for (weft_task_t& task : tasks) must(weft_task_spawn(work, nullptr, &task));
    for (const weft_task_t task : tasks) must(weft_task_join(task, nullptr));
  }
  if (ran != count * batch) std::exit(1);
  return reinterpret_cast<void*>(ran);
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, batches); }
