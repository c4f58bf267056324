// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of MassiveThreads: its native interface, as its manual recommends.
//
// Where work is stolen a new thread runs at once and its maker is what others steal, which is the
// default; where the kernel places its units (which MassiveThreads cannot: they stay with their
// maker until they are stolen) the maker goes on, the policy that its users call help-first.
#pragma once

#include <myth/myth.h>

#include "adapters/condition_semaphore.hpp"
#include "adapters/queues.hpp"
#include "harness/report.hpp"

namespace weft::bench {

inline constexpr const char* how = "from the main thread";

inline myth_thread_attr_t maker_goes_on;

template <class Body>
void in_runtime(uint32_t workers, queues kind, Body body) {
  if (myth_globalattr_set_n_workers(nullptr, workers) != 0)
    die("myth_globalattr_set_n_workers failed");
  if (unit_stack_bytes != 0 && myth_globalattr_set_stacksize(nullptr, unit_stack_bytes) != 0)
    die("myth_globalattr_set_stacksize failed");
  myth_init();
  myth_thread_attr_init(&maker_goes_on);
  maker_goes_on.child_first = kind == queues::own ? 0 : 1;
  // The size of all stacks is set above; one that a thread asks for itself does not come from the
  // list of free ones.
  maker_goes_on.stacksize = 0;
  body();
  myth_fini();
}

class unit {
 public:
  template <void (*Run)(void*)>
  void spawn(void* arg) {
    self_ = myth_create(trampoline<Run>, arg);
  }

  template <void (*Run)(void*)>
  void spawn_on(uint32_t /*worker*/, void* arg) {
    if (myth_create_ex(&self_, &maker_goes_on, trampoline<Run>, arg) != 0)
      die("myth_create_ex failed");
  }

  void join() { myth_join(self_, nullptr); }

 private:
  template <void (*Run)(void*)>
  static void* trampoline(void* arg) {
    Run(arg);
    return nullptr;
  }

  myth_thread_t self_{};
};

using leaf = unit;

inline void yield() { myth_yield(); }

class unit_mutex {
 public:
  unit_mutex() { myth_mutex_init(&self_, nullptr); }
  ~unit_mutex() { myth_mutex_destroy(&self_); }
  unit_mutex(const unit_mutex&) = delete;
  unit_mutex& operator=(const unit_mutex&) = delete;
  void lock() { myth_mutex_lock(&self_); }
  void unlock() { myth_mutex_unlock(&self_); }
  myth_mutex_t* self() { return &self_; }

 private:
  myth_mutex_t self_;
};

class unit_condition {
 public:
  unit_condition() { myth_cond_init(&self_, nullptr); }
  ~unit_condition() { myth_cond_destroy(&self_); }
  unit_condition(const unit_condition&) = delete;
  unit_condition& operator=(const unit_condition&) = delete;
  void wait(unit_mutex& held) { myth_cond_wait(&self_, held.self()); }
  void notify_one() { myth_cond_signal(&self_); }

 private:
  myth_cond_t self_;
};

using unit_semaphore = condition_semaphore<unit_mutex, unit_condition>;

}  // namespace weft::bench

#include "adapters/units.hpp"
