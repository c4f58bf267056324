// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of readFE + writeEF of a full syncvar: SIZE pairs.
#include "cost.hpp"

using namespace weft::cost;

namespace {

void* pairs(void* arg) {
  static weft_syncvar_t vars[64];
  const intptr_t count = reinterpret_cast<intptr_t>(arg);
  for (intptr_t i = 0; i < count; ++i) {
    weft_syncvar_t& var = vars[i % 64];
    uint64_t v = 0;
    must(weft_syncvar_read_fe(&var, &v));
    must(weft_syncvar_write_ef(&var, v + 1));
  }
  uint64_t sum = 0;
  for (weft_syncvar_t& var : vars) {
    uint64_t v = 0;
    must(weft_syncvar_read_ff(&var, &v));
    sum += v;
  }
  if (sum != static_cast<uint64_t>(count)) std::exit(1);
  return arg;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, pairs); }
