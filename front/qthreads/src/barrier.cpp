// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers: those of Weft.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <new>
#include <qthread/barrier.h>
#include <qthread/feb_barrier.h>
#include <qthread/tls.h>

#include <weft/sync.h>

#include "waiting.hpp"

struct qt_barrier_s {
  weft_barrier_t barrier;
  size_t size;
};

namespace {

// One that is made for nobody lets everybody through: its size comes later.
bool set_size(qt_barrier_t& b, size_t size) noexcept {
  if (size > UINT32_MAX) return false;
  const auto parties = static_cast<uint32_t>(std::max<size_t>(size, 1));
  if (weft_barrier_init(&b.barrier, parties) != 0) return false;
  b.size = size;
  return true;
}

// Of what a task was given by qt_set_barrier. Null until there was memory and a slot for it.
constinit std::atomic<qthread_key_t> of_tasks{nullptr};

// Without a lock or a guard, which would stay held in a child that another thread forks meanwhile:
// of two that make it at once, one's is dropped.
qthread_key_t key() noexcept {
  qthread_key_t first = of_tasks.load(std::memory_order_acquire);
  qthread_key_t made = nullptr;
  if (first != nullptr || qthread_key_create(&made, nullptr) != 0) return first;
  if (of_tasks.compare_exchange_strong(first, made, std::memory_order_acq_rel)) return made;
  (void)qthread_key_delete(made);
  return first;
}

}  // namespace

qt_barrier_t* qt_barrier_create(size_t max_threads, qt_barrier_btype /*type*/) {
  auto* b = new (std::nothrow) qt_barrier_s;
  if (b == nullptr || set_size(*b, max_threads)) return b;
  delete b;
  return nullptr;
}

void qt_barrier_enter(qt_barrier_t* b) {
  weft::qt::wait_surely([&] { return weft_barrier_try_wait(&b->barrier); },
                        [&] { return weft_barrier_wait(&b->barrier); });
  weft::qt::end_where_team_is_over();
}

void qt_barrier_enter_id(qt_barrier_t* b, size_t /*id*/) { qt_barrier_enter(b); }

void qt_barrier_destroy(qt_barrier_t* b) { delete b; }

void qt_barrier_resize(qt_barrier_t* b, size_t size) {
  if (b != nullptr) set_size(*b, size);
}

void qt_barrier_dump(qt_barrier_t* b, qt_barrier_dtype /*dt*/) {
  std::fprintf(stderr, "QTHREADS: a barrier of %zu\n", b->size);
}

qt_barrier_t* qt_get_barrier(void) {
  return static_cast<qt_barrier_t*>(qthread_getspecific(key()));
}

void qt_set_barrier(qt_barrier_t* b) { (void)qthread_setspecific(key(), b); }

qt_feb_barrier_t* qt_feb_barrier_create(size_t max_threads) {
  return qt_barrier_create(max_threads, REGION_BARRIER);
}

void qt_feb_barrier_enter(qt_feb_barrier_t* b) { qt_barrier_enter(b); }

void qt_feb_barrier_resize(qt_feb_barrier_t* b, size_t new_size) { qt_barrier_resize(b, new_size); }

void qt_feb_barrier_destroy(qt_feb_barrier_t* b) { qt_barrier_destroy(b); }
