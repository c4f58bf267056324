// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OS threads of workers: what belongs to them, where they run, how they begin, again too.
//
// Orders
//   bind_B1 -> bind_B2   who saw a mask that Weft has set sees that the thread is, or was, bound:
//                        the kernel's lock of the mask lies between
#include "sched/worker_thread.hpp"

#include <algorithm>
#include <cerrno>

#include "arch/cpu.hpp"
#include "base/check.hpp"
#include "os/memory.hpp"
#include "os/text.hpp"
#include "os/thread_bounds.hpp"
#include "sched/finish.hpp"
#include "sched/presence.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"
#include "sched/switch.hpp"
#include "sched/takers.hpp"

namespace weft::rt {

namespace {

constexpr std::size_t worker_stack_bytes = std::size_t{256} * 1024;

// Written once, before any task comes here. TSan knows no order to those that come from other
// workers.
template <class T>
void forget_writes(T& t) noexcept {
  constexpr std::uintptr_t unit = 8;
  const auto low = reinterpret_cast<std::uintptr_t>(&t) / unit * unit;
  const auto high = (reinterpret_cast<std::uintptr_t>(&t + 1) + unit - 1) / unit * unit;
  notes::forget(reinterpret_cast<void*>(low), reinterpret_cast<void*>(high));
}

// By the OS thread that a worker gets, and by those that it had before.
void forget_thread_writes(worker& w) noexcept {
  forget_writes(w.exceptions);
  forget_writes(w.fp_default);
  forget_writes(w.os_stack);
}

// So much of a thread's own stack is used at most, below where it comes to Weft: the system may say
// of an unlimited one that it begins at the end of the program's heap.
constexpr std::size_t most_of_own_bytes = std::size_t{8} << 20;

// The bounds of what the calling thread stands on. A thread may stand on memory that the system
// does not know for its stack: on a coroutine's, or, in the child of a fork() by a task, on that
// task's. Then nothing may be called inline there, and nothing below be given back. Nor is a child
// called where its promise does not fit twice.
void bound_os_stack(stack& s, std::size_t promised_bytes) noexcept {
  const os::bounds own = os::thread_stack_bounds();
  std::byte* here = arch::stack_pointer();
  if (here <= own.low || here > own.high) {
    // Above every stack pointer, so that nothing is left of it.
    s.low = reinterpret_cast<std::byte*>(INTPTR_MAX / 16 * 16);
    s.high = s.low;
    s.inline_floor = reinterpret_cast<std::byte*>(UINTPTR_MAX);
    return;
  }
  const std::size_t most = std::max(most_of_own_bytes, 4 * promised_bytes);
  std::byte* low = static_cast<std::size_t>(here - own.low) > most ? here - most : own.low;
  low +=
      -reinterpret_cast<std::uintptr_t>(low) % os::page_bytes();  // only whole pages are given back
  s.low = std::min(low, own.high);
  s.high = own.high;
  const bool fits = static_cast<std::size_t>(s.high - s.low) > 2 * promised_bytes;
  s.inline_floor = fits ? s.low + 2 * promised_bytes : reinterpret_cast<std::byte*>(UINTPTR_MAX);
}

// The processors that a worker may run on; false: any.
bool bounds(uint32_t worker, os::cpu_set& out) noexcept {
  const topo::places& map = the().map;
  if (the().bind == binding::none) return false;
  if (the().bind == binding::worker) {
    out.add(map.processor[worker]);
    return true;
  }
  const uint32_t s = map.shepherd_of(worker);
  for (uint32_t i = map.of_first[s]; i < map.of_last[s]; ++i) out.add(map.all[i]);
  return true;
}

// What the process may use of it or, if that is nothing, all that it may use.
void keep_allowed(os::cpu_set& to) noexcept {
  const os::cpu_set allowed = allowed_processors();
  if (allowed.count() == 0) return;
  to.keep(allowed);
  if (to.count() == 0) to = allowed;
}

void thread_main(void* argument) noexcept {
  unbind_from_maker();
  run_thread(*static_cast<worker*>(argument));
}

// Whichever task runs there may look or write. TSan knows no order between them.
os::cpu_set& unbound_of(worker& w) noexcept {
  forget_writes(w.unbound);
  return w.unbound;
}

bool is_bound(worker& w) noexcept { return unbound_of(w).count() != 0; }

// Before it is bound. False: what it has now could not be given back.
bool keep_unbound(worker& w) noexcept {
  if (is_bound(w)) return true;
  os::cpu_set& to = unbound_of(w);
  if (!is_the_programs(w)) {
    to = the().processors_at_start;
  } else if (!os::get_affinity(to)) {
    to = {};
  }
  if (to.count() == 0) return false;
  w.binding_turns.add_seq_cst(1);  // bind_B1 -> bind_B2
  return true;
}

// Its mask is again what it was before it was bound.
void forget_unbound(worker& w) noexcept {
  unbound_of(w) = {};
  w.binding_turns.add_seq_cst(1);  // bind_B1 -> bind_B2
}

// Where that could not be kept: of one worker, for so it is with all.
WEFT_COLD void say_unbound(const worker& w, const os::cpu_set& to, const char* who) noexcept {
  static atomic<uint32_t> said{0};
  uint32_t nobody = 0;
  if (!said.cas_relaxed(nobody, 1)) return;  // count: the first one speaks; it publishes nothing
  os::text line;
  line.add("weft: worker ").decimal(w.index).add(" stays unbound, though ").add(who);
  if (const uint32_t many = to.count(); many == 1) {
    line.add(" asks for processor ").decimal(to.next(0));
  } else {
    line.add(" asks for ").decimal(many).add(" processors");
  }
  line.add(": where its thread might run before cannot be read, so it could not be put back\n");
  line.write_to_stderr();
}

void* flow_body(void*) { return nullptr; }

}  // namespace

bool is_the_programs(const worker& w) noexcept {
  return w.adopted.get() || w.carried.load_relaxed() != 0;  // via: the lock of who got the worker
}

void unbind_from_maker() noexcept {
  os::cpu_set to = the().processors_at_start;
  if (to.count() == 0) return;
  keep_allowed(to);
  os::cpu_set now;
  if (os::get_affinity(now) && !(now == to)) (void)os::set_affinity(to);
}

void attach_thread(worker& w) noexcept {
  set_self(&w);
  forget_thread_writes(w);
  w.exceptions = thread_exception_state();
  w.fp_default = arch::read_fp_control();
  notes::adopt_thread_stack(w.os_stack.note);
  bound_os_stack(w.os_stack, the().stacks.options().promised_bytes);
  w.os_stack.home.set(w.index);
  w.os_stack.loop_flow.adopt_current();
  forget_thread_writes(w);
  forget_writes(*w.exceptions);
  w.nobody.create("weft maker of flows");
  w.bound_processor.set(UINT32_MAX);
  (void)w.overflow_stack.attach();  // without one an overflow dies without its report
}

void detach_thread(worker& w) noexcept {
  give_back_processors(w);
  w.nobody.destroy();
  w.overflow_stack.detach();
  set_self(nullptr);
}

void bind_thread(worker& w) noexcept {
  os::cpu_set to;
  if (!bounds(w.index, to)) return;
  if (!keep_unbound(w)) {
    say_unbound(w, to, "WEFT_BIND");
    return;
  }
  keep_allowed(to);
  (void)os::set_affinity(to);
}

void give_back_processors(worker& w) noexcept {
  if (!is_bound(w)) return;
  (void)os::set_affinity(unbound_of(w));
  forget_unbound(w);
}

uint32_t binding_turns_of(const worker& w) noexcept {
  return w.binding_turns.load_seq_cst();  // bind_B2 <- bind_B1
}

void give_back_processors_in_child(worker& w) noexcept {
  if (!is_bound(w)) return;
  os::cpu_set to = unbound_of(w);
  keep_allowed(to);
  (void)os::set_affinity(to);
}

task* adopt_flow(worker& w) noexcept {
  attach_thread(w);
  task* t = w.tasks.get();
  if (t == nullptr) {
    detach_thread(w);
    return nullptr;
  }
  w.adopted.set(true);
  t->fn.set(flow_body);
  t->value.set(nullptr);
  t->state.raise(flag_sticky | flag_main);
  if (thread_scopes() != nullptr) t->state.raise(flag_cancellable);  // its scopes go on
  t->state.set_home(w.index);
  t->flow.adopt_current();
  w.current.set(t);
  w.on.set(&w.os_stack);
  w.inline_floor.set(w.os_stack.inline_floor);
  return t;
}

void release_flow(worker& w) noexcept {
  release_task(&w, w.current.get());
  w.current.set(nullptr);
  w.adopted.set(false);
  detach_thread(w);
}

// For the loop of a worker whose thread does not run yet: there nobody could be told that there is
// no stack.
int prepare_thread(worker& w) noexcept { return w.stacks.reserve() ? 0 : -ENOMEM; }

void run_thread(worker& w) noexcept {
  bind_thread(w);  // before it touches what is its own
  attach_thread(w);
  WEFT_CHECK(run_worker(w) == 0, "the worker's first stack was put by at its start");
  detach_thread(w);
  if (presence_of(w) == worker_presence::gone) detach_caches(w);  // others can use what it kept
}

int start_thread(worker& w) noexcept {
  const int failed = prepare_thread(w);
  return failed != 0 ? failed : w.thread.start(thread_main, &w, "weft-worker", worker_stack_bytes);
}

void attach_caches(worker& w) noexcept {
  w.tasks.attach(the().task_pool);
  w.stacks.attach(the().stacks);
}

void detach_caches(worker& w) noexcept {
  w.tasks.detach();
  w.stacks.detach();
}

int restart_thread(worker& w) noexcept {
  attach_caches(w);
  const int failed = start_thread(w);
  if (failed != 0) detach_caches(w);
  return failed;
}

void rebind_thread(worker& w, uint32_t processor) noexcept {
  const bool stays = processor == same_processor;
  if (stays) {
    processor = w.bound_processor.get() != UINT32_MAX ? w.bound_processor.get() : any_processor;
  } else {
    w.bound_processor.set(processor != any_processor ? processor : UINT32_MAX);
  }
  os::cpu_set to;
  if (processor != any_processor) to.add(processor);
  const bool is_free = processor == any_processor && !bounds(w.index, to);
  // A thread of the program's is left alone, but for what was done to it here.
  if (is_free && w.adopted.get() && !is_bound(w)) return;
  if (!keep_unbound(w)) {
    if (!is_free) say_unbound(w, to, processor != any_processor ? "the program" : "WEFT_BIND");
    return;
  }
  if (is_free) to = unbound_of(w);
  keep_allowed(to);
  (void)os::set_affinity(
      to);  // where the processor was taken from the process meanwhile, it stays as it is
  if (is_free && w.adopted.get() && to == unbound_of(w)) forget_unbound(w);
}

}  // namespace weft::rt
