// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of a parallel loop beside its body: SIZE loops of one iteration.
#include "cost.hpp"

using namespace weft::cost;

namespace {

void count_one(int64_t begin, int64_t end, void* arg) {
  *static_cast<int64_t*>(arg) += end - begin;
}

void* loops(void* arg) {
  const intptr_t n = reinterpret_cast<intptr_t>(arg);
  int64_t ran = 0;
  for (intptr_t i = 0; i < n; ++i) must(weft_loop_run(0, 1, 1, count_one, &ran, nullptr));
  return reinterpret_cast<void*>(static_cast<intptr_t>(ran));
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, loops); }
