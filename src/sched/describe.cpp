// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says in a few words what runs on a stack; for reports.
#include "sched/describe.hpp"

#include "os/symbol.hpp"
#include "sched/extra.hpp"
#include "sched/outside.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

namespace {

void describe_task(const task& t, os::text& out) noexcept {
  if (const char* const thread = thread_of(t)) {
    out.add(thread);
    return;
  }
  out.add("task");
  if (const char* name = task_name(t)) add_task_name(out, name);
  out.add(" ").pointer(&t).add(", spawned at ").pointer(t.site.get());
  out.flush_to_stderr();
  os::add_file(out, t.site.get());
}

}  // namespace

void add_task_name(os::text& out, const char* name) noexcept {
  constexpr std::size_t most = 64;
  out.add(" \"").printable(name, most).add("\"");
}

const char* thread_of(const task& t) noexcept {
  if (!t.has(flag_main)) return nullptr;
  const bool is_main = the().main_is_worker && t.state.home() == 0;
  return is_main ? "the thread that started Weft" : "a guest";
}

void describe_stack_user(const stack& s, os::text& out) noexcept {
  const task* t = stack_of_this_thread() == &s ? this_task() : nullptr;
  if (t == nullptr) {
    out.add("the scheduler");
    return;
  }
  describe_task(*t, out);
  unsigned depth = 0;
  for (const task* below = t->beneath(); below != nullptr; below = below->beneath()) ++depth;
  if (depth > 0)
    out.add(", called by ").decimal(depth).add(depth == 1 ? " joiner" : " joiners, each inline");
}

}  // namespace weft::rt
