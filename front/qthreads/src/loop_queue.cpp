// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose blocks workers take as they come.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <qthread/qloop.h>

#include <weft/time.h>

#include "loop.hpp"
#include "passed_enum.hpp"

struct qqloop_handle_s {
  qt_loop_queue_type type;
  std::size_t stop, incr;
  qt_loop_f func;
  qt_loop_step_f step_func;  // if not null, called instead, for each step
  void* arg;
  std::atomic<std::size_t> next;
  std::atomic<std::size_t> chunk;  // CHUNK: of each block; TIMED: the least that takes long enough
  weft::qt::task_group group;
};

namespace weft::qt {

namespace {

// A block of a TIMED loop shall take so long, or more: many times what taking one costs.
constexpr int64_t worth_taking_ns = 20'000;

std::size_t block_size(const qqloop_handle_t& l, std::size_t left, std::size_t workers) noexcept {
  std::size_t n = 0;
  switch (l.type) {
    case CHUNK:
      n = l.chunk.load(std::memory_order_relaxed);
      break;
    case GUIDED:
      n = left / workers;
      break;
    case FACTORED:
      n = left / (2 * workers);
      break;
    case TIMED:
      n = std::max(left / (2 * workers), l.chunk.load(std::memory_order_relaxed));
      break;
  }
  n = std::clamp<std::size_t>(n, 1, left);
  const std::size_t beyond = n % l.incr;  // of the last whole step
  return beyond == 0 ? n : n + std::min(l.incr - beyond, left - n);
}

bool take(qqloop_handle_t& l, std::size_t& from, std::size_t& to) noexcept {
  const std::size_t workers = std::max<std::size_t>(1, qthread_num_workers());
  from = l.next.load(std::memory_order_relaxed);
  do {
    if (from >= l.stop) return false;
    to = from + block_size(l, l.stop - from, workers);
  } while (!l.next.compare_exchange_weak(from, to, std::memory_order_relaxed));
  return true;
}

void call(const qqloop_handle_t& l, std::size_t from, std::size_t to) noexcept {
  if (l.step_func == nullptr) return l.func(from, to, l.arg);
  for (std::size_t i = from; i < to; i += std::min(l.incr, to - i)) l.step_func(l.arg);
}

void work(qqloop_handle_t& l) noexcept {
  std::size_t from, to;
  while (take(l, from, to)) {
    if (l.type != TIMED) {
      call(l, from, to);
      continue;
    }
    const int64_t began = weft_time_now_ns();
    call(l, from, to);
    const int64_t took = weft_time_now_ns() - began;
    if (took < worth_taking_ns)
      l.chunk.store(2 * (to - from), std::memory_order_relaxed);
    else if (took > 4 * worth_taking_ns)
      l.chunk.store((to - from) / 2, std::memory_order_relaxed);
  }
}

aligned_t run(void* arg) {
  auto& l = **static_cast<qqloop_handle_t**>(arg);
  work(l);
  return 0;
}

void finish(qqloop_handle_t* l) noexcept {
  l->group.wait();
  delete l;
}

qqloop_handle_t* create(qt_loop_queue_type type, std::size_t start, std::size_t stop,
                        std::size_t incr, qt_loop_f func, qt_loop_step_f step_func,
                        void* argptr) noexcept {
  auto* l = new (std::nothrow) qqloop_handle_s;
  if (l == nullptr) return nullptr;
  l->type = type;
  l->stop = stop;
  l->incr = std::max<std::size_t>(1, incr);
  l->func = func;
  l->step_func = step_func;
  l->arg = argptr;
  l->next.store(start, std::memory_order_relaxed);
  l->chunk.store(1, std::memory_order_relaxed);
  return l;
}

}  // namespace

}  // namespace weft::qt

namespace qt = weft::qt;

qqloop_handle_t* qt_loop_queue_create(qt_loop_queue_type const type, size_t const start,
                                      size_t const stop, size_t const incr, qt_loop_f const func,
                                      void* const argptr) {
  if (func == nullptr || qt::number_of(type) > TIMED) return nullptr;
  return qt::create(type, start, stop, incr, func, nullptr, argptr);
}

qqloop_step_handle_t* qt_loop_step_queue_create(qt_loop_queue_type const type, size_t start,
                                                size_t stop, size_t incr, qt_loop_step_f func,
                                                void* argptr) {
  if (func == nullptr || qt::number_of(type) > TIMED) return nullptr;
  qqloop_handle_t* const l = qt::create(type, start, stop, incr, nullptr, func, argptr);
  return reinterpret_cast<qqloop_step_handle_t*>(l);
}

void qt_loop_queue_setchunk(qqloop_handle_t* l, size_t chunk) {
  if (l != nullptr && chunk != 0) l->chunk.store(chunk, std::memory_order_relaxed);
}

void qt_loop_queue_run(qqloop_handle_t* loop) {
  if (loop == nullptr) return;
  const std::size_t workers = qt::parts_of(SIZE_MAX);
  {
    const qt::stays_on here;
    qt::for_parts(0, workers, workers,
                  [&](std::size_t, std::size_t, std::size_t) { qt::work(*loop); });
    qt::finish(loop);
  }
  qt::end_where_team_is_over();
}

void qt_loop_queue_run_there(qqloop_handle_t* loop, qthread_shepherd_id_t shep) {
  if (loop == nullptr) return;
  {
    const qt::stays_on here;
    if (!loop->group.fork(qt::run, loop, shep)) qt::work(*loop);
    qt::finish(loop);
  }
  qt::end_where_team_is_over();
}

void qt_loop_queue_addworker(qqloop_handle_t* loop, qthread_shepherd_id_t const shep) {
  if (loop != nullptr) loop->group.fork(qt::run, loop, shep);
}
