// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Producers and consumers with a full/empty word between them.
#include "harness/weft.hpp"

#include "config.hpp"

using namespace weft::bench;

namespace {

struct alignas(64) pair {
  uint64_t cell;
  int64_t items;
  uint64_t sum;
};

void* produce(void* arg) {
  pair& p = *static_cast<pair*>(arg);
  for (int64_t i = 1; i <= p.items; ++i)
    must(weft_word_write_ef(&p.cell, static_cast<uint64_t>(i)), "weft_word_write_ef");
  return nullptr;
}

void* consume(void* arg) {
  pair& p = *static_cast<pair*>(arg);
  for (int64_t i = 1; i <= p.items; ++i) {
    uint64_t item = 0;
    must(weft_word_read_fe(&p.cell, &item), "weft_word_read_fe");
    p.sum += item;
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t items = out.opt().quick ? items_quick : items_full;
  static pair all[pairs];
  measure(out, [&] {
    for (pair& p : all) {
      must(weft_word_purge(&p.cell), "weft_word_purge");
      p.items = items;
      p.sum = 0;
    }
    weft_task_t tasks[2 * pairs];
    const stopwatch watch;
    must(weft_task_spawn_many(produce, all, sizeof all[0], pairs, tasks), "weft_task_spawn_many");
    must(weft_task_spawn_many(consume, all, sizeof all[0], pairs, tasks + pairs),
         "weft_task_spawn_many");
    must(weft_task_join_many(tasks, 2 * pairs, nullptr), "weft_task_join_many");
    const double sample = watch.ns() / static_cast<double>(items * pairs);
    for (pair& p : all) {
      out.check("sum", p.sum, static_cast<uint64_t>(items * (items + 1) / 2));
      must(weft_word_fill(&p.cell), "weft_word_fill");
    }
    return sample;
  });
  return out.finish();
}
