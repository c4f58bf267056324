// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter under a mutex of Weft.
#include "harness/weft.hpp"

#include "config.hpp"

using namespace weft::bench;

namespace {

struct counter {
  weft_mutex_t mutex = WEFT_MUTEX_INIT;
  int64_t per_thread = 0;
  int64_t count = 0;
};

void* count(void* arg) {
  counter& c = *static_cast<counter*>(arg);
  for (int64_t i = 0; i < c.per_thread; ++i) {
    must(weft_mutex_lock(&c.mutex), "weft_mutex_lock");
    c.count = c.count + 1;
    must(weft_mutex_unlock(&c.mutex), "weft_mutex_unlock");
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick ? locks_quick : locks_full;
  measure(out, [&] {
    counter c;
    c.per_thread = total / threads;
    weft_task_t tasks[threads];
    const stopwatch watch;
    must(weft_task_spawn_many(count, &c, 0, threads, tasks), "weft_task_spawn_many");
    must(weft_task_join_many(tasks, threads, nullptr), "weft_task_join_many");
    const double sample = watch.ns() / static_cast<double>(total);
    out.check("count", c.count, total);
    return sample;
  });
  return out.finish();
}
