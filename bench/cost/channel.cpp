// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one send and receive through a channel with room: SIZE of them in one task.
#include "cost.hpp"

using namespace weft::cost;

namespace {

void* pass_through(void* arg) {
  const intptr_t count = reinterpret_cast<intptr_t>(arg);
  weft_channel_t c = nullptr;
  must(weft_channel_create(sizeof(intptr_t), 1, &c));
  for (intptr_t i = 0; i < count; ++i) {
    intptr_t value = -1;
    must(weft_channel_send(c, &i));
    must(weft_channel_receive(c, &value));
    if (value != i) std::exit(1);
  }
  must(weft_channel_destroy(c));
  return arg;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, pass_through); }
