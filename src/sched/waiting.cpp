// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of the OS threads that wait.
#include "sched/waiting.hpp"

#include <mutex>
#include <new>

#include "os/process.hpp"
#include "os/thread.hpp"
#include "sched/spin_lock.hpp"

namespace weft::rt {

namespace {

// Threads may wait before start and after stop, so this does not belong to the scheduler. The lock
// can be put right after a fork, which a mutex of the system cannot.
constinit spin_lock list_lock;
constinit thread_waits* first_thread = nullptr;  // under list_lock

}  // namespace

thread_waits::thread_waits(const char* what, const void* object, void* site) noexcept
    : what_{what, object, site, os::monotonic_ns(), nullptr}, thread_(os::thread_number()) {
  // Before the list is first used. In a child the others are not there.
  static constinit os::child_call call(forget_all);
  (void)call.is_registered();
  const std::lock_guard hold(list_lock);
  next_ = first_thread;
  if (next_ != nullptr) next_->prev_ = this;
  first_thread = this;
}

thread_waits::~thread_waits() {
  const std::lock_guard hold(list_lock);
  if (prev_ != nullptr) {
    prev_->next_ = next_;
  } else {
    first_thread = next_;
  }
  if (next_ != nullptr) next_->prev_ = prev_;
}

void thread_waits::for_each(void (*look)(const wait_record::shown& w, int64_t thread,
                                         void* argument),
                            void* argument) noexcept {
  const std::lock_guard hold(list_lock);
  for (const thread_waits* at = first_thread; at != nullptr; at = at->next_)
    look(at->what_, at->thread_, argument);
}

void thread_waits::forget_all() noexcept {
  first_thread = nullptr;
  new (&list_lock) spin_lock;  // no other thread is here
}

}  // namespace weft::rt
