// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process and its threads: which thread this is, and being told of a fork and of a thread's
// end.
//
// Orders
//   fork_C1 -> fork_C2   who finds a call for children registered forks after that
#pragma once

#include <csignal>
#include <mutex>
#include <pthread.h>

#include "base/atomic.hpp"

namespace weft::rt::os {

using thread_id = pthread_t;

[[nodiscard]] thread_id this_thread() noexcept;
[[nodiscard]] bool same_thread(thread_id a, thread_id b) noexcept;
// Whether the calling thread is the one that the process began with.
[[nodiscard]] bool is_first_thread() noexcept;

// Holds a lock, and signals back, so that no handler waits for its own thread.
class undisturbed {
 public:
  undisturbed(const undisturbed&) = delete;
  undisturbed& operator=(const undisturbed&) = delete;

 protected:
  explicit undisturbed(std::mutex& held) noexcept;
  ~undisturbed();

 private:
  std::mutex& held_;
  sigset_t before_;
};

// A scope that fork() of another thread waits for, once at_fork_in_child has been called: the child
// has no lock held that is taken here. For short walks through what other libraries lock and do not
// free in a child. Nothing in it may fork, load a library or wait for a thread that may.
class unforked : undisturbed {
 public:
  unforked() noexcept;
};

// A scope that one thread at a time is in. A fork does not wait for it, and in the child nobody is
// in it.
class alone : undisturbed {
 public:
  alone() noexcept;
};

// From now on each child that fork() makes calls fn first, on its one thread. Never undone. False:
// no memory.
[[nodiscard]] bool at_fork_in_child(void (*fn)() noexcept) noexcept;

// Such a function, for who needs it from its first use on. Where there was no memory for it, the
// next use tries again; of two first uses at the same time each may register it, and so may a child
// that is forked during one. So it may be called twice in a child.
class child_call {
 public:
  explicit constexpr child_call(void (*fn)() noexcept) noexcept : fn_(fn) {}

  // False: no memory.
  bool is_registered() noexcept {
    if (registered_.load_acquire()) return true;  // fork_C2 <- fork_C1
    const bool ok = at_fork_in_child(fn_);
    if (ok) registered_.store_release(true);  // fork_C1 -> fork_C2
    return ok;
  }

 private:
  void (*const fn_)() noexcept;
  atomic<bool> registered_{false};
};

// fn runs on the calling thread when that thread ends, but not when the process does. There is one
// fn for each thread, the last one given. Never undone, so fn looks whether there is anything to
// do. False: no memory, or the process has no more keys.
[[nodiscard]] bool at_thread_end(void (*fn)() noexcept) noexcept;

}  // namespace weft::rt::os
