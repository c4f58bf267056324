// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci without a cut-off, one Weft task per spawn.
#include "harness/weft.hpp"

#include "timed.hpp"

using namespace weft::bench;

namespace {

void* fib(void* arg) {
  const intptr_t n = reinterpret_cast<intptr_t>(arg);
  if (n < 2) return arg;
  weft_task_t child = nullptr;
  must(weft_task_spawn(fib, reinterpret_cast<void*>(n - 1), &child), "weft_task_spawn");
  const intptr_t b = reinterpret_cast<intptr_t>(fib(reinterpret_cast<void*>(n - 2)));
  void* a = nullptr;
  must(weft_task_join(child, &a), "weft_task_join");
  return reinterpret_cast<void*>(reinterpret_cast<intptr_t>(a) + b);
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  measure_both(out, timed(out, [](int64_t n) {
                 return reinterpret_cast<intptr_t>(fib(reinterpret_cast<void*>(n)));
               }));
  return out.finish();
}
