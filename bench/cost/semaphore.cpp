// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one post and wait of a semaphore that nobody else waits for: SIZE of them.
#include "cost.hpp"

using namespace weft::cost;

namespace {

void* post_and_wait(void* arg) {
  static weft_semaphore_t semaphore = WEFT_SEMAPHORE_INIT(0);
  const intptr_t count = reinterpret_cast<intptr_t>(arg);
  for (intptr_t i = 0; i < count; ++i) {
    must(weft_semaphore_post(&semaphore, 1));
    must(weft_semaphore_wait(&semaphore));
  }
  return arg;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, post_and_wait); }
