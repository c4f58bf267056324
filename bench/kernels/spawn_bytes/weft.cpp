// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a Weft task that is spawned and not yet started.
#include "harness/weft.hpp"

#include <atomic>

#include "config.hpp"
#include "harness/memory.hpp"

using namespace weft::bench;

namespace {

std::atomic<int64_t> started{0};

void* run(void*) {
  started.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

void sample(report& out, size_t count) {
  started.store(0);
  std::vector<weft_task_t> tasks(count, nullptr);
  const int64_t before = resident_bytes();
  for (weft_task_t& task : tasks) must(weft_task_spawn(run, nullptr, &task), "weft_task_spawn");
  const int64_t after = resident_bytes();
  out.check("tasks started too early", started.load(), int64_t{0});
  must(weft_task_join_many(tasks.data(), count, nullptr), "weft_task_join_many");
  out.check("tasks run", started.load(), static_cast<int64_t>(count));
  out.add(static_cast<double>(after - before) / static_cast<double>(count));
}

}  // namespace

// One sample a process: a second batch would find the memory of the first.
int main(int argc, char** argv) {
  report out(argc, argv, "bytes/task");
  const size_t count = out.opt().quick ? tasks_quick : tasks_full;
  start(out);
  in_task([&] { sample(out, count); });
  stop(out);
  out.note("in a task");
  return out.finish();
}
