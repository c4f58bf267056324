// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of an iteration in a task of its own: one loop of SIZE iterations.
#include "cost.hpp"

using namespace weft::cost;

namespace {

void count_one(int64_t begin, int64_t end, void* arg) {
  *static_cast<int64_t*>(arg) += end - begin;
}

void* each(void* arg) {
  int64_t ran = 0;
  weft_loop_t how = WEFT_LOOP_INIT;
  how.schedule = WEFT_LOOP_EACH;
  must(weft_loop_run(0, reinterpret_cast<intptr_t>(arg), 1, count_one, &ran, &how));
  return reinterpret_cast<void*>(static_cast<intptr_t>(ran));
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, each); }
