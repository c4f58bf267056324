// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of one hand-over through a channel without a buffer: SIZE of them between two tasks.
#include "cost.hpp"

using namespace weft::cost;

namespace {

struct job {
  weft_channel_t c;
  intptr_t count;
};

void* send(void* arg) {
  const job& mine = *static_cast<job*>(arg);
  for (intptr_t i = 0; i < mine.count; ++i) must(weft_channel_send(mine.c, &i));
  return nullptr;
}

void* hand_over(void* arg) {
  job mine{nullptr, reinterpret_cast<intptr_t>(arg)};
  must(weft_channel_create(sizeof(intptr_t), 0, &mine.c));
  weft_task_t sender = nullptr;
  must(weft_task_spawn(send, &mine, &sender));
  for (intptr_t i = 0; i < mine.count; ++i) {
    intptr_t value = -1;
    must(weft_channel_receive(mine.c, &value));
    if (value != i) std::exit(1);
  }
  must(weft_task_join(sender, nullptr));
  must(weft_channel_destroy(mine.c));
  return arg;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, hand_over); }
