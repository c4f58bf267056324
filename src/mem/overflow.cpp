// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Telling a stack overflow from any other fault, and reporting it.
//
// Orders
//   R1 -> R2   the report stands before others who overflowed end the process
//   V1 -> V2   whom to tell is published to a fault; who finds nobody finds that one writes
#include "mem/overflow.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "base/atomic.hpp"
#include "mem/stack.hpp"
#include "os/signal.hpp"
#include "os/text.hpp"

namespace weft::rt {

namespace {

struct reporter {
  stack_pool* pool = nullptr;
  describe_stack describe = nullptr;
  running_stack running = nullptr;
};

reporter current;
atomic<const reporter*> armed{nullptr};

// The first overflow is reported. Threads that overflow meanwhile wait for that: the end of one of
// them is the end of the process.
enum : uint32_t { nobody, writing, written };
atomic<uint32_t> reporting{nobody};
constexpr unsigned most_naps = 2000;  // of a millisecond: the reporter may fault itself

void await_report() noexcept {
  const timespec nap{0, 1'000'000};
  for (unsigned i = 0; i < most_naps && reporting.load_acquire() == writing; ++i)  // R2 <- R1
    (void)::nanosleep(&nap, nullptr);
}

constexpr std::size_t largest_suggestion = std::size_t{1} << 30;  // as WEFT_STACK_SIZE has it

// The smallest power of two that is at least twice the promise and would have been enough.
std::size_t suggested_bytes(std::size_t promised, std::size_t used) noexcept {
  std::size_t bytes = 4096;
  while (bytes < largest_suggestion && (bytes < 2 * promised || bytes < used)) bytes *= 2;
  return bytes;
}

// Whether the frame of a handler that interrupts s there reaches into the guard.
bool no_room_for_frame(const stack& s, const void* stack_pointer) noexcept {
  const auto left = static_cast<std::size_t>(static_cast<const std::byte*>(stack_pointer) - s.low);
  return left < os::signal_frame_bytes() + arch::red_zone_bytes;
}

// The stack that overflowed, if this fault is an overflow.
const stack* overflowed(const stack_pool& pool, const os::fault& what) noexcept {
  const stack* s = pool.find(what.address);
  if (s != nullptr && pool.in_guard(*s, what.address)) {
    // A wild pointer of a task on another stack is not an overflow. One frame may be larger than
    // the guard, so the stack pointer is allowed to be one slot further down.
    return what.stack_pointer == nullptr || pool.is_near(*s, what.stack_pointer) ? s : nullptr;
  }
  // The stack pointer left the stack, and then something else went wrong.
  s = pool.find(what.stack_pointer);
  if (s == nullptr || pool.in_guard(*s, what.stack_pointer)) return s;
  return what.no_frame && no_room_for_frame(*s, what.stack_pointer) ? s : nullptr;
}

std::size_t promise_of(const stack& s) noexcept {
  return static_cast<std::size_t>(s.inline_floor - s.low);
}

void add_user(const stack& s, describe_stack describe, os::text& out) noexcept {
  if (describe == nullptr) return;
  out.add("weft: running there: ");
  describe(s, out);
  out.add("\n");
}

// What stands in the first line is known without a look at what the task may have damaged, or at
// anything that may not return; it is written before the others.
void report_overflow(const stack& s, const os::fault& what, const reporter& r) noexcept {
  // Where it was not the access that hit the guard, the stack pointer is there.
  const void* address = what.no_frame                       ? s.low
                        : r.pool->in_guard(s, what.address) ? what.address
                                                            : what.stack_pointer;
  os::text report;
  report.add("weft: stack overflow: ");
  if (what.no_frame) {
    report.add("the frame of a signal handler does not fit below ").pointer(what.stack_pointer);
    report.add(" on a stack of ");
  } else {
    report.pointer(address).add(" is in the guard below a stack of ");
  }
  report.size(promise_of(s)).add("\n");
  report.flush_to_stderr();
  add_user(s, r.describe, report);
  if (what.no_frame) report.add("weft: a handler with SA_ONSTACK has a stack of its own\n");
  add_suggestion(s, address < s.low ? address : s.low, report);
  report.write_to_stderr();
}

// The header of s may be overwritten, and is not read. So may be frames of the task's, with the
// descriptors of forks in them: who ran there is said last, for to look may fault.
void report_overrun(const stack& s, const void* address, const reporter& r) noexcept {
  os::text report;
  report.add("weft: stack overrun: ").pointer(address);
  report.add(" is in the guard above a stack of ").size(r.pool->options().promised_bytes);
  report.add("\nweft: more stack does not help: something wrote or read past its end, upwards, ");
  report.add("as past the end of an array; what lies there may be overwritten\n");
  report.flush_to_stderr();
  add_user(s, r.describe, report);
  report.write_to_stderr();
}

// The stack that runs, if the access is past its high end. A frame of the next stack that is larger
// than the guard looks the same but for which of the two runs.
const stack* overrun(const reporter& r, const os::fault& what) noexcept {
  if (r.running == nullptr) return nullptr;
  const stack* s = r.pool->overrun(what.address, what.stack_pointer);
  return s != nullptr && s == r.running() ? s : nullptr;
}

os::fault_verdict on_fault(const os::fault& what) noexcept {
  const reporter* r = armed.load_acquire();                               // V2 <- V1
  const bool late = r == nullptr && reporting.load_acquire() == writing;  // R2 <- R1
  if (late) r = &current;
  if (r == nullptr) return os::fault_verdict::pass_on;
  const stack* over = overrun(*r, what);
  const stack* s = over != nullptr ? over : overflowed(*r->pool, what);
  if (s == nullptr) return os::fault_verdict::pass_on;
  uint32_t first = nobody;
  if (late || !reporting.cas_acquire(first, writing)) {  // R2 <- R1
    await_report();
    return os::fault_verdict::die;
  }
  // From here on any other fault goes where it would have gone without us.
  armed.store_release(nullptr);  // V1 -> V2
  if (over != nullptr) {
    report_overrun(*over, what.address, *r);
  } else {
    report_overflow(*s, what, *r);
  }
  reporting.store_release(written);  // R1 -> R2
  return os::fault_verdict::die;
}

}  // namespace

void add_suggestion(const stack& s, const void* lowest, os::text& out) noexcept {
  const auto used = static_cast<std::size_t>(s.high - static_cast<const std::byte*>(lowest));
  if (promise_of(s) >= largest_suggestion) {
    out.add("weft: no larger stack can be had: keep what is large in the heap\n");
    return;
  }
  const std::size_t bytes = suggested_bytes(promise_of(s), used);
  out.add("weft: set WEFT_STACK_SIZE=").option_size(bytes);
  out.add(bytes < largest_suggestion ? " or more, or" : ", or");
  out.add(" stack_bytes in weft_config_t\n");
}

void report_canary_damage(const stack& s, const void* address) noexcept {
  const reporter* r = armed.load_acquire();  // V2 <- V1
  os::text report;
  report.add("weft: stack overflow: the canary at ").pointer(address).add(" below a stack of ");
  report.size(promise_of(s)).add(" was overwritten\n");
  report.flush_to_stderr();
  add_user(s, r == nullptr ? nullptr : r->describe, report);
  add_suggestion(s, address, report);
  report.write_to_stderr();
  std::abort();
}

int install_overflow_reporter(stack_pool& pool, describe_stack describe,
                              running_stack running) noexcept {
  if (current.pool != nullptr) return -EALREADY;
  const int error = os::fault_handler_install(on_fault);
  if (error != 0) return error;
  current.pool = &pool;
  current.describe = describe;
  current.running = running;
  reporting.store_relaxed(nobody);  // init: before it is armed
  armed.store_release(&current);    // V1 -> V2
  return 0;
}

void uninstall_overflow_reporter() noexcept {
  // Also where there is no pool: in the child of a fork, of a thread that was installing it.
  armed.store_release(nullptr);  // V1 -> V2
  os::fault_handler_remove();
  current.pool = nullptr;
  current.describe = nullptr;
  current.running = nullptr;
}

}  // namespace weft::rt
