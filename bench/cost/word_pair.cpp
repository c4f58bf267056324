// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of readFE + writeEF of a full word: SIZE pairs.
#include "cost.hpp"

using namespace weft::cost;

namespace {

void* pairs(void* arg) {
  static uint64_t words[64];
  const intptr_t count = reinterpret_cast<intptr_t>(arg);
  for (intptr_t i = 0; i < count; ++i) {
    uint64_t& word = words[i % 64];
    uint64_t v = 0;
    must(weft_word_read_fe(&word, &v));
    must(weft_word_write_ef(&word, v + 1));
  }
  uint64_t sum = 0;
  for (const uint64_t word : words) sum += word;
  if (sum != static_cast<uint64_t>(count)) std::exit(1);
  return arg;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, pairs); }
