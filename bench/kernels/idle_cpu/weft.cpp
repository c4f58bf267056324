// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor time of Weft while all of its tasks are suspended.
#include "harness/weft.hpp"

#include <atomic>

#include "idle.hpp"

using namespace weft::bench;

namespace {

std::atomic<int64_t> ran{0};

void* run(void*) {
  ran.fetch_add(1);
  return nullptr;
}

}  // namespace

// A foreign thread watches, so that no worker is kept busy or blocked by the watching.
int main(int argc, char** argv) {
  report out(argc, argv, "%cpu");
  start(out);
  in_task([&] {
    std::vector<weft_task_t> tasks(warm_tasks, nullptr);
    must(weft_task_spawn_many(run, nullptr, 0, tasks.size(), tasks.data()), "weft_task_spawn_many");
    must(weft_task_join_many(tasks.data(), tasks.size(), nullptr), "weft_task_join_many");
    out.check("tasks run", ran.load(), warm_tasks);
    const weft_task_t me = weft_task_self();
    while (out.more()) {
      std::thread watcher([&] {
        out.add(idle_percent());
        must(weft_task_resume(me), "weft_task_resume");
      });
      must(weft_task_suspend(), "weft_task_suspend");
      watcher.join();
    }
  });
  stop(out);
  out.note("all tasks suspended");
  return out.finish();
}
