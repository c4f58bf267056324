// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of readFF of a full word: SIZE reads.
#include "cost.hpp"

using namespace weft::cost;

namespace {

void* reads(void* arg) {
  static uint64_t words[64];
  uint64_t empty = 0;
  must(weft_word_empty(&empty));  // so that there is a table to look at
  for (uint64_t& word : words) word = 1;
  const intptr_t count = reinterpret_cast<intptr_t>(arg);
  uint64_t sum = 0;
  for (intptr_t i = 0; i < count; ++i) {
    uint64_t v = 0;
    must(weft_word_read_ff(&words[i % 64], &v));
    sum += v;
  }
  must(weft_word_fill(&empty));
  if (sum != static_cast<uint64_t>(count)) std::exit(1);
  return arg;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, reads); }
