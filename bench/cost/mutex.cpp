// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one lock and unlock of a mutex that nobody else wants: SIZE of them.
#include "cost.hpp"

using namespace weft::cost;

namespace {

void* lock_often(void* arg) {
  static weft_mutex_t mutex = WEFT_MUTEX_INIT;
  const intptr_t count = reinterpret_cast<intptr_t>(arg);
  for (intptr_t i = 0; i < count; ++i) {
    must(weft_mutex_lock(&mutex));
    must(weft_mutex_unlock(&mutex));
  }
  return arg;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, lock_often); }
