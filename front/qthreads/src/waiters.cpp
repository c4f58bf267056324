// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Showing the tasks that wait at words and syncvars.
#include <qthread/qthread.h>

#include <weft/embed.h>

#include "record.hpp"
#include "spawn.hpp"

namespace {

struct look {
  qt_feb_callback_f callback;
  void* callarg;
  bool at_syncvars;
};

void show(const weft_word_waiter_t* waiter, void* arg) noexcept {
  const look& l = *static_cast<const look*>(arg);
  if ((waiter->is_syncvar != 0) != l.at_syncvars) return;
  weft::qt::record* const of = waiter->fn != nullptr
                                   ? weft::qt::unbegun_record(waiter->fn, waiter->arg)
                                   : weft::qt::own_record(waiter->record);
  if (of == nullptr) return;
  const unsigned id = of->id != 0 ? of->id : QTHREAD_NULL_TASK_ID;
  l.callback(waiter->word, of->f, of->arg, of->ret, id, weft::qt::local_memory(*of, 0), l.callarg);
}

void show_all(look l) noexcept {
  if (l.callback == nullptr) return;
  (void)qthread_shep();  // a part of a loop goes to its shepherd: not when the callback asks
  (void)weft_word_visit_waiters(show, &l);
}

}  // namespace

void qthread_feb_callback(qt_feb_callback_f cb, void* arg) { show_all({cb, arg, false}); }

void qthread_syncvar_callback(qt_syncvar_callback_f cb, void* arg) { show_all({cb, arg, true}); }
