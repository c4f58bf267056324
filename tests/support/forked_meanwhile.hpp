// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child that is forked while another thread registers handlers of fork(). For one file of a
// program.
#pragma once

#include <atomic>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "support/refused_fork_handlers.hpp"

namespace weft::test {

inline std::atomic<bool> forks_now;  // a thread is at those that it stops at, or there is a child
inline std::atomic<int> handlers_before;  // them
inline bool stops_behind;

// In a child, which has an end even if it hangs: whether that is so.
inline bool in_child(bool (*what)()) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(what() ? 0 : 1);
  }
  forks_now = false;
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

// In a process that has none of the handlers yet that Can needs, and in its child while they are
// being registered: exits with 0 where it can. Which: of several, counted from 1; registered: once
// a fork would call them. The child's child shows that each is called once, though the child may
// have registered them again.
template <bool (*Can)()>
[[noreturn]] void have_child_meanwhile(int which, bool registered) {
  handlers_before = which - 1;
  stops_behind = registered;
  at_fork_handlers = [](bool are_registered) {
    if (are_registered != stops_behind || handlers_before-- != 0) return;
    at_fork_handlers = nullptr;
    forks_now = true;
    while (forks_now) sched_yield();
  };
  std::thread first(Can);
  while (!forks_now) sched_yield();
  const bool ok = in_child([] { return Can() && in_child(Can); });
  first.join();
  _exit(ok && Can() ? 0 : 1);
}

}  // namespace weft::test
