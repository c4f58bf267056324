// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker: one OS thread and everything that only the code running on it may touch.
//
// Who writes what: owned<> fields and the caches belong to the code that runs on this worker; the
// deque, the ready queues and the inbox say for themselves who may call what; `wake` is written by
// anybody.
#pragma once

#include <cstdint>

#include "arch/fp_control.hpp"
#include "base/attributes.hpp"
#include "base/owned.hpp"
#include "lockfree/binding_count.hpp"
#include "lockfree/delivery_slot.hpp"
#include "lockfree/idle_census.hpp"
#include "lockfree/inbox.hpp"
#include "lockfree/offer_slot.hpp"
#include "lockfree/quiescence.hpp"
#include "lockfree/timer_queue.hpp"
#include "lockfree/wake_word.hpp"
#include "lockfree/work_deque.hpp"
#include "mem/magazine.hpp"
#include "mem/overflow.hpp"
#include "mem/raw.hpp"
#include "mem/spare_block.hpp"
#include "mem/stack.hpp"
#include "os/affinity.hpp"
#include "os/thread.hpp"
#include "sched/begun_waits.hpp"
#include "sched/delivery.hpp"
#include "sched/exception_state.hpp"
#include "sched/poll_watch.hpp"
#include "sched/ready_queue.hpp"
#include "sched/serving.hpp"
#include "sched/spin.hpp"
#include "sched/task.hpp"
#include "sched/timer_tick.hpp"

namespace weft::rt {

struct shepherd;
struct worker;
struct removal;

// What the flow that left a stack wants done on the next one: publish after the switch, never
// before.
using arrival_action = void (*)(worker& w, task* left, void* argument) noexcept;

// Each pick of this rank takes the oldest of one of the queues, so that none starves.
inline constexpr uint32_t fair_pick_every = 61;

// While a worker's shepherd has placed tasks, of which there are two kinds that are not urgent:
// then each of these and the usual have one pick in 60.
inline constexpr uint32_t placed_kinds = 3;
inline constexpr uint32_t placed_pick_every = fair_pick_every / placed_kinds;

// Descriptors that a worker keeps at hand: enough for the usual loop of a thousand spawns, then
// joins.
inline constexpr uint32_t task_cache_size = 2048;

// Where deques get their rings.
inline constexpr memory_source deque_memory{
    [](void*, std::size_t bytes) { return raw_alloc(bytes); },
    [](void*, void* memory, std::size_t bytes) { raw_free(memory, bytes); }, nullptr};

// A sticky task that yielded behind its own fresh children; lies on its stack. It cannot stand in
// the deque, where thieves would find it, so the place beneath its children is kept as a number.
struct behind_children_entry {
  owned<task*> yielder;
  owned<int64_t> below;  // the deque's end when all its children have been taken
  owned<behind_children_entry*> next;
};

struct alignas(line_bytes) worker {
  // symmetric: no process-wide barrier can be had. census: the scheduler's.
  worker(uint32_t number, shepherd& of, bool symmetric, const idle_census& census,
         int64_t spin) noexcept
      : index(number),
        census_word(census.word()),
        deque(deque_memory, spin_pause, symmetric),
        woken(symmetric),
        yielded(symmetric),
        begun(number),
        timers(spin_pause, ticks_now()),
        herd(of),
        spin_ns(spin) {}

  // The spawn and join path. These two lines, as far as weft/cpp/fork_abi.hpp names their fields,
  // are read and written by code that was inlined into programs: they change with the soname only.
  owned<task*> current{nullptr};            // the innermost task that runs; null in the loop
  owned<stack*> on{nullptr};                // the stack that it stands on
  owned<std::byte*> inline_floor{nullptr};  // of that stack; all ones: see forbid_inline
  exception_state* exceptions = nullptr;    // of this OS thread
  owned<int64_t> yield_mark{0};  // the deque's end when the current task last resumed or yielded
  const uint32_t index;
  owned<uint32_t> tick{fair_pick_every};  // picks left until a fair one
  const void* const census_word;          // 0: nobody has to be told of new work

  work_deque<task*> deque;

  // The switch path.
  owned<arrival_action> arrival{nullptr};
  owned<task*> left{nullptr};
  owned<void*> arrival_argument{nullptr};
  owned<uint64_t> opened_to{0};    // see parking.hpp
  owned<task*> handover{nullptr};  // what the next fresh stack runs first
  owned<int64_t> next_taken{0};    // above where take_unstarted() took the last: see handover.hpp
  stack_cache stacks;
  ready_queue woken;                              // before fresh tasks
  ready_queue yielded;                            // behind everything
  owned<behind_children_entry*> behind{nullptr};  // sticky yielders, innermost first

  object_cache<task, task_cache_size> tasks;
  spare_block spare_loop;  // of loops' descriptors, which follow each other in one size

  begun_waits begun;  // here, and not stamped yet

  timer_queue timers;  // armed here

  // The task woken last while somebody was idle. The worker takes it after all of woken, others
  // when they have seen the worker not switch for a while: two tasks that wake each other in turn
  // stay together.
  offer_slot<task> offered;

  // The idle path.
  shepherd& herd;   // its own
  poll_watch poll;  // its own
  owned<uint32_t> fair_turn{0};
  owned<uint32_t> yielded_passed{0};  // see pick.cpp
  owned<uint32_t> fresh_passed{0};    // see pick.cpp
  owned<uint32_t> behind_passed{0};   // see pick.cpp
  owned<uint32_t> placed_turn{0};     // see pick.cpp
  owned<uint64_t> random{0};
  atomic<int64_t> spin_ns;  // how long it watches before it sleeps; by anybody
  owned<bool> searching{false};
  owned<bool> uncounted{false};     // idle, and not counted among those
  owned<bool> expects_more{false};  // what it ran last came by mail or by its slot, or was a loop's
  owned<bool> slot_open{false};     // it watches its slot
  owned<int64_t> helped_ns{0};      // when it last left a loop of another worker's,
  owned<bool> loops_follow{false};  // and that it had left another one not long before
  owned<worker*> stole_from{nullptr};  // in whose deque lay what it found last; null: elsewhere
  owned<uint32_t> stolen{1};           // how many it took there then,
  owned<uint32_t> to_steal{1};         // and how many it takes the next time (search.cpp)
  owned<uint32_t> short_steals{0};     // in a row, up to most_doublings (search.cpp)
  owned<int64_t> searched_ns{0};       // when it began to search after its last stolen task
  owned<worker*> hesitant{nullptr};    // the worker it saw offer a task in its last look,
  owned<uint64_t> hesitant_parks{0};   // and how often that one had parked a task
  owned<uint32_t> vain_looks{0};       // so many looks in a row it had gone on by the next
  owned<int64_t> crowded_at{0};        // when it found something closed by another (spin.cpp),
  owned<uint32_t> crowd_doublings{0};  // and how long it rested then

  // Statistics: the owner writes, anybody reads.
  atomic<uint64_t> steals{0};
  atomic<uint64_t> forced_shares{0};
  atomic<uint64_t> parks{0};
  atomic<uint64_t> sleeps{0};
  atomic<uint64_t> wakes{0};
  atomic<uint64_t> moves{0};  // see apart.hpp
  rise_count rises;           // times it stopped being idle

  // Cold: start and stop.
  stack os_stack;  // what the OS thread stood on before its first task
  os::os_thread thread;
  report_stack overflow_stack;
  arch::fp_control fp_default{};
  os::cpu_set unbound;  // where its OS thread may run if it is not bound; empty: it is not
  atomic<uint32_t> binding_turns{0};  // see binding_turns_of

  // A flow that does nothing: flows are made in its name, because a new flow begins behind what its
  // maker did, and a task shall begin behind its spawn alone.
  [[no_unique_address]] notes::flow_note nobody;

  // Written by others. The first two are for this worker alone, and lie on the line that it watches
  // when it expects more: pinned and sticky tasks, the bell and the like; one task alone.
  alignas(line_bytes) inbox<task, task_link, alignof(task*)> mail;
  delivery_slot<delivery, task> slot;
  wake_word wake;
  alignas(line_bytes) delivery_turn sending;  // into the slot
  atomic<uint32_t> woken_by{UINT32_MAX};      // its thread, by which worker; see apart.hpp
  // No task: in the mail it says that its shepherd has urgent ones, or that something was handed
  // off.
  atomic<uint32_t> bell_rung{0};  // 1: it lies there, or is about to
  task bell;

  // Handed off to it: see hand_off.hpp.
  inbox<task, task_link> handed;
  owned<task*> handed_before{nullptr};  // taken from there, and not run yet: the oldest first

  // Orders: see attention.hpp.
  atomic<uint32_t> wanted{0};       // of it, by others
  atomic<uint32_t> order_given{0};  // 1: the order lies in the mail, or is about to
  task order;                       // no task: in the mail it says that other things are wanted
  task marker;                      // no task: lies in the mail while this worker is attentive
  owned<bool> attentive{false};     // each pick goes by pick_attentively
  owned<bool> disabled{false};      // takes no free tasks

  // Whether its thread is there, and what holds it: see presence.hpp. Who spawns here reads the
  // first line, which is seldom written.
  alignas(line_bytes) atomic<uint32_t> presence{0};  // a worker_presence
  atomic<removal*> freed{nullptr};                   // told when no task is bound here any more
  atomic<uint32_t> rebound_to{UINT32_MAX};  // a processor to move to, until the order is followed
  owned<uint32_t> bound_processor{UINT32_MAX};  // the last one it was moved to; UINT32_MAX: none
  atomic<uint32_t> carried{0};                  // 1: a carrier's thread has not left it yet
  atomic<uint32_t> seen_on{UINT32_MAX};         // its thread, on this processor; see apart.hpp
  owned<int64_t> no_move_before_ns{0};          // to another one; see apart.cpp
  const void* held_by = nullptr;  // under presence_lock, as the next: see presence.cpp
  bool meant_before = true;       // enabled when it was held, or as was wanted since
  owned<bool> adopted{false};     // its thread is the program's, and goes on as that when it leaves
  binding_count bound;            // tasks that may run here alone

  // Schedulers of the program's own: see serving.hpp.
  owned<serving*> schedulers{nullptr};     // the uppermost first
  serving base;                            // the one it was given, which is the lowest
  atomic<user_scheduler*> given{nullptr};  // what it shall take up next, by others
  owned<bool> alone{false};                // takes nothing from other workers
  owned<bool> picking{false};              // a pick runs
  owned<uint32_t> served_turn{0};          // see pick.cpp
};

static_assert(sizeof(worker::mail) + sizeof(worker::slot) <= line_bytes);

// The innermost task that runs on w, which the caller runs on; null: w is null, or in its loop.
WEFT_ALWAYS_INLINE task* current_task(const worker* w) noexcept {
  return w != nullptr ? w->current.get() : nullptr;
}

// Joins of the current task call no child on its stack: it may not park (stackless), or the child's
// waits would not save its control words (save_fp).
WEFT_ALWAYS_INLINE void forbid_inline(worker& w) noexcept {
  w.inline_floor.set(reinterpret_cast<std::byte*>(UINTPTR_MAX));
}

// This worker knows of placed tasks.
inline void expect_placed(worker& w) noexcept {
  if (w.tick.get() > placed_pick_every) w.tick.set(placed_pick_every);
}

WEFT_ALWAYS_INLINE void make_flow(worker& w, notes::flow_note& running, notes::flow_note& out,
                                  const char* name) noexcept {
  w.nobody.run();
  out.create(name);
  running.run();
}

inline void count_one(atomic<uint64_t>& counter) noexcept {
  counter.add_own_relaxed(1);  // count: statistics; only its worker writes
}

}  // namespace weft::rt
