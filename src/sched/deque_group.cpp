// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deques of a group of workers: lists, the test, and in which order they are gone over.
#include "sched/deque_group.hpp"

#include <new>

#include "mem/raw.hpp"
#include "sched/near.hpp"
#include "sched/scheduler.hpp"

namespace weft::rt {

namespace {

// A task's two neighbours in one word: who comes from one of them is led to the other.
task* both(const task* a, const task* b) noexcept {
  return reinterpret_cast<task*>(reinterpret_cast<uintptr_t>(a) ^ reinterpret_cast<uintptr_t>(b));
}
task* beyond(const task* t, const task* before) noexcept { return both(t->next.get(), before); }
void relink(task* t, const task* was, const task* is) noexcept {
  t->next.set(both(t->next.get(), both(was, is)));
}

}  // namespace

void deque_group::list::push(task* t) noexcept {
  t->next.set(newest);
  if (newest != nullptr) {
    relink(newest, nullptr, t);
  } else {
    oldest = t;
  }
  newest = t;
}

void deque_group::list::remove(task* t, task* before, end from) noexcept {
  task* after = beyond(t, before);
  task*& here = from == end::newest ? newest : oldest;
  task*& there = from == end::newest ? oldest : newest;
  if (before != nullptr) {
    relink(before, t, after);
  } else {
    here = after;
  }
  if (after != nullptr) {
    relink(after, t, before);
  } else {
    there = before;
  }
}

deque_group::deque_group(int (*admit)(void*, const weft_candidate_t*), void* state,
                         uint32_t count) noexcept
    : admit_(admit), state_(state), outside_(count) {
  for (uint32_t i = 0; i <= outside_; ++i) new (deques() + i) one;
}

deque_group* deque_group::make(int (*admit)(void*, const weft_candidate_t*), void* state) noexcept {
  const uint32_t workers = the().count;
  void* memory = raw_alloc(bytes_for(workers + 1));
  return memory != nullptr ? new (memory) deque_group(admit, state, workers) : nullptr;
}

void deque_group::release(deque_group* g) noexcept {
  if (g != nullptr) raw_free(g, bytes_for(g->outside_ + 1));
}

bool deque_group::admits(const worker& w, uint32_t from, const task& t) const noexcept {
  if (admit_ == nullptr) return true;
  const bool begun = t.on.get() != nullptr;
  weft_candidate_t candidate{};
  candidate.size = sizeof candidate;
  candidate.task = reinterpret_cast<weft_task_t>(const_cast<task*>(&t));
  candidate.arg = begun ? nullptr : t.argument();
  candidate.record = begun ? t.record() : nullptr;
  candidate.worker = w.index;
  candidate.from = from != outside_ ? from : WEFT_ANYWHERE;
  candidate.begun = begun;
  return admit_(state_, &candidate) != 0;
}

task* deque_group::find(const worker& w, uint32_t from, const list& in, end first,
                        task*& before) const noexcept {
  before = nullptr;
  for (task* t = first == end::newest ? in.newest : in.oldest; t != nullptr;) {
    if (admits(w, from, *t)) return t;
    task* after = beyond(t, before);
    before = t;
    t = after;
  }
  return nullptr;
}

task* deque_group::take_out(const worker& w, uint32_t from, list& of, end first) const noexcept {
  task* before = nullptr;
  task* t = find(w, from, of, first, before);
  if (t != nullptr) of.remove(t, before, first);
  return t;
}

void deque_group::put(const worker* w, task* t, bool last) noexcept {
  one& d = deques()[w != nullptr ? w->index : outside_];
  d.lock.lock();
  (last ? d.yielded : d.ready).push(t);
  d.held.store_relaxed(d.held.load_relaxed() + 1);  // own: under the lock
  d.lock.unlock();
}

task* deque_group::take_from(const worker& w, uint32_t from) noexcept {
  one& d = deques()[from];
  if (d.held.load_relaxed() == 0) return nullptr;  // hint: who puts calls a server
  d.lock.lock();
  const bool own = from == w.index;
  const uint32_t turn = own ? ++d.taken : 0;
  const bool fair = own && turn % fair_pick_every == 0;
  task* t = nullptr;
  if (fair && turn / fair_pick_every % 2 != 0) t = take_out(w, from, d.yielded, end::oldest);
  if (t == nullptr) t = take_out(w, from, d.ready, own && !fair ? end::newest : end::oldest);
  if (t == nullptr) t = take_out(w, from, d.yielded, end::oldest);
  if (t != nullptr) d.held.store_relaxed(d.held.load_relaxed() - 1);  // own: under the lock
  d.lock.unlock();
  return t;
}

template <class What>
bool deque_group::any_deque_near(const worker& w, What&& what) noexcept {
  if (what(w.index)) return true;
  return any_worker_near(w.herd, w.index - w.herd.first + 1,
                         [&](const worker& v) { return v.index != w.index && what(v.index); }) ||
         what(outside_);
}

task* deque_group::take(worker& w) noexcept {
  task* t = nullptr;
  (void)any_deque_near(w, [&](uint32_t from) {
    t = take_from(w, from);
    if (t != nullptr && from != w.index && from != outside_) count_one(w.steals);
    return t != nullptr;
  });
  return t;
}

bool deque_group::holds_for(const worker& w) noexcept {
  return any_deque_near(w, [&](uint32_t from) {
    one& d = deques()[from];
    if (d.held.load_relaxed() == 0) return false;  // hint: after a barrier, as said
    if (admit_ == nullptr) return true;
    d.lock.lock();
    task* before = nullptr;
    const bool found = find(w, from, d.ready, end::oldest, before) != nullptr ||
                       find(w, from, d.yielded, end::oldest, before) != nullptr;
    d.lock.unlock();
    return found;
  });
}

uint32_t deque_group::size() const noexcept {
  uint32_t all = 0;
  for (uint32_t i = 0; i <= outside_; ++i)
    all += deques()[i].held.load_relaxed();  // hint: after a barrier, or a report
  return all;
}

}  // namespace weft::rt
