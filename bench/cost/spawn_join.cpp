// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one spawn and join: Fibonacci of SIZE without a cut-off.
#include "fibonacci.hpp"

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

intptr_t fib_of(intptr_t n) { return reinterpret_cast<intptr_t>(fib(reinterpret_cast<void*>(n))); }

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, count_forks<fib_of>); }
