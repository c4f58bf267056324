// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What backtrace.py looks at: tasks called inline several deep, then one that blocks in between.
#include <cstdint>

#include <weft/weft.h>

extern "C" {

// The breakpoint: `where` says from which case it is reached.
__attribute__((noinline)) void here(int where) { asm volatile("" ::"r"(where) : "memory"); }

void* inline_task(void* arg) {
  const auto depth = reinterpret_cast<intptr_t>(arg);
  weft_task_t child = nullptr;
  if (depth == 0) {
    here(1);
    weft_task_yield();
    here(2);
    return nullptr;
  }
  if (weft_task_spawn(inline_task, reinterpret_cast<void*>(depth - 1), &child) != 0) return arg;
  weft_task_join(child, nullptr);
  return nullptr;
}

int main() {
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 1;
  config.main_mode = WEFT_MAIN_GUEST;
  weft_task_t task = nullptr;
  if (weft_start(&config) != 0) return 1;
  if (weft_task_spawn(inline_task, reinterpret_cast<void*>(intptr_t{3}), &task) != 0) return 2;
  if (weft_task_join(task, nullptr) != 0) return 3;
  return weft_stop();
}

}  // extern "C"
