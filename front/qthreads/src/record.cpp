// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Qthreads knows of a task; and the functions that only look at it.
#include "record.hpp"

#include <cstdlib>
#include <cstring>
#include <qthread/sinc.h>

#include <weft/word.h>

#include "runtime.hpp"

namespace weft::qt {

const char record_mark = 0;
record main_record;
constinit record_pool records;

void free_memory_of(forked_record& r) noexcept {
  std::free(r.local);
  std::free(r.copy);
  std::free(r.awaits);
}

void* local_memory(record& of, uint32_t size) noexcept {
  const auto least = static_cast<uint32_t>(the.options.tasklocal_bytes);
  const uint32_t wanted = size > least ? size : least;
  if (wanted > of.local_bytes) {
    void* grown = std::realloc(of.local, wanted);
    if (grown == nullptr) return nullptr;
    std::memset(static_cast<char*>(grown) + of.local_bytes, 0, wanted - of.local_bytes);
    of.local = grown;
    of.local_bytes = wanted;
  }
  return of.local;
}

void post(ret_kind kind, void* ret, aligned_t value) noexcept {
  switch (kind) {
    case ret_kind::none:
      return;
    case ret_kind::word:
      weft_word_write_f(static_cast<uint64_t*>(ret), value);
      return;
    case ret_kind::syncvar:
      weft_syncvar_write_f(static_cast<weft_syncvar_t*>(ret), value & WEFT_SYNCVAR_MAX);
      return;
    case ret_kind::sinc:
      qt_sinc_submit(static_cast<qt_sinc_t*>(ret), &value);
      return;
    case ret_kind::sinc_void:
      qt_sinc_submit(static_cast<qt_sinc_t*>(ret), nullptr);
      return;
  }
}

}  // namespace weft::qt

namespace qt = weft::qt;

unsigned qthread_id(void) {
  qt::record* me = qt::self();
  if (me == nullptr) return QTHREAD_NON_TASK_ID;
  if (me->id == 0) me->id = qt::next_number(qt::the.next_id, qt::first_id);
  return me->id;
}

aligned_t* qthread_retloc(void) {
  qt::record* me = qt::self();
  return me != nullptr ? static_cast<aligned_t*>(me->ret) : nullptr;
}

void* qthread_get_tasklocal(unsigned int size) {
  qt::record* me = qt::self();
  return me != nullptr ? qt::local_memory(*me, size) : nullptr;
}

unsigned qthread_size_tasklocal(void) {
  qt::record* me = qt::self();
  if (me == nullptr) return 0;
  const auto least = static_cast<uint32_t>(qt::the.options.tasklocal_bytes);
  return me->local_bytes > least ? me->local_bytes : least;
}
