// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which workers are there: removed, added, moved; and the tasks that keep a worker there.
//
// Orders
//   bound_B1 <> bound_B2   who binds a task to a worker: counts it, asks whether the worker is
//                          there; a worker that goes: says so, asks for the count. One of them sees
//                          the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/finish.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

// worker::presence. Written under the lock of takers.hpp.
enum class worker_presence : uint32_t {
  present,
  leaving,  // disabled, and goes as soon as no task is bound to it
  // Without a thread; disabled. Only under the lock: a worker says so, then asks whether it may go.
  gone
};
inline worker_presence presence_of(const worker& w) noexcept {
  return static_cast<worker_presence>(w.presence.load_seq_cst());  // bound_B1 <> bound_B2
}

// Decided: a worker that says it goes and then may not is not gone. May wait for the lock.
WEFT_COLD bool stays_gone(const worker& w) noexcept;
[[nodiscard]] inline bool is_gone(const worker& w) noexcept {
  return presence_of(w) == worker_presence::gone && stays_gone(w);
}

// A task may run on w alone from now on, or no more. by: the calling worker, or null.
inline void bind_to(worker& w, const worker* by) noexcept {
  w.bound.begin(by != nullptr ? by->index : 0);  // bound_B1 <> bound_B2
}
void unbind_from(worker& w) noexcept;
// The same by who has bound a task that w then does not get: w may be about to go, and have gone to
// sleep for it.
void withdraw_from(worker& w) noexcept;
// The same for one that need not be there. False: it is not, and no other call says otherwise until
// it is added.
[[nodiscard]] bool try_bind_to(worker& w, const worker* by) noexcept;
// The same by a caller that runs on w and wants it to serve others. False: it serves none, for it
// is disabled, as one that is held or is leaving, too.
[[nodiscard]] bool try_bind_to_enabled(worker& w) noexcept;

// Whom a call means. What follows may be called while Weft stops: nothing of the runtime is touched
// but under the lock. It returns -ENOTCONN where Weft does not run, -ERANGE where there is no such
// one.
struct chosen_workers {
  uint32_t number;  // of a worker or,
  bool all_of_it;   // with this, of a shepherd
};

// See weft/place.h. 0, or -EBUSY: no worker would be left for free tasks.
int enable_workers(chosen_workers who, bool enabled) noexcept;

// They go together or not at all. 0: they go, each at the end of the task that runs there; those
// are passed over that are gone, or go already. Else nothing has changed. -EPERM: one has a thread
// of the program's; -EBUSY: no worker would be left for free tasks; -EALREADY: somebody waits until
// one may go; -EAGAIN: tasks are bound to one.
int remove_workers(chosen_workers who) noexcept;

// The same by who waits until they may go. Meanwhile they are held: disabled, and other removals
// keep off, but one that is added is held no more.
struct removal : end_listener {
  chosen_workers who;
  bool outside;  // who waits is no task, so a stop does not wait for it
  // Under the lock:
  bool begun = false;
  uint32_t run = 0;  // which of the process's runs of Weft these workers are of
};
// Begins it, or goes on with it. Also -EAGAIN: the removal hears, once, when it should go on.
int pursue_removal(removal& r) noexcept;
// After -EAGAIN, by who waits no longer. 0: they go all the same. -EAGAIN: they stay, as they were.
// will_hear: it has heard, or will at once, from another thread.
int give_up_removal(removal& r, bool& will_hear) noexcept;

// By w, which is disabled and has nothing to do. True: its thread shall end.
[[nodiscard]] bool try_to_go(worker& w) noexcept;

// How a worker that is gone gets a thread: 0, -ENOMEM, -EAGAIN.
using thread_start = int(worker& w) noexcept;
// Gives those that are gone threads, or none of them, which start begins; then all are enabled.
int add_workers(chosen_workers who, thread_start* start) noexcept;
// The same for one of which the caller shall be the thread. -EBUSY: it is not gone.
int take_up_worker(uint32_t number, thread_start* start) noexcept;

// Threads move, at the next pick of each, to so many processors in turn; none: to where they were
// at the start. -ERANGE, too: Weft did not find such a processor; then none moves.
int rebind_workers(chosen_workers who, const uint32_t* processors, std::size_t count) noexcept;

// By who stops: Weft does not run any more, and no worker is added. False: nothing is done, because
// of what `hinders`.
[[nodiscard]] bool end_running(bool (*hinders)() noexcept) noexcept;

// By the one task that runs on w, on the stack of w's own thread: the worker is gone. -EBUSY: other
// tasks are bound to it, or no worker would be left for free tasks.
[[nodiscard]] int leave_worker(worker& w) noexcept;

}  // namespace weft::rt
