// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a suspended Weft task on a stack of 64 KiB.
#include "harness/weft.hpp"

#include <atomic>

#include "config.hpp"
#include "harness/memory.hpp"

using namespace weft::bench;

namespace {

std::atomic<size_t> blocking{0};
std::atomic<size_t> woken{0};
const memory_guard guard;

template <bool Deep>
void* run(void*) {
  if (Deep) go_deep();
  guard.look(blocking.fetch_add(1));
  must(weft_task_suspend(), "weft_task_suspend");
  if (Deep) go_deep();
  guard.look(woken.fetch_add(1));
  return nullptr;
}

// Lets every task block, gives the memory that they hold then, and wakes and joins them.
int64_t bytes_while_blocked(report& out, weft_fn_t fn, std::vector<weft_task_t>& tasks) {
  blocking = 0;
  woken = 0;
  for (weft_task_t& task : tasks) must(weft_task_spawn(fn, nullptr, &task), "weft_task_spawn");
  while (blocking.load() < tasks.size()) must(weft_task_yield(), "weft_task_yield");
  const int64_t bytes = resident_bytes();
  out.check("tasks woken too early", woken.load(), size_t{0});
  for (const weft_task_t task : tasks) must(weft_task_resume(task), "weft_task_resume");
  must(weft_task_join_many(tasks.data(), tasks.size(), nullptr), "weft_task_join_many");
  out.check("tasks woken", woken.load(), tasks.size());
  return bytes;
}

void sample(report& out, size_t count) {
  std::vector<weft_task_t> tasks(count, nullptr);
  const int64_t before = resident_bytes();
  if (warm) bytes_while_blocked(out, run<true>, tasks);
  const int64_t blocked = bytes_while_blocked(out, run<false>, tasks);
  out.add(static_cast<double>(blocked - before) / static_cast<double>(count));
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "bytes/task");
  const int64_t count = out.opt().quick ? threads / quick_divisor : threads;
  start(out, block_stack_bytes);
  in_task([&] { sample(out, static_cast<size_t>(count)); });
  stop(out);
  out.note("in a task; " + std::to_string(count) + " blocked at once");
  return out.finish();
}
