// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows reports what parked tasks and waiting OS threads wait for.
#pragma once

#include <cstdint>

#include "base/attributes.hpp"
#include "mem/stack.hpp"
#include "mem/wait_record.hpp"
#include "sched/task.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

// While it lives, the calling task is shown to wait; made just before it parks.
class task_waits {
 public:
  WEFT_ALWAYS_INLINE task_waits(worker& w, task& me, const char* what, const void* object,
                                void* site) noexcept
      : task_waits(w, *w.on.get(), me, what, object, site) {}
  // on: where it stands.
  WEFT_ALWAYS_INLINE task_waits(worker& w, stack& on, task& me, const char* what,
                                const void* object, void* site) noexcept
      : record_(on.waits) {
    w.begun.show(record_, what, object, site, &me);
  }
  WEFT_ALWAYS_INLINE ~task_waits() { record_.hide(); }
  task_waits(const task_waits&) = delete;
  task_waits& operator=(const task_waits&) = delete;

 private:
  wait_record& record_;  // in the header of the stack, which goes where the task goes
};

// The same for an OS thread that is no worker.
class thread_waits {
 public:
  thread_waits(const char* what, const void* object, void* site) noexcept;
  ~thread_waits();
  thread_waits(const thread_waits&) = delete;
  thread_waits& operator=(const thread_waits&) = delete;

  // Calls look(record, thread id) for each thread that waits at the call, without any lock of ours:
  // look may wait for locks that these threads hold, and for what they do next. They go on
  // meanwhile.
  static void for_each(void (*look)(const wait_record::shown& w, int64_t thread, void* argument),
                       void* argument) noexcept;

  // In a process just forked: the threads of its parent are not here.
  static void forget_all() noexcept;

 private:
  wait_record::shown what_;
  int64_t thread_;   // as the kernel numbers it
  uint64_t number_;  // the later it began, the higher
  thread_waits* next_;
  thread_waits* prev_ = nullptr;
};

}  // namespace weft::rt
