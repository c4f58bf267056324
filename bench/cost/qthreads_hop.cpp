// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one hop of a token round a ring of tasks, each at a full/empty word, by the
// interface of Qthreads.
#include <qthread/qthread.h>

#include "cost.hpp"

namespace {

constexpr intptr_t members = 64;
aligned_t mailboxes[members];

// The token counts down; who takes 0 hands 0 on and ends.
aligned_t member(void* arg) {
  const auto me = reinterpret_cast<intptr_t>(arg);
  aligned_t left = 0;
  do {
    qthread_readFE(&left, &mailboxes[me]);
    qthread_writeEF_const(&mailboxes[(me + 1) % members], left != 0 ? left - 1 : 0);
  } while (left != 0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const intptr_t hops = weft::cost::size_of(argc, argv);
  setenv("QT_NUM_SHEPHERDS", "1", 1);
  setenv("QT_NUM_WORKERS_PER_SHEPHERD", "1", 1);
  if (qthread_initialize() != QTHREAD_SUCCESS) return 1;
  aligned_t ends[members];
  for (aligned_t& m : mailboxes) qthread_empty(&m);
  for (intptr_t i = 0; i < members; ++i) qthread_fork(member, reinterpret_cast<void*>(i), &ends[i]);
  qthread_writeEF_const(&mailboxes[0], static_cast<aligned_t>(hops));
  for (aligned_t& end : ends) qthread_readFF(nullptr, &end);
  std::printf("%lld\n", static_cast<long long>(hops + members));
  qthread_finalize();
  return 0;
}
