// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which workers take part: enabled, disabled, without a thread; and the tasks that keep a worker
// there.
//
// Orders
//   bound_B1 <> bound_B2   who binds a task to a worker: counts it, asks whether the worker is
//                          there; a worker that goes: says so, asks for the count. One of them sees
//                          the other.
#pragma once

#include <cstdint>

#include "os/affinity.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

// worker::presence. Written under a lock of presence.cpp.
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
[[nodiscard]] bool is_gone(const worker& w) noexcept;

// A task may run on w alone from now on, or no more. by: the calling worker, or null.
inline void bind_to(worker& w, const worker* by) noexcept {
  w.bound.begin(by != nullptr ? by->index : 0);  // bound_B1 <> bound_B2
}
void unbind_from(worker& w) noexcept;
// The same for one that need not be there. False: it is not, and no other call says otherwise until
// it is added.
[[nodiscard]] bool try_bind_to(worker& w, const worker* by) noexcept;

// See weft/place.h. 0, or -EBUSY: no worker would be left for free tasks.
int enable_workers(uint32_t first, uint32_t count, bool enabled) noexcept;
bool is_enabled(uint32_t worker) noexcept;

// What the process may use has changed: threads of workers stay on processors of `allowed` (empty:
// on any), and so many workers, 1 at least, take free tasks; the others are as if disabled,
// whatever the program says of them.
void limit_workers(const os::cpu_set& allowed, uint32_t takers) noexcept;
os::cpu_set allowed_processors() noexcept;

// In a process just forked: whoever changed something there is not here.
void forget_presence_lock() noexcept;

// 0: it goes, or will at the end of the task that runs there; -EPERM: it is the thread that
// started; -EBUSY: no worker would be left for free tasks; -EAGAIN: tasks are bound to it. With a
// listener it is told to go as soon as there are none, and the listener hears of it; without one
// nothing has changed. -EALREADY: somebody else waits.
int remove_worker(worker& w, end_listener* freed) noexcept;
// After -EAGAIN. True: the listener will not hear, and the worker stays. False: it has heard, or
// will at once.
[[nodiscard]] bool keep_worker(worker& w, end_listener& freed) noexcept;

// By w, which is disabled and has nothing to do. True: its thread shall end.
[[nodiscard]] bool try_to_go(worker& w) noexcept;

// Gives a worker that is gone a thread: what start says, which begins it; or, where the worker is
// there, if_there; then it is enabled. -ERANGE: no such worker; -ENOTCONN: Weft does not run. A
// stop may come at any time: nothing of the runtime is touched but under the lock.
int add_worker(uint32_t number, int (*start)(worker& w) noexcept, int if_there) noexcept;
// By who stops: Weft does not run any more, and no worker is added. False: nothing is done, because
// of what `hinders`.
[[nodiscard]] bool end_running(bool (*hinders)() noexcept) noexcept;

// By the one task that runs on w, on the stack of w's own thread: the worker is gone. -EBUSY: other
// tasks are bound to it, or no worker would be left for free tasks.
[[nodiscard]] int leave_worker(worker& w) noexcept;

}  // namespace weft::rt
