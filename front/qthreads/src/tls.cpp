// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that each task has of its own: slots of Weft; of a thread that is no task: keys of
// pthreads.
#include <cerrno>
#include <new>
#include <pthread.h>
#include <qthread/tls.h>

#include <weft/task.h>

#include "record.hpp"

namespace {

struct key {
  weft_slot_t slot;
  pthread_key_t outside;
};

key& of(qthread_key_t k) noexcept { return *reinterpret_cast<key*>(k); }

// A task within a blocking action runs on a thread of ours.
bool is_task() noexcept { return weft_task_self() != nullptr || weft::qt::self() != nullptr; }

}  // namespace

int qthread_key_create(qthread_key_t* k, void (*destructor)(void*)) {
  if (k == nullptr) return EINVAL;
  auto* made = new (std::nothrow) key;
  if (made == nullptr) return ENOMEM;
  int failed = -weft_slot_create(destructor, &made->slot);
  if (failed == 0) {
    failed = pthread_key_create(&made->outside, destructor);
    if (failed == 0) {
      *k = reinterpret_cast<qthread_key_t>(made);
      return 0;
    }
    weft_slot_delete(made->slot);
  }
  delete made;
  return failed;
}

int qthread_key_delete(qthread_key_t k) {
  if (k == nullptr) return EINVAL;
  weft_slot_delete(of(k).slot);
  pthread_key_delete(of(k).outside);
  delete &of(k);
  return 0;
}

void* qthread_getspecific(qthread_key_t k) {
  if (k == nullptr) return nullptr;
  return is_task() ? weft_slot_get(of(k).slot) : pthread_getspecific(of(k).outside);
}

int qthread_setspecific(qthread_key_t k, void const* value) {
  if (k == nullptr) return EINVAL;
  if (is_task()) return -weft_slot_set(of(k).slot, const_cast<void*>(value));
  return pthread_setspecific(of(k).outside, value);
}
