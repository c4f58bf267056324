// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of the OS threads that wait.
//
// Orders
//   L2 -> L1   what one holder of the lock wrote is seen by the next
#include "sched/waiting.hpp"

#include "base/atomic.hpp"
#include "os/thread.hpp"
#include "sched/spin.hpp"

namespace weft::rt {

namespace {

// Threads may wait before start and after stop, so this does not belong to the scheduler. The lock can be
// put right after a fork, which a mutex of the system cannot.
constinit atomic<uint32_t> list_lock{0};
constinit thread_waits* first_thread = nullptr;  // under list_lock

class hold_list {
 public:
  hold_list() noexcept {
    for (unsigned spun = 0; list_lock.exchange_acquire(1) != 0; ++spun)
      spin_pause(spun);  // L1 <- L2
  }
  ~hold_list() { list_lock.store_release(0); }  // L2 -> L1
  hold_list(const hold_list&) = delete;
  hold_list& operator=(const hold_list&) = delete;
};

}  // namespace

thread_waits::thread_waits(const char* what, const void* object, void* site) noexcept
    : what_{what, object, site, os::monotonic_ns(), nullptr}, thread_(os::thread_number()) {
  const hold_list hold;
  next_ = first_thread;
  if (next_ != nullptr) next_->prev_ = this;
  first_thread = this;
}

thread_waits::~thread_waits() {
  const hold_list hold;
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
  const hold_list hold;
  for (const thread_waits* at = first_thread; at != nullptr; at = at->next_)
    look(at->what_, at->thread_, argument);
}

void thread_waits::forget_all() noexcept {
  first_thread = nullptr;
  list_lock.store_relaxed(0);  // init: no other thread is here
}

}  // namespace weft::rt
