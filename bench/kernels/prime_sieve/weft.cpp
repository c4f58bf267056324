// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prime sieve with Weft tasks and channels.
#include "harness/weft.hpp"

#include <memory>
#include <vector>

#include "timed.hpp"

using namespace weft::bench;

namespace {

struct filter {
  weft_channel_t in;  // null: the source of all numbers
  weft_channel_t out;
  int64_t prime;  // the source's: the limit
  weft_task_t task;
};

void* run(void* arg) {
  const filter& me = *static_cast<filter*>(arg);
  int64_t number = 0;
  if (me.in == nullptr) {
    for (number = 2; number <= me.prime; ++number)
      must(weft_channel_send(me.out, &number), "weft_channel_send");
  } else {
    while (weft_channel_receive(me.in, &number) == 0)
      if (number % me.prime != 0) must(weft_channel_send(me.out, &number), "weft_channel_send");
  }
  must(weft_channel_close(me.out), "weft_channel_close");
  return nullptr;
}

weft_channel_t start_filter(std::vector<std::unique_ptr<filter>>& all, weft_channel_t in,
                            int64_t prime) {
  all.push_back(std::make_unique<filter>(filter{in, nullptr, prime, nullptr}));
  filter& f = *all.back();
  must(weft_channel_create(sizeof(int64_t), 0, &f.out), "weft_channel_create");
  must(weft_task_spawn(run, &f, &f.task), "weft_task_spawn");
  return f.out;
}

int64_t sieve(int64_t limit) {
  std::vector<std::unique_ptr<filter>> all;
  int64_t sum = 0;
  int64_t prime = 0;
  weft_channel_t in = start_filter(all, nullptr, limit);
  while (weft_channel_receive(in, &prime) == 0) {
    sum += prime;
    in = start_filter(all, in, prime);
  }
  for (const auto& f : all) must(weft_task_join(f->task, nullptr), "weft_task_join");
  for (const auto& f : all) must(weft_channel_destroy(f->out), "weft_channel_destroy");
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "s");
  measure(out, timed(out, sieve));
  return out.finish();
}
