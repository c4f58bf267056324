// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of a select that are no channels: ends of tasks, futures, semaphores, mutexes, words.
//
// Orders
//   H1 -> H2   the end of a task, which found the wait settled, is done with the listener
#include "sync/cases.hpp"

#include "base/atomic.hpp"
#include "base/check.hpp"
#include "sched/ending.hpp"
#include "sched/join.hpp"
#include "sched/spin.hpp"
#include "sync/future.hpp"
#include "sync/mutex.hpp"
#include "sync/recursion.hpp"
#include "sync/semaphore.hpp"
#include "sync/wait.hpp"
#include "sync/word.hpp"

namespace weft::rt {

namespace {

// --- the end of a task ---------------------------------------------------------------------------

struct join_waiter : waiter, end_listener, stay {
  join_waiter(wait& w, task& t) noexcept
      : waiter(w), end_listener{heard_end}, stay(heard_stop), of_task(t) {}

  // In the task's end. The flow cannot leave before it has returned.
  static void heard_end(end_listener& l) noexcept {
    auto& me = static_cast<join_waiter&>(l);
    if (me.of->claim()) {
      me.chosen = true;
      me.of->wake();  // last use of me
    } else {
      me.told.store_release(1);  // H1 -> H2
    }
  }

  // Of a thread outside: weft_stop abandons the task.
  static void heard_stop(stay& s) noexcept {
    auto& me = static_cast<join_waiter&>(s);
    if (stop_listening(me.of_task, me)) heard_end(me);
  }

  task& of_task;
  atomic<uint32_t> told{0};
};

task* task_of(weft_case_t& c) noexcept { return static_cast<task*>(c.object); }

bool join_now(weft_case_t& c) noexcept {
  return settled_by(c, try_join(task_of(c), static_cast<void**>(c.into)));
}

stood stand_join(weft_case_t& c, wait& w) noexcept {
  auto& me = make_waiter<join_waiter>(c, w, *task_of(c));
  const bool may_listen = w.of_task() || me.enter();  // else Weft does not run
  if (may_listen && listen_to_end(*task_of(c), me)) return stood::queued;
  me.leave();
  return take_if_claimed(w, [&] { return join_now(c); });
}

void leave_join(weft_case_t& c) noexcept {
  auto& me = waiter_of<join_waiter>(c);
  if (!stop_listening(*task_of(c), me))
    for (unsigned spun = 0; me.told.load_acquire() == 0; ++spun) spin_pause(spun);  // H2 <- H1
  me.leave();
}

bool finish_join(weft_case_t& c) noexcept {
  waiter_of<join_waiter>(c).leave();
  return join_now(c);
}

// --- futures -------------------------------------------------------------------------------------

future& future_of(weft_case_t& c) noexcept { return *static_cast<future*>(c.object); }

bool read_future(weft_case_t& c) noexcept {
  c.result = future_of(c).read(static_cast<void**>(c.into));
  return true;
}

bool future_now(weft_case_t& c) noexcept { return future_of(c).is_given() && read_future(c); }

stood stand_future(weft_case_t& c, wait& w) noexcept {
  if (future_of(c).stand(make_waiter<waiter>(c, w))) return stood::queued;
  return take_if_claimed(w, [&] { return read_future(c); });
}

void leave_future(weft_case_t& c) noexcept { future_of(c).leave(waiter_of<waiter>(c)); }

// --- semaphores ----------------------------------------------------------------------------------

semaphore& semaphore_of(weft_case_t& c) noexcept { return *static_cast<semaphore*>(c.object); }

bool semaphore_now(weft_case_t& c) noexcept {
  return settled_by(c, semaphore_of(c).try_take() ? 0 : -EBUSY);
}

stood stand_semaphore(weft_case_t& c, wait& w) noexcept {
  if (semaphore_of(c).stand(make_waiter<waiter>(c, w))) return stood::queued;
  return take_if_claimed(w, [&] { return semaphore_now(c); });
}

void leave_semaphore(weft_case_t& c) noexcept { semaphore_of(c).leave(waiter_of<waiter>(c)); }

bool was_given_unit(weft_case_t& c) noexcept {
  c.result = 0;
  return true;
}

// --- mutexes -------------------------------------------------------------------------------------

mutex& mutex_of(weft_case_t& c) noexcept { return *static_cast<mutex*>(c.object); }

bool mutex_now(weft_case_t& c) noexcept {
  mutex& m = mutex_of(c);
  return settled_by(c, m.is_recursive() ? try_lock_recursive(m) : m.try_lock() ? 0 : -EBUSY);
}

stood stand_mutex(weft_case_t& c, wait& w) noexcept {
  auto& me = make_waiter<mutex::locker>(c, w);
  me.passed_over = place_of(c).passes;
  if (mutex_of(c).stand(me)) return stood::queued;
  return take_if_claimed(w, [&] { return mutex_now(c); });
}

void leave_mutex(weft_case_t& c) noexcept { mutex_of(c).leave(waiter_of<mutex::locker>(c)); }

bool take_up_mutex(weft_case_t& c) noexcept {
  auto& me = waiter_of<mutex::locker>(c);
  const bool taken = mutex_of(c).take_up(me);
  place_of(c).passes = static_cast<uint8_t>(me.passed_over);  // few: see mutex::patience
  if (!taken) return false;
  own_again(mutex_of(c), 1);
  c.result = 0;
  return true;
}

// --- words ---------------------------------------------------------------------------------------

uint64_t* word_of(weft_case_t& c) noexcept { return static_cast<uint64_t*>(c.object); }
uint64_t* place_for(weft_case_t& c) noexcept { return static_cast<uint64_t*>(c.into); }
uint64_t to_write(const weft_case_t& c) noexcept { return static_cast<uint64_t>(c.argument); }

template <word_want Want>
bool word_now(weft_case_t& c) noexcept {
  if constexpr (Want == word_want::read_ff)
    return settled_by(c, word_read_ff(word_of(c), place_for(c), at_once, nullptr));
  else if constexpr (Want == word_want::read_fe)
    return settled_by(c, word_read_fe(word_of(c), place_for(c), at_once, nullptr));
  else
    return settled_by(c, word_write_ef(word_of(c), to_write(c), at_once, nullptr));
}

template <word_want Want>
stood stand_word(weft_case_t& c, wait& w) noexcept {
  const int failed = word_stand(word_of(c), make_waiter<word_waiter>(c, w, Want, to_write(c)));
  if (failed == 0) return stood::queued;
  return take_if_claimed(w, [&] {
    if (failed == -EALREADY) return word_now<Want>(c);
    c.result = failed;
    return true;
  });
}

void leave_word(weft_case_t& c) noexcept { word_leave(word_of(c), waiter_of<word_waiter>(c)); }

template <word_want Want>
bool finish_word(weft_case_t& c) noexcept {
  c.result = 0;
  if (wants_value(Want)) give_read(waiter_of<word_waiter>(c).value, word_of(c), place_for(c));
  return true;
}

template <word_want Want>
constexpr select_ops word_case() noexcept {
  return {.try_now = word_now<Want>,
          .stand = stand_word<Want>,
          .leave = leave_word,
          .finish = finish_word<Want>};
}

}  // namespace

const select_ops join_case = {
    .try_now = join_now, .stand = stand_join, .leave = leave_join, .finish = finish_join};
const select_ops future_case = {
    .try_now = future_now, .stand = stand_future, .leave = leave_future, .finish = read_future};
const select_ops semaphore_case = {.try_now = semaphore_now,
                                   .stand = stand_semaphore,
                                   .leave = leave_semaphore,
                                   .finish = was_given_unit};
const select_ops mutex_case = {
    .try_now = mutex_now, .stand = stand_mutex, .leave = leave_mutex, .finish = take_up_mutex};
const select_ops read_ff_case = word_case<word_want::read_ff>();
const select_ops read_fe_case = word_case<word_want::read_fe>();
const select_ops write_ef_case = word_case<word_want::write_ef>();

}  // namespace weft::rt
