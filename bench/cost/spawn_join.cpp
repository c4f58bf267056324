// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one spawn and join: Fibonacci of SIZE without a cut-off.
#include "cost.hpp"

using namespace weft::cost;

namespace {

void* fib(void* arg) {
  const intptr_t n = reinterpret_cast<intptr_t>(arg);
  if (n < 2) return arg;
  weft_task_t child = nullptr;
  must(weft_task_spawn(fib, reinterpret_cast<void*>(n - 1), &child));
  const intptr_t b = reinterpret_cast<intptr_t>(fib(reinterpret_cast<void*>(n - 2)));
  void* a = nullptr;
  must(weft_task_join(child, &a));
  return reinterpret_cast<void*>(reinterpret_cast<intptr_t>(a) + b);
}

// fib(n + 1) - 1 spawns: one for every call above the leaves.
void* count(void* arg) {
  const intptr_t n = reinterpret_cast<intptr_t>(arg);
  intptr_t a = 0;
  intptr_t b = 1;
  for (intptr_t i = 0; i < n; ++i) {
    const intptr_t next = a + b;
    a = b;
    b = next;
  }
  if (reinterpret_cast<intptr_t>(fib(arg)) != a) std::exit(1);
  return reinterpret_cast<void*>(b - 1);
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, count); }
