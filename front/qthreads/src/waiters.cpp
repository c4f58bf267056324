// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Showing the tasks that wait at words and syncvars, and counting those that have not begun.
#include "waiters.hpp"

#include <qthread/qthread.h>

#include <weft/embed.h>

#include "record.hpp"
#include "runtime.hpp"
#include "spawn.hpp"

namespace weft::qt {

namespace {

thread_local const int64_t* of_visit = nullptr;

// What the visit that this thread is in has counted before it; null: it is in none. A visit stays
// on its thread, as it may not wait; but between two calls a task may change threads, so each looks
// anew. To the thread sanitizer it is as errno: see last_error.cpp.
__attribute__((noinline, no_sanitize("thread"))) const int64_t* count_of_visit() noexcept {
  asm volatile("");
  return of_visit;
}
__attribute__((noinline, no_sanitize("thread"))) void set_count(const int64_t* n) noexcept {
  asm volatile("");
  of_visit = n;
}

struct look {
  qt_feb_callback_f callback;
  void* callarg;
  bool at_syncvars;
};

void show(const weft_word_waiter_t* waiter, void* arg) noexcept {
  const look& l = *static_cast<const look*>(arg);
  if ((waiter->is_syncvar != 0) != l.at_syncvars) return;
  record* const of =
      waiter->fn != nullptr ? unbegun_record(waiter->fn, waiter->arg) : own_record(waiter->record);
  if (of == nullptr) return;
  const unsigned id = of->id != 0 ? of->id : QTHREAD_NULL_TASK_ID;
  l.callback(waiter->word, of->f, of->arg, of->ret, id, local_memory(*of, 0), l.callarg);
}

// Visits each again: not from within a visit, which holds up who comes for the word that it is at.
int64_t count_held_back() noexcept {
  if (!the.any_held_back.load(std::memory_order_relaxed)) return 0;
  int64_t n = 0;
  const auto count = [](const weft_word_waiter_t* waiter, void* sum) {
    if (unbegun_record(waiter->fn, waiter->arg) != nullptr) ++*static_cast<int64_t*>(sum);
  };
  (void)weft_word_visit_waiters(count, &n);
  return n;
}

void show_all(look l) noexcept {
  if (l.callback == nullptr) return;
  (void)qthread_shep();  // a part of a loop goes to its shepherd: not when the callback asks
  const int64_t n = count_held_back();
  set_count(&n);
  (void)weft_word_visit_waiters(show, &l);
  set_count(nullptr);
}

}  // namespace

int64_t held_back() noexcept {
  const int64_t* const known = count_of_visit();
  return known != nullptr ? *known : count_held_back();
}

}  // namespace weft::qt

namespace qt = weft::qt;

void qthread_feb_callback(qt_feb_callback_f cb, void* arg) { qt::show_all({cb, arg, false}); }

void qthread_syncvar_callback(qt_syncvar_callback_f cb, void* arg) {
  qt::show_all({cb, arg, true});
}
