// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts and stops of Weft, with one task pinned to each worker in between.
#include "harness/weft.hpp"

#include <atomic>

#include "config.hpp"

using namespace weft::bench;

namespace {

std::atomic<int> ran{0};

void* counts(void*) {
  ran.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

void once(report& out) {
  start(out);
  for (uint32_t w = 0; w < weft_worker_count(); ++w) {
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.worker = w;
    must(weft_task_spawn_with(counts, nullptr, &how, nullptr), "weft_task_spawn_with");
  }
  stop(out);
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "us");
  const int count = out.opt().quick ? starts_quick : starts_full;
  const stopwatch first;
  once(out);
  out.note("the first " + figure(first.ns() / 1000));
  while (out.more()) {
    ran = 0;
    const stopwatch watch;
    for (int i = 0; i < count; ++i) once(out);
    out.add(watch.ns() / 1000 / count);
    out.check("tasks", ran.load(), count * static_cast<int>(out.opt().workers));
  }
  return out.finish();
}
