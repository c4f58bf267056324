// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OS threads of workers: what belongs to them, where they run, how they begin, again too.
#pragma once

#include <cstdint>

#include "sched/worker.hpp"

namespace weft::rt {

// By w's thread: it is one of the program's, whose mask is the program's affair.
bool is_the_programs(const worker& w) noexcept;

// By a thread of Weft's own, which has the processors of who made it: a worker that is bound, or a
// thread with other ones. From now on it has those of the thread that started Weft, as far as the
// process may still use them. One that has the right ones is not told so: what was never set
// follows the process's cpuset.
void unbind_from_maker() noexcept;

// The calling thread is w's from now on, and no more: it runs where it ran before it was bound.
void attach_thread(worker& w) noexcept;
void detach_thread(worker& w) noexcept;

// The same, and what runs on the thread is a task from now on, bound to w; or no more. Null: no
// memory, and nothing has changed.
[[nodiscard]] task* adopt_flow(worker& w) noexcept;
void release_flow(worker& w) noexcept;

// The calling thread is w's. Where its processors were taken from the process meanwhile, it stays
// unbound.
void bind_thread(worker& w) noexcept;
// The calling thread is w's: if it is bound, it is no more.
void give_back_processors(worker& w) noexcept;
// How often that began and ended: odd while it is bound, from before its mask changes until that is
// the program's again. By any thread.
uint32_t binding_turns_of(const worker& w) noexcept;
// The same in a child of fork(), whose one thread was w's, by the mask that is allowed there.
void give_back_processors_in_child(worker& w) noexcept;

// Begins the thread of a worker that has none. 0, -ENOMEM, -EAGAIN.
[[nodiscard]] int start_thread(worker& w) noexcept;
// The same in two steps, of which the calling thread does the second.
[[nodiscard]] int prepare_thread(worker& w) noexcept;
void run_thread(worker& w) noexcept;
// For a worker that had a thread, which has ended: what it keeps for itself, and the thread.
void attach_caches(worker& w) noexcept;
void detach_caches(worker& w) noexcept;
[[nodiscard]] int restart_thread(worker& w) noexcept;

// By w: its thread moves to a processor or, if that is `any_processor`, to where it was at the
// start; or, if that is `same_processor`, to where it is meant to be, because what the process may
// use has changed. Never to where the process may not go, as far as that is followed.
inline constexpr uint32_t any_processor = UINT32_MAX - 1;
inline constexpr uint32_t same_processor = UINT32_MAX - 2;
void rebind_thread(worker& w, uint32_t processor) noexcept;

}  // namespace weft::rt
