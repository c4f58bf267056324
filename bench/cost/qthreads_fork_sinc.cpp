// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one fork whose end a sinc counts, by the interface of Qthreads.
#include <qthread/qthread.h>
#include <qthread/sinc.h>

#include "cost.hpp"

namespace {

constexpr long at_once = 1000;

aligned_t nothing(void* /*arg*/) { return 0; }

}  // namespace

int main(int argc, char** argv) {
  const long rounds = weft::cost::size_of(argc, argv);
  setenv("QT_NUM_SHEPHERDS", "1", 1);
  setenv("QT_NUM_WORKERS_PER_SHEPHERD", "1", 1);
  if (qthread_initialize() != QTHREAD_SUCCESS) return 1;
  qt_sinc_t* const all = qt_sinc_create(0, nullptr, nullptr, 0);
  for (long i = 0; i < rounds; ++i) {
    qt_sinc_expect(all, at_once);
    for (long j = 0; j < at_once; ++j)
      qthread_spawn(nothing, nullptr, 0, all, 0, nullptr, NO_SHEPHERD, QTHREAD_SPAWN_RET_SINC_VOID);
    qt_sinc_wait(all, nullptr);
  }
  qt_sinc_destroy(all);
  std::printf("%ld\n", rounds * at_once);
  qthread_finalize();
  return 0;
}
