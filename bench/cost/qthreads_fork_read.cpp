// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one fork and the readFF of its return value, in a Fibonacci by the interface of
// Qthreads.
#include <qthread/qthread.h>

#include "fibonacci.hpp"

namespace {

aligned_t fib(void* arg) {
  const auto n = reinterpret_cast<intptr_t>(arg);
  if (n < 2) return static_cast<aligned_t>(n);
  aligned_t a = 0;
  aligned_t b = 0;
  qthread_fork(fib, reinterpret_cast<void*>(n - 1), &a);
  qthread_fork(fib, reinterpret_cast<void*>(n - 2), &b);
  qthread_readFF(nullptr, &a);
  qthread_readFF(nullptr, &b);
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  const intptr_t n = weft::cost::size_of(argc, argv);
  setenv("QT_NUM_SHEPHERDS", "1", 1);
  setenv("QT_NUM_WORKERS_PER_SHEPHERD", "1", 1);
  if (qthread_initialize() != QTHREAD_SUCCESS) return 1;
  aligned_t result = 0;
  qthread_fork(fib, reinterpret_cast<void*>(n), &result);
  qthread_readFF(nullptr, &result);
  // Each call above the leaves forks two.
  const intptr_t calls = weft::cost::calls_above_leaves(n, static_cast<intptr_t>(result));
  std::printf("%lld\n", static_cast<long long>(2 * calls + 1));
  qthread_finalize();
  return 0;
}
