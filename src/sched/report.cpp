// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says what waits: a line for each parked task and each waiting OS thread.
#include "sched/report.hpp"

#include "os/clock.hpp"
#include "os/symbol.hpp"
#include "os/text.hpp"
#include "sched/describe.hpp"
#include "sched/extra.hpp"
#include "sched/scheduler.hpp"
#include "sched/waiting.hpp"

namespace weft::rt {

namespace {

struct report {
  int fd;
  int64_t now_ns;
  int lines = 0;
  int failed = 0;  // the first error
};

void write_line(report& r, const os::text& line) noexcept {
  if (r.failed == 0) r.failed = line.write_to(r.fd);
  ++r.lines;
}

void add_wait(os::text& line, const wait_record::shown& w, int64_t now_ns) noexcept {
  line.add(" waits for ").add(w.what);
  if (w.object != nullptr) line.add(" ").pointer(w.object);
  const int64_t since_ns = wait_record::is_known(w.since_ns) ? w.since_ns : now_ns;
  line.add(" for ");
  const int64_t since_ms = now_ns > since_ns ? (now_ns - since_ns) / 1'000'000 : 0;
  line.signed_decimal(since_ms).add(" ms");
  if (w.site != nullptr) {
    line.add(", at ");
    os::add_symbol(line, w.site);
  }
  line.add("\n");
}

// Of the pool: it may be another task's by now, but it is a descriptor.
void add_task(os::text& line, const task& t) noexcept {
  with_task_name(
      t,
      [](const char* name, void* to) noexcept {
        if (name != nullptr) add_task_name(*static_cast<os::text*>(to), name);
      },
      &line);
  line.add(" ").pointer(&t);
  if (const char* const thread = thread_of(t)) {
    line.add(" (").add(thread).add(")");
    return;
  }
  line.add(", spawned at ");
  os::add_symbol(line, t.site.get());
  line.add(",");
}

void report_task(report& r, const stack& s) noexcept {
  s.waits.stamp(r.now_ns);
  const wait_record::shown w = s.waits.read();
  if (w.what == nullptr) return;
  const auto* t = static_cast<const task*>(w.waiter);
  os::text line;
  line.add("task");
  if (the().task_pool.owns(t)) {
    add_task(line, *t);
  } else {  // in a frame that may not be there any more: not looked at
    line.add(" ").pointer(t).add(" (a fork)");
  }
  add_wait(line, w, r.now_ns);
  write_line(r, line);
}

void report_thread(const wait_record::shown& w, int64_t thread, void* to) noexcept {
  auto& r = *static_cast<report*>(to);
  os::text line;
  line.add("OS thread ").signed_decimal(thread);
  add_wait(line, w, r.now_ns);
  write_line(r, line);
}

}  // namespace

int report_waiting(int fd) noexcept {
  report r{fd, os::monotonic_ns()};
  if (running()) {
    for (uint32_t i = 0; i < the().count; ++i) report_task(r, the().workers[i].os_stack);
    the().stacks.for_each([&](const stack& s) { report_task(r, s); });
  }
  thread_waits::for_each(report_thread, &r);
  return r.failed != 0 ? r.failed : r.lines;
}

}  // namespace weft::rt
