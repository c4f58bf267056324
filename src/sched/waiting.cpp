// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of the OS threads that wait.
#include "sched/waiting.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
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
// Under list_lock. Who waits is put in front, so the numbers in the list fall.
constinit thread_waits* first_thread = nullptr;
constinit uint64_t begun = 0;

}  // namespace

thread_waits::thread_waits(const char* what, const void* object, void* site) noexcept
    : what_{what, object, site, os::monotonic_ns(), nullptr}, thread_(os::thread_number()) {
  // Before the list is first used. In a child the others are not there.
  static constinit os::child_call call(forget_all);
  (void)call.is_registered();
  const std::lock_guard hold(list_lock);
  number_ = begun++;
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
  // Some copies at a time: no memory is needed for all of them.
  struct {
    wait_record::shown what;
    int64_t thread;
  } found[16];
  uint64_t below = UINT64_MAX;  // what has a higher number has been shown, or came later
  std::size_t count = 0;
  do {
    count = 0;
    {
      const std::lock_guard hold(list_lock);
      for (const thread_waits* at = first_thread; at != nullptr && count < std::size(found);
           at = at->next_) {
        if (at->number_ >= below) continue;
        found[count++] = {at->what_, at->thread_};
        below = at->number_;
      }
    }
    for (std::size_t i = 0; i < count; ++i) look(found[i].what, found[i].thread, argument);
  } while (count == std::size(found));
}

void thread_waits::forget_all() noexcept {
  first_thread = nullptr;
  new (&list_lock) spin_lock;  // no other thread is here
}

}  // namespace weft::rt
