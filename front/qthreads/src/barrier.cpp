// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers: those of Weft.
#include <atomic>
#include <cstdio>
#include <new>
#include <qthread/barrier.h>
#include <qthread/feb_barrier.h>

#include <weft/sync.h>

#include "waiting.hpp"

struct qt_barrier_s {
  weft_barrier_t barrier;
  size_t size;
};

namespace {

std::atomic<qt_barrier_t*> of_the_program{nullptr};

}  // namespace

qt_barrier_t* qt_barrier_create(size_t max_threads, qt_barrier_btype /*type*/) {
  if (max_threads == 0 || max_threads > UINT32_MAX) return nullptr;
  auto* b = new (std::nothrow) qt_barrier_s;
  if (b == nullptr) return nullptr;
  b->size = max_threads;
  if (weft_barrier_init(&b->barrier, static_cast<uint32_t>(max_threads)) == 0) return b;
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
  if (size == 0 || size > UINT32_MAX) return;
  if (weft_barrier_init(&b->barrier, static_cast<uint32_t>(size)) == 0) b->size = size;
}

void qt_barrier_dump(qt_barrier_t* b, qt_barrier_dtype /*dt*/) {
  std::fprintf(stderr, "QTHREADS: a barrier of %zu\n", b->size);
}

qt_barrier_t* qt_get_barrier(void) { return of_the_program.load(std::memory_order_acquire); }

void qt_set_barrier(qt_barrier_t* b) { of_the_program.store(b, std::memory_order_release); }

qt_feb_barrier_t* qt_feb_barrier_create(size_t max_threads) {
  return qt_barrier_create(max_threads, REGION_BARRIER);
}

void qt_feb_barrier_enter(qt_feb_barrier_t* b) { qt_barrier_enter(b); }

void qt_feb_barrier_resize(qt_feb_barrier_t* b, size_t new_size) { qt_barrier_resize(b, new_size); }

void qt_feb_barrier_destroy(qt_feb_barrier_t* b) { qt_barrier_destroy(b); }
