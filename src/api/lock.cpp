// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/lock.h: arguments are checked here, the work is done below.
#include <cerrno>
#include <new>

#include <weft/lock.h>

#include "base/attributes.hpp"
#include "sync/condition.hpp"
#include "sync/mutex.hpp"
#include "sync/recursion.hpp"
#include "sync/rwlock.hpp"

namespace rt = weft::rt;

static_assert(sizeof(rt::mutex) <= sizeof(weft_mutex_t));
static_assert(sizeof(rt::condition) <= sizeof(weft_condition_t));
static_assert(sizeof(rt::rwlock) <= sizeof(weft_rwlock_t));
static_assert(uint32_t{rt::mutex::recursive} == WEFT_MUTEX_RECURSIVE);
static_assert(uint32_t{rt::mutex::hand_over} == WEFT_MUTEX_HAND_OVER);

namespace {

rt::mutex& from(weft_mutex_t* m) noexcept { return *reinterpret_cast<rt::mutex*>(m); }
rt::condition& from(weft_condition_t* c) noexcept { return *reinterpret_cast<rt::condition*>(c); }
rt::rwlock& from(weft_rwlock_t* l) noexcept { return *reinterpret_cast<rt::rwlock*>(l); }

WEFT_COLD int lock_unlike_most(rt::mutex& m, int64_t deadline_ns, void* site) noexcept {
  if (m.is_recursive()) return rt::lock_recursive(m, deadline_ns, site);
  return m.try_lock() ? 0 : m.lock_slow(deadline_ns, site);
}

// The usual case keeps nothing for the others.
WEFT_ALWAYS_INLINE int lock(weft_mutex_t* mutex, int64_t deadline_ns, void* site) noexcept {
  if (mutex == nullptr) [[unlikely]]
    return -EINVAL;
  rt::mutex& m = from(mutex);
  return !m.is_recursive() && m.lock_at_once() ? 0 : lock_unlike_most(m, deadline_ns, site);
}

int wait(weft_condition_t* condition, weft_mutex_t* mutex, int64_t deadline_ns,
         void* site) noexcept {
  if (condition == nullptr || mutex == nullptr) return -EINVAL;
  return from(condition).wait_with(from(mutex), deadline_ns, site);
}

WEFT_ALWAYS_INLINE int read_lock(weft_rwlock_t* lock, int64_t deadline_ns, void* site) noexcept {
  if (lock == nullptr) [[unlikely]]
    return -EINVAL;
  return from(lock).try_read_lock() ? 0 : from(lock).read_lock_slow(deadline_ns, site);
}

WEFT_ALWAYS_INLINE int write_lock(weft_rwlock_t* lock, int64_t deadline_ns, void* site) noexcept {
  if (lock == nullptr) [[unlikely]]
    return -EINVAL;
  return from(lock).try_write_lock() ? 0 : from(lock).write_lock_slow(deadline_ns, site);
}

}  // namespace

int weft_mutex_init(weft_mutex_t* mutex, uint32_t flags) {
  if (mutex == nullptr || (flags & ~uint32_t{WEFT_MUTEX_RECURSIVE | WEFT_MUTEX_HAND_OVER}) != 0)
    return -EINVAL;
  new (mutex) rt::mutex(flags);
  return 0;
}

__attribute__((noinline)) int weft_mutex_lock(weft_mutex_t* mutex) {
  return lock(mutex, rt::forever, WEFT_CALL_SITE);
}

int weft_mutex_try_lock(weft_mutex_t* mutex) {
  if (mutex == nullptr) return -EINVAL;
  if (from(mutex).is_recursive()) return rt::try_lock_recursive(from(mutex));
  return from(mutex).try_lock() ? 0 : -EBUSY;
}

__attribute__((noinline)) int weft_mutex_lock_until(weft_mutex_t* mutex, int64_t deadline_ns) {
  return lock(mutex, deadline_ns, WEFT_CALL_SITE);
}

int weft_mutex_unlock(weft_mutex_t* mutex) {
  if (mutex == nullptr) [[unlikely]]
    return -EINVAL;
  if (from(mutex).is_recursive()) [[unlikely]]
    return rt::unlock_recursive(from(mutex));
  return from(mutex).unlock() ? 0 : -EPERM;
}

__attribute__((noinline)) int weft_condition_wait(weft_condition_t* condition,
                                                  weft_mutex_t* mutex) {
  return wait(condition, mutex, rt::forever, WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_condition_wait_until(weft_condition_t* condition,
                                                        weft_mutex_t* mutex, int64_t deadline_ns) {
  return wait(condition, mutex, deadline_ns, WEFT_CALL_SITE);
}

int weft_condition_signal(weft_condition_t* condition) {
  if (condition == nullptr) return -EINVAL;
  from(condition).signal(1);
  return 0;
}

int weft_condition_broadcast(weft_condition_t* condition) {
  if (condition == nullptr) return -EINVAL;
  from(condition).signal(UINT64_MAX);
  return 0;
}

__attribute__((noinline)) int weft_rwlock_read_lock(weft_rwlock_t* lock) {
  return read_lock(lock, rt::forever, WEFT_CALL_SITE);
}

int weft_rwlock_try_read_lock(weft_rwlock_t* lock) {
  if (lock == nullptr) return -EINVAL;
  return from(lock).try_read_lock() ? 0 : -EBUSY;
}

__attribute__((noinline)) int weft_rwlock_read_lock_until(weft_rwlock_t* lock,
                                                          int64_t deadline_ns) {
  return read_lock(lock, deadline_ns, WEFT_CALL_SITE);
}

int weft_rwlock_read_unlock(weft_rwlock_t* lock) {
  return lock != nullptr ? from(lock).read_unlock() : -EINVAL;
}

__attribute__((noinline)) int weft_rwlock_write_lock(weft_rwlock_t* lock) {
  return write_lock(lock, rt::forever, WEFT_CALL_SITE);
}

int weft_rwlock_try_write_lock(weft_rwlock_t* lock) {
  if (lock == nullptr) return -EINVAL;
  return from(lock).try_write_lock() ? 0 : -EBUSY;
}

__attribute__((noinline)) int weft_rwlock_write_lock_until(weft_rwlock_t* lock,
                                                           int64_t deadline_ns) {
  return write_lock(lock, deadline_ns, WEFT_CALL_SITE);
}

int weft_rwlock_write_unlock(weft_rwlock_t* lock) {
  return lock != nullptr ? from(lock).write_unlock() : -EINVAL;
}
