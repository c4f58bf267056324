// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seldom ways to spawn: with attributes, many at once, from outside, child first.
#include "sched/spawn.hpp"

#include <cstring>

#include "mem/raw.hpp"
#include "sched/delivery.hpp"
#include "sched/extra.hpp"
#include "sched/hand_off.hpp"
#include "sched/pool.hpp"
#include "sched/presence.hpp"
#include "sched/switch.hpp"

namespace weft::rt {

namespace {

task* new_task(worker* w) noexcept {
  return w != nullptr ? w->tasks.get() : the().task_pool.get_shared();
}

void* argument_at(const spawn_row& row, std::size_t i) noexcept {
  return row.stride == 0 ? row.arguments : static_cast<char*>(row.arguments) + i * row.stride;
}

// The row's tasks, linked by next. Empty: there was no memory for all of them, and none is left.
ready_queue::chain chain_tasks(worker* w, const spawn_row& row, bool detached) noexcept {
  ready_queue::chain c;
  for (std::size_t i = 0; i < row.count; ++i) {
    task* t = new_task(w);
    if (t == nullptr) {
      while (c.first != nullptr) {
        task* after = c.first->next.get();
        release_task(w, c.first);
        c.first = after;
      }
      return {};
    }
    t->fn.set(row.fn);
    t->value.set(argument_at(row, i));
    t->site.set(row.site);
    t->next.set(nullptr);
    if (detached) t->join.start_detached();
    notes::release(t);
    if (c.first == nullptr) {
      c.first = t;
    } else {
      c.last->next.set(t);
    }
    c.last = t;
  }
  return c;
}

// The parent's rest goes to the end of the deque, where thieves find it.
void publish_parent(worker& w, task* parent, void*) noexcept {
  if (parent->on.get()->home.get() == no_worker) {
    parent->state.raise(flag_in_deque);
    if (w.deque.push(parent)) {
      w.deque.bar();  // a fork that has begun
      share_with_idle(w, 0);
      return;
    }
    parent->state.drop(flag_in_deque);
  }
  requeue(w, parent);  // it must stay here, or the deque cannot grow
}

// Whether the request asks for what few tasks need.
bool asks_for_extra(const spawn_request& request) noexcept {
  return request.copy_bytes != 0 || request.name != nullptr || request.key_words != 0 ||
         (request.where.pool != nullptr && request.where.pool->by_key());
}

// Whether the task may get its descriptor where it runs.
bool goes_by_value(const worker* w, const spawn_request& request, bool joinable) noexcept {
  const uint32_t there = request.where.worker;
  return there != no_worker && !joinable && (w == nullptr || w->index != there) &&
         (request.flags & flag_next) == 0 && !asks_for_extra(request);
}

// Fills in what it asks for; false: no memory, and release_task frees what was had.
WEFT_COLD bool furnish(task& t, void* argument, const spawn_request& request) noexcept {
  task_extra* x = extra_of(t);
  if (x == nullptr) return false;
  if (request.key_words != 0 && !set_key(*x, request.key, request.key_words)) return false;
  x->name.store_release(request.name);  // name_N1 -> name_N2
  t.value.set(argument);
  if (request.copy_bytes == 0) return true;
  x->copy = raw_alloc(request.copy_bytes);
  if (x->copy == nullptr) return false;
  x->copy_bytes = request.copy_bytes;
  std::memcpy(x->copy, argument, request.copy_bytes);
  t.value.set(x->copy);
  return true;
}

// A fresh task goes to the end of the worker's own deque. -ENOMEM: the deque could not grow. The
// handle is written before the task can run, which may look at it, and not where the spawn fails.
int submit(worker& w, task* t, task** out) noexcept {
  if (!w.deque.make_room()) return -ENOMEM;
  if (out != nullptr) *out = t;
  notes::release(t);
  t->set_place(w.deque.end());
  w.deque.push_into_room(t);
  share_with_idle(w, 0);
  return 0;
}

// Whether the worker that the request names, if any, is there. It is counted then.
bool bind_as_asked(worker* w, const spawn_request& request) noexcept {
  const uint32_t there = request.where.worker;
  return there == no_worker || try_bind_to(the().workers[there], w);
}

// What bind_as_asked() has counted is the task's; -ENOMEM: it is not any more.
int make_bound_task(worker* w, weft_fn_t fn, void* argument, void* site,
                    const spawn_request& request, bool detached, task*& out) noexcept {
  task* t = new_task(w);
  const auto fail = [&] {
    if (request.where.worker != no_worker) withdraw_from(the().workers[request.where.worker]);
    if (t != nullptr) release_task(w, t);
    return -ENOMEM;
  };
  if (t == nullptr) return fail();
  t->fn.set(fn);
  t->site.set(site);
  if (detached) t->join.start_detached();
  if (!asks_for_extra(request)) {
    t->value.set(argument);
  } else if (!furnish(*t, argument, request)) {
    return fail();
  }
  uint32_t flags = request.flags;
  uint32_t home = no_worker;
  if (request.where.worker != no_worker) {
    flags |= flag_pinned | flag_sticky;
    home = request.where.worker;
  } else if (request.where.shepherd != no_worker) {
    flags |= flag_placed;
    home = request.where.shepherd;
  } else if (request.where.pool != nullptr) {
    flags |= flag_placed | flag_pool;
    home = request.where.pool->number();
  }
  if (flags != 0) t->state.begin(flags, home);
  out = t;
  return 0;
}

}  // namespace

int spawn_slow(worker& w, weft_fn_t fn, void* argument, void* site, task** out) noexcept {
  task* t = w.tasks.get();
  if (t == nullptr) return -ENOMEM;
  t->fn.set(fn);
  t->value.set(argument);
  t->site.set(site);
  if (out == nullptr) t->join.start_detached();
  const int failed = submit(w, t, out);
  if (failed != 0) release_task(&w, t);
  return failed;
}

int make_task(worker* w, weft_fn_t fn, void* argument, void* site, const spawn_request& request,
              bool detached, task*& out) noexcept {
  if (!bind_as_asked(w, request)) return -ERANGE;
  return make_bound_task(w, fn, argument, site, request, detached, out);
}

void start_task(worker* w, task* t) noexcept {
  if (t->has(flag_next)) {
    notes::release(t);
    put_ahead(the().workers[t->state.home()], t);
  } else if (t->has(flag_pinned)) {
    send_pinned(w, t, t->state.home());
  } else if (const uint32_t home = home_of_fresh(t->state); home != no_worker) {
    notes::release(t);
    send_placed(w, t, home);
  } else if (w == nullptr || submit(*w, t, nullptr) != 0) {
    notes::release(t);
    send_anywhere(w, t, t);
  }
}

void unmake_task(worker* w, task* t) noexcept {
  if (t->has(flag_pinned)) withdraw_from(the().workers[t->state.home()]);
  release_task(w, t);
}

int spawn_with(worker* w, weft_fn_t fn, void* argument, void* site, const spawn_request& request,
               task** out) noexcept {
  if (!bind_as_asked(w, request)) return -ERANGE;  // it went since it was asked for
  if (w != nullptr) w->poll.begin();
  if (goes_by_value(w, request, out != nullptr) &&
      deliver(the().workers[request.where.worker], fn, argument, site, request.flags))
    return 0;
  task* t = nullptr;
  int failed = make_bound_task(w, fn, argument, site, request, out == nullptr, t);
  if (failed != 0) return failed;
  if (pool* into = request.where.pool) {
    if (out != nullptr) *out = t;
    notes::release(t);
    into->put(w, t);  // last use of *t
    return 0;
  }
  const bool goes_elsewhere = t->has(flag_pinned) || home_of_fresh(t->state) != no_worker;
  if (goes_elsewhere || w == nullptr) {
    if (out != nullptr) *out = t;
    start_task(w, t);
    return 0;
  }
  if (request.work_first && w->current.get() != nullptr && !w->current.get()->has(flag_stackless)) {
    notes::release(t);
    w->handover.set(t);
    task* const before = out != nullptr ? *out : nullptr;
    if (out != nullptr) *out = t;  // before it runs
    failed = park(*w, nullptr, publish_parent, nullptr);
    if (failed != 0) {
      w->handover.set(nullptr);
      if (out != nullptr) *out = before;
    }
  } else {
    failed = submit(*w, t, out);
  }
  if (failed != 0) {
    release_task(w, t);
  }
  return failed;
}

int spawn_many(worker* w, const spawn_row& row, task** out) noexcept {
  if (row.count == 0) return 0;
  // Chain them first, so that a lack of memory is known before any of them can run.
  ready_queue::chain tasks = chain_tasks(w, row, out == nullptr);
  if (tasks.first == nullptr) return -ENOMEM;
  if (out != nullptr)
    for (task* t = tasks.first; t != nullptr; t = t->next.get()) *out++ = t;
  if (w == nullptr) {
    send_anywhere(nullptr, tasks.first, tasks.last);
    return 0;
  }
  while (tasks.first != nullptr) {
    task* after = tasks.first->next.get();
    tasks.first->set_place(w->deque.end());
    if (!w->deque.push(
            tasks.first)) {  // no memory for a larger deque: the shepherd's inbox needs none
      tasks.first->next.set(after);
      send_anywhere(w, tasks.first, tasks.last);
      return 0;
    }
    tasks.first = after;
  }
  share_with_idle(*w, 0);
  return 0;
}

}  // namespace weft::rt
