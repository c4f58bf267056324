// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor time of Weft while many tasks sleep.
#include "harness/weft.hpp"

#include <atomic>
#include <thread>

#include "config.hpp"
#include "harness/watched_cpu.hpp"

using namespace weft::bench;

namespace {

struct sleepers {
  int64_t first_ns;
  std::atomic<int64_t> asleep{0};
  std::atomic<int64_t> up{0};
  std::atomic<int64_t> early{0};
};

void* sleeper(void* arg) {
  auto& s = *static_cast<sleepers*>(arg);
  const int64_t deadline_ns = s.first_ns + s.asleep.fetch_add(1) * apart_ns;
  must(weft_task_sleep_until(deadline_ns), "weft_task_sleep_until");
  if (weft_time_now_ns() < deadline_ns) s.early.fetch_add(1);
  s.up.fetch_add(1);
  return nullptr;
}

}  // namespace

// A foreign thread watches, so that no worker is kept busy or blocked by the watching.
int main(int argc, char** argv) {
  report out(argc, argv, "ms");
  const bool quick = out.opt().quick;
  const int64_t count = quick ? sleepers_quick : sleepers_full;
  const int64_t watch_ms = quick ? watch_ms_quick : watch_ms_full;
  start(out);
  in_task([&] {
    sleepers s;
    s.first_ns =
        weft_time_now_ns() + (quick ? until_first_ms_quick : until_first_ms_full) * 1'000'000;
    std::vector<weft_task_t> tasks(static_cast<size_t>(count), nullptr);
    must(weft_task_spawn_many(sleeper, &s, 0, tasks.size(), tasks.data()), "weft_task_spawn_many");
    std::thread watcher(
        [&] { add_cpu_of_waiting(out, s.asleep, count, s.up, settle_ms, watch_ms); });
    must(weft_task_join_many(tasks.data(), tasks.size(), nullptr), "weft_task_join_many");
    watcher.join();
    out.check("tasks up in the end", s.up.load(), count);
    out.check("tasks up too early", s.early.load(), int64_t{0});
  });
  stop(out);
  out.note(std::to_string(count) + " tasks asleep for " + std::to_string(watch_ms) + " ms");
  return out.finish();
}
