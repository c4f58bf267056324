// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks: at any word by its full/empty state, or beside it once they were declared; and spinlocks.
//
// A spinlock's word is a syncvar: 0 is full and open, so static initialisers work, and who must
// wait parks.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <qthread/qthread.h>

#include <weft/task.h>
#include <weft/word.h>

#include "record.hpp"
#include "runtime.hpp"
#include "waiting.hpp"

namespace weft::qt {

namespace {

// Who holds a recursive lock: above 0, and different for each task and each thread.
int64_t me() noexcept {
  static thread_local char thread;
  const void* who = self();
  if (who == nullptr) who = weft_task_self();  // a task of Weft's own
  return reinterpret_cast<int64_t>(who != nullptr ? who : &thread);
}

weft_syncvar_t* word_of(qthread_spinlock_t* l) noexcept {
  return reinterpret_cast<weft_syncvar_t*>(&l->lock.u);
}

int64_t owner_of(qthread_spinlock_t* l) noexcept {
  return __atomic_load_n(&l->state.s, __ATOMIC_RELAXED);
}

bool is_recursive(qthread_spinlock_t* l) noexcept {
  return owner_of(l) != QTHREAD_SPINLOCK_IS_NOT_RECURSIVE;
}

// A recursive lock that the caller holds: once more.
bool again(qthread_spinlock_t* l) noexcept {
  if (owner_of(l) != me()) return false;
  ++l->state.count;
  return true;
}

void locked(qthread_spinlock_t* l) noexcept {
  if (!is_recursive(l)) return;
  __atomic_store_n(&l->state.s, me(), __ATOMIC_RELAXED);
  l->state.count = 1;
}

// The locks that were declared at words. There are few, and asking costs one load while there are
// none.
class declared_locks {
 public:
  qthread_spinlock_t* find(const aligned_t* word) noexcept {
    if (count_.load(std::memory_order_acquire) == 0) return nullptr;
    bucket& b = bucket_of(word);
    const std::lock_guard held(b.lock);
    for (entry* e = b.first; e != nullptr; e = e->next)
      if (e->word == word) return &e->lock;
    return nullptr;
  }

  int declare(const aligned_t* word, bool recursive) noexcept {
    auto* made = new (std::nothrow) entry;
    if (made == nullptr) return QTHREAD_MALLOC_ERROR;
    made->word = word;
    qthread_spinlock_init(&made->lock, recursive);
    bucket& b = bucket_of(word);
    const std::lock_guard held(b.lock);
    for (entry* e = b.first; e != nullptr; e = e->next)
      if (e->word == word) {
        delete made;
        return QTHREAD_OPFAIL;
      }
    made->next = b.first;
    b.first = made;
    count_.fetch_add(1, std::memory_order_release);
    return QTHREAD_SUCCESS;
  }

  void forget(const aligned_t* word) noexcept {
    bucket& b = bucket_of(word);
    const std::lock_guard held(b.lock);
    for (entry** at = &b.first; *at != nullptr; at = &(*at)->next)
      if ((*at)->word == word) {
        entry* gone = *at;
        *at = gone->next;
        delete gone;
        count_.fetch_sub(1, std::memory_order_relaxed);
        return;
      }
  }

  // Around a fork of the process.
  void hold() noexcept {
    for (bucket& b : at_) b.lock.lock();
  }
  void let_go() noexcept {
    for (bucket& b : at_) b.lock.unlock();
  }

 private:
  struct entry {
    entry* next = nullptr;
    const aligned_t* word = nullptr;
    qthread_spinlock_t lock;
  };
  struct bucket {
    std::mutex lock;
    entry* first = nullptr;
  };
  static constexpr std::size_t buckets =
      16;  // held at once over a fork: a thread sanitizer follows 64 locks of a thread

  bucket& bucket_of(const aligned_t* word) noexcept {
    return at_[reinterpret_cast<uintptr_t>(word) / sizeof *word % buckets];
  }

  std::atomic<std::size_t> count_{0};
  bucket at_[buckets];
};

declared_locks declared;

}  // namespace

void hold_declared_locks() noexcept { declared.hold(); }
void let_declared_locks_go() noexcept { declared.let_go(); }

}  // namespace weft::qt

namespace qt = weft::qt;

int qthread_spinlock_init(qthread_spinlock_t* a, bool const is_recursive) {
  if (a == nullptr) return QTHREAD_BADARGS;
  a->lock.u = 0;
  a->state.s = is_recursive ? QTHREAD_SPINLOCK_IS_RECURSIVE : QTHREAD_SPINLOCK_IS_NOT_RECURSIVE;
  a->state.count = 0;
  return QTHREAD_SUCCESS;
}

int qthread_spinlock_destroy(qthread_spinlock_t* a) {
  return a != nullptr ? QTHREAD_SUCCESS : QTHREAD_BADARGS;
}

int qthread_spinlocks_init(qthread_spinlock_t* a, bool const is_recursive) {
  return qthread_spinlock_init(a, is_recursive);
}

int qthread_spinlocks_destroy(qthread_spinlock_t* a) { return qthread_spinlock_destroy(a); }

int qthread_spinlock_lock(qthread_spinlock_t* a) {
  if (a == nullptr) return QTHREAD_BADARGS;
  if (qt::again(a)) return QTHREAD_SUCCESS;
  weft_syncvar_t* word = qt::word_of(a);
  const int r = qt::try_then_wait([&] { return weft_syncvar_try_read_fe(word, nullptr); },
                                  [&] { return weft_syncvar_read_fe(word, nullptr); });
  if (r == QTHREAD_SUCCESS) qt::locked(a);
  return r;
}

// A result as of all functions for a recursive lock; 1 or 0 for another, as it always was.
int qthread_spinlock_trylock(qthread_spinlock_t* a) {
  if (a == nullptr) return QTHREAD_OPFAIL;
  if (qt::again(a)) return QTHREAD_SUCCESS;
  const bool recursive = qt::is_recursive(a);
  const bool taken = weft_syncvar_try_read_fe(qt::word_of(a), nullptr) == 0;
  if (taken) qt::locked(a);
  if (recursive) return taken ? QTHREAD_SUCCESS : QTHREAD_OPFAIL;
  return taken ? 1 : 0;
}

int qthread_spinlock_unlock(qthread_spinlock_t* a) {
  if (a == nullptr) return QTHREAD_BADARGS;
  if (qt::is_recursive(a)) {
    const int64_t owner = qt::owner_of(a);
    if (owner == QTHREAD_SPINLOCK_IS_RECURSIVE) return QTHREAD_SUCCESS;  // it is open
    if (owner != qt::me()) return QTHREAD_OPFAIL;
    if (--a->state.count != 0) return QTHREAD_SUCCESS;
    __atomic_store_n(&a->state.s, QTHREAD_SPINLOCK_IS_RECURSIVE, __ATOMIC_RELAXED);
  }
  return qt::result_of(weft_syncvar_fill(qt::word_of(a)));
}

int qthread_lock_init(aligned_t const* a, bool const is_recursive) {
  return a != nullptr ? qt::declared.declare(a, is_recursive) : QTHREAD_BADARGS;
}

int qthread_lock_destroy(aligned_t* a) {
  if (a == nullptr) return QTHREAD_BADARGS;
  qt::declared.forget(a);
  return QTHREAD_SUCCESS;
}

int qthread_lock(aligned_t const* a) {
  qthread_spinlock_t* l = qt::declared.find(a);
  return l != nullptr ? qthread_spinlock_lock(l) : qthread_readFE(nullptr, a);
}

int qthread_unlock(aligned_t const* a) {
  qthread_spinlock_t* l = qt::declared.find(a);
  return l != nullptr ? qthread_spinlock_unlock(l) : qthread_fill(a);
}

int qthread_trylock(aligned_t const* a) {
  qthread_spinlock_t* l = qt::declared.find(a);
  return l != nullptr ? qthread_spinlock_trylock(l) : qthread_readFE_nb(nullptr, a);
}
