// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/embed.h.
#include <cerrno>
#include <new>

#include <weft/embed.h>

#include "api/handle.hpp"
#include "api/request.hpp"
#include "base/attributes.hpp"
#include "boot/boot.hpp"
#include "sched/guest.hpp"
#include "sched/hand_off.hpp"
#include "sched/outside.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"
#include "sync/producer.hpp"
#include "sync/word_visit.hpp"

namespace rt = weft::rt;

static_assert(sizeof(rt::word_producer) <= sizeof(weft_producer_t) &&
              alignof(rt::word_producer) <= alignof(weft_producer_t));

namespace {

constexpr int64_t most_spin_ns = 1'000'000'000;

bool bad(const uint64_t* word) noexcept {
  return word == nullptr || reinterpret_cast<uintptr_t>(word) % sizeof *word != 0;
}

WEFT_COLD int spawn_producer_as_asked(weft_fn_t fn, void* arg, void* site,
                                      const weft_spawn_t* spawn, uint64_t* word,
                                      weft_producer_t* producer) noexcept {
  rt::spawn_request request;
  const int wrong = rt::read_request(spawn, arg, request);
  if (wrong != 0) return wrong;
  if (request.work_first) return -EINVAL;
  int failed = rt::boot::ensure_started();
  if (failed == 0) failed = rt::look_up(rt::self(), request.where);
  if (failed != 0) return failed;
  return rt::spawn_producer(rt::self(), fn, arg, site, request, word, producer);
}

// By a thread that is no worker; as the functions of the same names in the interface.
WEFT_COLD int spawn_for_from_outside(weft_fn_t fn, void* arg, void* origin, void* object) noexcept {
  const int failed = rt::boot::ensure_started();
  return failed != 0 ? failed : rt::spawn_for_slow(rt::self(), fn, arg, origin, object);
}

WEFT_COLD int spawn_filler_from_outside(weft_fn_t fn, void* arg, void* origin,
                                        uint64_t* word) noexcept {
  const int failed = rt::boot::ensure_started();
  return failed != 0 ? failed : rt::spawn_filler_slow(rt::self(), fn, arg, origin, word);
}

// Whether the calling thread runs a task, or is a worker.
bool runs_tasks() noexcept { return rt::self() != nullptr || rt::visited() != nullptr; }

}  // namespace

int weft_task_set_record(void* record) {
  rt::task* const me = rt::this_task();
  if (me == nullptr) return -EPERM;
  me->set_record(record);
  return 0;
}

void* weft_task_record(void) {
  const rt::task* me = rt::this_task();
  return me != nullptr ? me->record() : nullptr;
}

__attribute__((noinline)) int weft_task_spawn_producer(weft_fn_t fn, void* arg,
                                                       const weft_spawn_t* spawn, uint64_t* word,
                                                       weft_producer_t* producer) {
  if (fn == nullptr || bad(word) || producer == nullptr) [[unlikely]]
    return -EINVAL;
  if (rt::worker* w = rt::self(); w != nullptr && spawn == nullptr) [[likely]]
    return rt::spawn_producer(w, fn, arg, WEFT_CALL_SITE, word, producer);
  return spawn_producer_as_asked(fn, arg, WEFT_CALL_SITE, spawn, word, producer);
}

int weft_task_spawn_for(weft_fn_t fn, void* arg, void* origin, void* object) {
  if (fn == nullptr || reinterpret_cast<uintptr_t>(object) % 8 != 0) [[unlikely]]
    return -EINVAL;
  if (rt::worker* w = rt::self(); w != nullptr) [[likely]]
    return rt::spawn_for(w, fn, arg, origin, object);
  return spawn_for_from_outside(fn, arg, origin, object);
}

int weft_task_spawn_filler(weft_fn_t fn, void* arg, void* origin, uint64_t* word) {
  if (fn == nullptr || bad(word)) [[unlikely]]
    return -EINVAL;
  if (rt::worker* w = rt::self(); w != nullptr) [[likely]]
    return rt::spawn_filler(w, fn, arg, origin, word);
  return spawn_filler_from_outside(fn, arg, origin, word);
}

void* weft_task_origin(void** object) {
  const rt::task* const me = rt::this_task();
  if (object != nullptr)
    *object = me != nullptr ? reinterpret_cast<void*>(me->join.object()) : nullptr;
  return me != nullptr ? me->site.get() : nullptr;
}

int weft_word_write_last(uint64_t* word, uint64_t value) {
  return bad(word) ? -EINVAL : rt::word_write_last(word, value);
}

__attribute__((noinline)) int weft_word_read_ff_noted(const uint64_t* word, uint64_t* out,
                                                      weft_wait_note_t note) {
  if (bad(word) || note == nullptr) [[unlikely]]
    return -EINVAL;
  return rt::word_read_ff(word, out, rt::forever, WEFT_CALL_SITE, note);
}

__attribute__((noinline)) int weft_word_read_fe_noted(uint64_t* word, uint64_t* out,
                                                      weft_wait_note_t note) {
  if (bad(word) || note == nullptr) [[unlikely]]
    return -EINVAL;
  return rt::word_read_fe(word, out, rt::forever, WEFT_CALL_SITE, note);
}

__attribute__((noinline)) int weft_word_write_ef_noted(uint64_t* word, uint64_t value,
                                                       weft_wait_note_t note) {
  if (bad(word) || note == nullptr) [[unlikely]]
    return -EINVAL;
  return rt::word_write_ef(word, value, rt::forever, WEFT_CALL_SITE, note);
}

__attribute__((noinline)) int weft_word_fill_ef_noted(uint64_t* word, weft_wait_note_t note) {
  if (bad(word) || note == nullptr) return -EINVAL;
  return rt::word_fill_ef(word, rt::forever, WEFT_CALL_SITE, note);
}

int weft_word_try_fill_ef(uint64_t* word) {
  return bad(word) ? -EINVAL : rt::word_fill_ef(word, rt::at_once, nullptr);
}

int weft_word_visit_waiters(weft_word_visit_t visit, void* arg) {
  if (visit == nullptr) return -EINVAL;
  rt::visit_word_waiters([=](const rt::waiting_at_word& w) {
    const rt::task& t = *w.who;
    const weft_word_waiter_t shown{
        .word = w.word,
        .record = t.record(),
        .fn = w.begun ? nullptr : t.fn.get(),
        .arg = w.begun ? nullptr : t.argument(),
        .is_syncvar = w.is_syncvar,
    };
    visit(&shown, arg);
  });
  return 0;
}

int weft_word_produce(uint64_t* word, weft_producer_t* producer, uint64_t value) {
  if (bad(word) || producer == nullptr) return -EINVAL;
  auto* named = std::launder(reinterpret_cast<rt::word_producer*>(producer));
  return rt::word_produce(word, *named, value);
}

int weft_word_disown(uint64_t* word, weft_producer_t* producer) {
  if (bad(word) || producer == nullptr) return -EINVAL;
  rt::word_disown(word, *std::launder(reinterpret_cast<rt::word_producer*>(producer)));
  return 0;
}

int weft_task_hand_off(weft_task_t task, uint32_t worker) {
  if (!rt::boot::running()) return -ENOTCONN;
  if (worker >= rt::the().count) return -ERANGE;
  return rt::hand_off(rt::from_handle(task), rt::the().workers[worker]);
}

__attribute__((noinline)) int weft_task_leave(weft_leave_t give, void* arg) {
  if (give == nullptr) return -EINVAL;
  struct gift {
    weft_leave_t give;
    void* arg;
  } g{give, arg};
  const auto hand_over = [](rt::task* t, void* argument) noexcept {
    const gift given = *static_cast<gift*>(argument);
    given.give(t, given.arg);
  };
  return rt::leave_workers(hand_over, &g, WEFT_CALL_SITE);
}

int weft_task_visit(void* task) {
  if (task == nullptr) return -EINVAL;
  if (rt::self() != nullptr || rt::visited() != nullptr) return -EPERM;
  rt::visit(*static_cast<rt::task*>(task));
  return 0;
}

int weft_task_return(void) { return rt::return_to_workers(); }

int weft_worker_set_spin(uint32_t worker, int64_t spin_ns) {
  if (!rt::boot::running()) return -ENOTCONN;
  if (spin_ns < WEFT_SPIN_DEFAULT || spin_ns > most_spin_ns) return -EINVAL;
  const bool all = worker == WEFT_ANYWHERE;
  if (!all && worker >= rt::the().count) return -ERANGE;
  const int64_t ns = spin_ns != WEFT_SPIN_DEFAULT ? spin_ns : rt::the().spin_ns;
  for (uint32_t i = all ? 0 : worker; i < (all ? rt::the().count : worker + 1); ++i)
    rt::the().workers[i].spin_ns.store_relaxed(ns);  // hint: see spin_of
  return 0;
}

int64_t weft_worker_spin(uint32_t worker) {
  if (!rt::boot::running()) return -ENOTCONN;
  if (worker >= rt::the().count) return -ERANGE;
  return rt::the().workers[worker].spin_ns.load_relaxed();  // hint: see spin_of
}

int weft_guest_begin(uint32_t worker) { return runs_tasks() ? -EPERM : rt::begin_guest(worker); }

int weft_guest_end(void) { return rt::end_guest(); }

int weft_worker_carry(uint32_t worker) { return runs_tasks() ? -EPERM : rt::carry(worker); }
