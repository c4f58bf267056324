// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forking a task: a task of Weft that runs it, with a record on its own stack or, for more than
// most programs ask for, from the pool; and its end.
#include "spawn.hpp"

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <qthread/io.h>
#include <qthread/sinc.h>

#include <weft/task.h>
#include <weft/word.h>

#include "group.hpp"
#include "io_pool.hpp"
#include "places.hpp"
#include "polling.hpp"
#include "runtime.hpp"
#include "sinc.hpp"
#include "team.hpp"
#include "waiting.hpp"

namespace weft::qt {

namespace {

void post_own(forked_record& me, aligned_t value) noexcept {
  if (me.produces) {
    weft_word_produce(static_cast<uint64_t*>(me.ret), &me.producer, value);
  } else {
    post(me.ret_is, me.ret, value);
  }
}

void end_member(forked_record& me, aligned_t value) noexcept {
  team& in = *me.in;
  if (me.sections != 0) {
    me.sections = 1;  // it has left those that it did not end
  } else if (!enter_section(me)) {
    post_nothing(me);
    return;
  }
  if (me.had_eureka) {
    post(in.ret_is, in.ret, value);
    in.ret_is = ret_kind::none;
    post_nothing(me);
  } else if (me.leads) {
    in.value = value;
  } else {
    post_own(me, value);
  }
  leave_section(me);
}

void end_task(forked_record* me, aligned_t value) noexcept {
  set_task_record(nullptr);  // what runs at the task's end finds it gone
  busy.add(-1);
  team* const in = me->in;
  if (in != nullptr) {
    end_member(*me, value);
  } else {
    post_own(*me, value);
  }
  const uint64_t outlived = me->outlived;
  free_record(me);
  if (in != nullptr) leave_team(in, outlived);
}

// The words that must be full first, where the task looks for that itself.
void await_words(const forked_record& me) noexcept {
  for (std::size_t i = 0; i < me.await_count; ++i) {
    aligned_t* const word = me.awaits[i];
    wait_surely([&] { return weft_word_try_read_ff(word, nullptr); },
                [&] { return weft_word_read_ff(word, nullptr); });
    end_where_team_is_over();
  }
}

// A task ends among the workers.
[[gnu::cold, gnu::noinline]] void end_actions(record& me) noexcept {
  me.actions = 1;
  qt_end_blocking_action();
}

// A member of a team may have to end early; then its value is 0.
aligned_t run_member(forked_record& me) noexcept {
  std::jmp_buf leave;
  me.leave = &leave;
  if (setjmp(leave) == 0 && !is_over(me)) {
    await_words(me);
    const aligned_t value = me.f(me.arg);
    if (me.actions != 0) end_actions(me);  // who comes back may end there: by way of this frame
    return value;
  }
  return 0;  // end_member() sees why
}

void* run(void* argument) noexcept {
  auto* me = static_cast<forked_record*>(argument);
  set_task_record(me);
  const aligned_t value = me->in == nullptr ? me->f(me->arg) : run_member(*me);
  if (me->actions != 0) [[unlikely]]
    end_actions(*me);
  if (me->group != nullptr) me->group->drop();
  end_task(me, value);
  return nullptr;
}

// What a plain task has left, which most have not: actions, memory.
[[gnu::cold, gnu::noinline]] void clear_away(record& me) noexcept {
  if (me.actions != 0) end_actions(me);
  std::free(me.local);
}

// A task that fork_plain() has forked. What it runs, and where its value goes, stands in Weft's
// descriptor.
template <ret_kind Kind>
[[gnu::always_inline]] inline void run_plain(void* argument, worker_words* w) noexcept {
  const task_origin from = origin(w);
  record me;
  me.mark = &record_mark;
  me.f = reinterpret_cast<qthread_f>(from.what);
  me.arg = argument;
  me.ret = from.object;
  me.ret_is = Kind;
  set_task_record(w, &me);
  const aligned_t value = me.f(argument);
  if (me.actions != 0 || me.local != nullptr) [[unlikely]]
    clear_away(me);
  w = readable_self();
  set_task_record(w, nullptr);  // as end_task()
  busy.add(w, -1);
  if constexpr (Kind == ret_kind::word) {
    weft_word_write_last(static_cast<uint64_t*>(me.ret), value);
  } else if constexpr (Kind == ret_kind::sinc_void) {
    submit_nothing(static_cast<qt_sinc_t*>(me.ret));
  } else {
    post(Kind, me.ret, value);
  }
}

template <ret_kind Kind>
[[gnu::cold, gnu::noinline]] void* run_plain_asking(void* argument) noexcept {
  run_plain<Kind>(argument, nullptr);
  return nullptr;
}

template <ret_kind Kind>
void* run_plain(void* argument) noexcept {
  auto* const w = readable_self();
  if (w == nullptr) [[unlikely]]
    return run_plain_asking<Kind>(argument);  // a copy, so that this one keeps nothing meanwhile
  run_plain<Kind>(argument, w);
  return nullptr;
}

bool is_full(ret_kind kind, const void* ret) noexcept {
  if (kind == ret_kind::word) return weft_word_status(static_cast<const uint64_t*>(ret)) > 0;
  return kind == ret_kind::syncvar &&
         weft_syncvar_status(static_cast<const weft_syncvar_t*>(ret)) > 0;
}

void fill(ret_kind kind, void* ret) noexcept {
  if (kind == ret_kind::word) (void)weft_word_fill(static_cast<uint64_t*>(ret));
  if (kind == ret_kind::syncvar) (void)weft_syncvar_fill(static_cast<weft_syncvar_t*>(ret));
}

// The place of the value becomes empty before the task can run, unless the spawn does it.
int empty_ret(const fork_request& what) noexcept {
  if (what.ret_is == ret_kind::word) return weft_word_empty(static_cast<uint64_t*>(what.ret));
  if (what.ret_is == ret_kind::syncvar)
    return weft_syncvar_empty(static_cast<weft_syncvar_t*>(what.ret));
  return 0;
}

int start(const fork_request& what, forked_record* r) noexcept {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  uint32_t shepherd = what.shepherd;
  if (shepherd == NO_SHEPHERD && what.worker == WEFT_ANYWHERE && the.options.round_robin)
    shepherd = next_shepherd();
  if (what.worker != WEFT_ANYWHERE) {
    how.worker = what.worker;
  } else if (shepherd != NO_SHEPHERD) {
    how.worker = worker_for(shepherd % the.shepherds);
  } else if (!the.options.steals) {
    how.flags |= WEFT_SPAWN_STICKY;  // for any worker until it begins
  }
  const weft_spawn_t* spawn = how.worker != WEFT_ANYWHERE || how.flags != 0 ? &how : nullptr;
  if (r->produces)
    return weft_task_spawn_producer(run, r, spawn, static_cast<uint64_t*>(r->ret), &r->producer);
  const bool was_full = is_full(what.ret_is, what.ret);
  int failed = empty_ret(what);
  if (failed != 0) return failed;
  if (what.word_count != 0) {
    the.any_held_back.store(true, std::memory_order_relaxed);
    failed = weft_task_spawn_when(run, r, spawn, what.words, what.word_count, nullptr);
  } else {
    failed = spawn != nullptr ? weft_task_spawn_with(run, r, spawn, nullptr)
                              : weft_task_spawn(run, r, nullptr);
  }
  if (failed != 0 && was_full) fill(what.ret_is, what.ret);  // as it was
  return failed;
}

// Arguments of a fork. Null: no memory.
forked_record* make_record(const fork_request& what) noexcept {
  forked_record* r = new_record();
  if (r == nullptr) return nullptr;
  r->f = what.f;
  r->arg = const_cast<void*>(what.arg);
  r->ret = what.ret;
  r->ret_is = what.ret_is;
  r->group = what.group;
  static_assert(most_workers <= UINT16_MAX);  // each of which has one
  r->part = static_cast<uint16_t>(what.part);
  r->leads = what.new_team || what.new_subteam;
  r->produces = what.ret_is == ret_kind::word && !r->leads && what.word_count == 0;
  if (what.copy_bytes == 0) return r;
  r->arg = r->small;
  if (what.copy_bytes > sizeof r->small) {
    r->arg = r->copy = std::malloc(what.copy_bytes);
    if (r->copy == nullptr) {
      free_record(r);
      return nullptr;
    }
  }
  std::memcpy(r->arg, what.arg, what.copy_bytes);
  return r;
}

// Of a member of a team that shall wait for words: it does so itself, so that it can be named as
// the producer of its own word. What Weft starts when words are full cannot, and if a eureka ended
// it nobody would know that the value will not come. A result of Qthreads'.
int let_it_wait(forked_record& r, const fork_request& what) noexcept {
  for (std::size_t i = 0; i < what.word_count; ++i)
    if (weft_word_status(what.words[i]) < 0) return QTHREAD_BADARGS;
  const std::size_t bytes = what.word_count * sizeof *what.words;
  r.awaits = static_cast<aligned_t**>(std::malloc(bytes));
  if (r.awaits == nullptr) return QTHREAD_MALLOC_ERROR;
  std::memcpy(r.awaits, what.words, bytes);
  r.await_count = what.word_count;
  r.produces = true;
  return QTHREAD_SUCCESS;
}

}  // namespace

record* unbegun_record(weft_fn_t fn, void* arg) noexcept {
  return fn == run ? static_cast<forked_record*>(arg) : nullptr;
}

namespace {

// By who has asked already whether its team is over, and holds what an end would leave behind.
int fork_task_unended(const fork_request& what) noexcept {
  if (!the.is_running()) return QTHREAD_NOT_ALLOWED;
  if (what.f == nullptr || (what.copy_bytes != 0 && what.arg == nullptr)) return QTHREAD_BADARGS;
  if (what.word_count != 0 && what.words == nullptr) return QTHREAD_BADARGS;
  record* const caller = self();
  forked_record* const r = make_record(what);
  if (r == nullptr) return QTHREAD_MALLOC_ERROR;
  if (caller != nullptr) r->polled_in = caller->polled_in;
  if (r->leads) {
    r->in = new_team(caller, what.new_subteam);
    if (r->in == nullptr) {
      free_record(r);
      return QTHREAD_MALLOC_ERROR;
    }
    r->in->ret_is = what.ret_is;
    r->in->ret = what.ret;
  } else if (caller != nullptr && caller->in != nullptr) {
    if (what.ret_is == ret_kind::word && what.word_count != 0) {
      const int failed = let_it_wait(*r, what);
      if (failed != QTHREAD_SUCCESS) {
        free_record(r);
        return failed;
      }
    }
    r->in = caller->in;
    r->outlived = caller->outlived;
    join_team(*r->in, r->outlived);
  }
  busy.add(1);
  if (r->group != nullptr) r->group->hold();
  const int failed = start(what, r);
  if (failed == 0) return QTHREAD_SUCCESS;
  if (r->group != nullptr) r->group->drop();
  busy.add(-1);
  if (r->leads) r->in->ret_is = ret_kind::none;
  leave_team(r->in, r->outlived);
  free_record(r);
  return result_of(failed);
}

}  // namespace

int fork_task(const fork_request& what) noexcept {
  end_where_team_is_over();
  return fork_task_unended(what);
}

namespace {

// Whether the caller, on that worker (null: ask for it), may fork by fork_plain().
inline bool forks_plainly(qthread_f f, const worker_words* w) noexcept {
  const record* const caller = self(w);
  return caller != nullptr && caller->in == nullptr && f != nullptr &&
         the.forks_plainly.load(std::memory_order_relaxed);
}

[[gnu::cold, gnu::noinline]] int fork_failed(int failed) noexcept {
  busy.add(-1);
  return result_of(failed);
}

// What most programs fork: a task in the default team, anywhere, with its argument as it is. As
// fork_task, without a request to read, nor a record to make.
template <ret_kind Kind>
[[gnu::always_inline]] inline int fork_plain(qthread_f f, const void* arg, void* ret,
                                             const worker_words* w) noexcept {
  void* const argument = const_cast<void*>(arg);
  void* const what = reinterpret_cast<void*>(f);
  int failed = 0;
  busy.add(w, 1);
  [[maybe_unused]] bool was_full = false;
  if constexpr (Kind == ret_kind::syncvar) {
    was_full = is_full(Kind, ret);
    failed = weft_syncvar_empty(static_cast<weft_syncvar_t*>(ret));
  }
  if constexpr (Kind == ret_kind::word) {
    failed = weft_task_spawn_filler(run_plain<Kind>, argument, what, static_cast<uint64_t*>(ret));
  } else if (failed == 0) {
    failed = weft_task_spawn_for(run_plain<Kind>, argument, what, ret);
  }
  if (failed == 0) [[likely]]
    return QTHREAD_SUCCESS;
  if constexpr (Kind == ret_kind::syncvar)
    if (was_full) fill(Kind, ret);
  return fork_failed(failed);
}

fork_request plain(qthread_f f, const void* arg, void* ret, ret_kind kind) noexcept {
  fork_request r;
  r.f = f;
  r.arg = arg;
  r.ret = ret;
  r.ret_is = ret != nullptr ? kind : ret_kind::none;
  return r;
}

fork_request to_word(qthread_f f, const void* arg, void* ret) noexcept {
  return plain(f, arg, ret, ret_kind::word);
}

fork_request to_syncvar(qthread_f f, const void* arg, void* ret) noexcept {
  return plain(f, arg, ret, ret_kind::syncvar);
}

// With the words of a fork_precond: n of them as arguments, or one array of -n.
int fork_with_words(fork_request what, int n, va_list words) noexcept {
  end_where_team_is_over();
  if (n < 0) {
    what.words = va_arg(words, aligned_t**);
    what.word_count = static_cast<std::size_t>(-static_cast<int64_t>(n));
    return fork_task_unended(what);
  }
  const std::unique_ptr<aligned_t*[]> list(new (std::nothrow) aligned_t*[n + 1u]);
  if (list == nullptr) return QTHREAD_MALLOC_ERROR;
  for (int i = 0; i < n; ++i) list[i] = va_arg(words, aligned_t*);
  what.words = list.get();
  what.word_count = static_cast<std::size_t>(n);
  return fork_task_unended(what);
}

// The ways of qthread_fork and qthread_fork_syncvar that are not the usual ones, apart from those,
// which so keep nothing for them.
template <ret_kind Kind>
[[gnu::noinline]] int fork_unusually(qthread_f f, const void* arg, void* ret) noexcept {
  const auto* const w = readable_self();
  if (!forks_plainly(f, w)) return fork_task(plain(f, arg, ret, Kind));
  return ret == nullptr ? fork_plain<ret_kind::none>(f, arg, nullptr, w)
                        : fork_plain<Kind>(f, arg, ret, w);
}

// Forks plainly what qthread_spawn is asked for, if that can be; false: it cannot.
[[gnu::always_inline]] inline bool spawns_plainly(qthread_f f, const void* arg, void* ret,
                                                  unsigned feature_flag, const worker_words* w,
                                                  int& result) noexcept {
  constexpr unsigned teams = QTHREAD_SPAWN_NEW_TEAM | QTHREAD_SPAWN_NEW_SUBTEAM;
  constexpr unsigned kinds =
      QTHREAD_SPAWN_RET_SYNCVAR_T | QTHREAD_SPAWN_RET_SINC | QTHREAD_SPAWN_RET_SINC_VOID;
  if (!forks_plainly(f, w)) return false;
  if (ret == nullptr) [[unlikely]] {  // every kind is the same
    if ((feature_flag & teams) != 0) return false;
    result = fork_unusually<ret_kind::none>(f, arg, nullptr);
    return true;
  }
  const unsigned asked = feature_flag & (teams | kinds);
  if (asked == QTHREAD_SPAWN_RET_SINC_VOID) {
    result = fork_plain<ret_kind::sinc_void>(f, arg, ret, w);
    return true;
  }
  switch (asked) {
    case 0:
      result = fork_plain<ret_kind::word>(f, arg, ret, w);
      return true;
    case QTHREAD_SPAWN_RET_SYNCVAR_T:
      result = fork_unusually<ret_kind::syncvar>(f, arg, ret);
      return true;
    case QTHREAD_SPAWN_RET_SINC:
      result = fork_plain<ret_kind::sinc>(f, arg, ret, w);
      return true;
    default:
      return false;
  }
}

// qthread_spawn where that cannot do it in place.
[[gnu::noinline]] int spawn_unusually(qthread_f f, const void* arg, std::size_t arg_size, void* ret,
                                      std::size_t npreconds, void* preconds,
                                      qthread_shepherd_id_t target_shep,
                                      unsigned feature_flag) noexcept {
  int r = QTHREAD_SUCCESS;
  const auto* const w = readable_self();
  if (w == nullptr && arg_size == 0 && preconds == nullptr && npreconds == 0 &&
      target_shep == NO_SHEPHERD && spawns_plainly(f, arg, ret, feature_flag, w, r))
    return r;
  ret_kind kind = ret_kind::word;
  if ((feature_flag & QTHREAD_SPAWN_RET_SYNCVAR_T) != 0) kind = ret_kind::syncvar;
  if ((feature_flag & QTHREAD_SPAWN_RET_SINC) != 0) kind = ret_kind::sinc;
  if ((feature_flag & QTHREAD_SPAWN_RET_SINC_VOID) != 0) kind = ret_kind::sinc_void;
  fork_request what = plain(f, arg, ret, kind);
  what.copy_bytes = arg_size;
  what.shepherd = target_shep;
  what.new_team = (feature_flag & QTHREAD_SPAWN_NEW_TEAM) != 0;
  what.new_subteam = !what.new_team && (feature_flag & QTHREAD_SPAWN_NEW_SUBTEAM) != 0;
  if (npreconds != 0 && preconds == nullptr) return QTHREAD_BADARGS;
  // The first of the array is the number once more.
  if (npreconds != 0) what.words = static_cast<aligned_t**>(preconds) + 1;
  what.word_count = npreconds;
  record* const caller = self();
  if (caller != nullptr && caller->in != nullptr && is_over(*caller)) {
    if (npreconds != 0) std::free(preconds);
    end_if_over(*caller);
  }
  r = fork_task_unended(what);
  if (r == QTHREAD_SUCCESS && npreconds != 0) std::free(preconds);
  return r;
}

}  // namespace

}  // namespace weft::qt

namespace qt = weft::qt;

int qthread_fork(qthread_f f, void const* arg, aligned_t* ret) {
  const auto* const w = qt::readable_self();
  if (w == nullptr || ret == nullptr || !qt::forks_plainly(f, w)) [[unlikely]]
    return qt::fork_unusually<qt::ret_kind::word>(f, arg, ret);
  return qt::fork_plain<qt::ret_kind::word>(f, arg, ret, w);
}

int qthread_fork_net(qthread_f f, void const* arg, aligned_t* ret) {
  return qthread_fork(f, arg, ret);
}

int qthread_fork_to(qthread_f f, void const* arg, aligned_t* ret, qthread_shepherd_id_t shepherd) {
  qt::fork_request what = qt::to_word(f, arg, ret);
  what.shepherd = shepherd;
  return qt::fork_task(what);
}

int qthread_fork_precond(qthread_f f, void const* arg, aligned_t* ret, int npreconds, ...) {
  va_list words;
  va_start(words, npreconds);
  const int r = qt::fork_with_words(qt::to_word(f, arg, ret), npreconds, words);
  va_end(words);
  return r;
}

int qthread_fork_precond_simple(qthread_f f, void const* arg, aligned_t* ret, int npreconds, ...) {
  va_list words;
  va_start(words, npreconds);
  const int r = qt::fork_with_words(qt::to_word(f, arg, ret), npreconds, words);
  va_end(words);
  return r;
}

int qthread_fork_precond_to(qthread_f f, void const* arg, aligned_t* ret,
                            qthread_shepherd_id_t shepherd, int npreconds, ...) {
  qt::fork_request what = qt::to_word(f, arg, ret);
  what.shepherd = shepherd;
  va_list words;
  va_start(words, npreconds);
  const int r = qt::fork_with_words(what, npreconds, words);
  va_end(words);
  return r;
}

int qthread_fork_syncvar(qthread_f f, void const* arg, syncvar_t* ret) {
  return qt::fork_unusually<qt::ret_kind::syncvar>(f, arg, ret);
}

int qthread_fork_syncvar_to(qthread_f f, void const* arg, syncvar_t* ret,
                            qthread_shepherd_id_t shepherd) {
  qt::fork_request what = qt::to_syncvar(f, arg, ret);
  what.shepherd = shepherd;
  return qt::fork_task(what);
}

int qthread_fork_copyargs(qthread_f f, void const* arg, size_t arg_size, aligned_t* ret) {
  qt::fork_request what = qt::to_word(f, arg, ret);
  what.copy_bytes = arg_size;
  return qt::fork_task(what);
}

int qthread_fork_copyargs_to(qthread_f f, void const* arg, size_t arg_size, syncvar_t* ret,
                             qthread_shepherd_id_t preferred_shep) {
  qt::fork_request what = qt::to_word(f, arg, ret);
  what.copy_bytes = arg_size;
  what.shepherd = preferred_shep;
  return qt::fork_task(what);
}

int qthread_fork_copyargs_precond(qthread_f f, void const* arg, size_t arg_size, syncvar_t* ret,
                                  int npreconds, ...) {
  qt::fork_request what = qt::to_syncvar(f, arg, ret);
  what.copy_bytes = arg_size;
  va_list words;
  va_start(words, npreconds);
  const int r = qt::fork_with_words(what, npreconds, words);
  va_end(words);
  return r;
}

int qthread_fork_syncvar_copyargs(qthread_f f, void const* arg, size_t arg_size, syncvar_t* ret) {
  qt::fork_request what = qt::to_syncvar(f, arg, ret);
  what.copy_bytes = arg_size;
  return qt::fork_task(what);
}

int qthread_fork_syncvar_copyargs_simple(qthread_f f, void const* arg, size_t arg_size,
                                         syncvar_t* ret) {
  return qthread_fork_syncvar_copyargs(f, arg, arg_size, ret);
}

int qthread_spawn(qthread_f f, void const* arg, size_t arg_size, void* ret, size_t npreconds,
                  void* preconds, qthread_shepherd_id_t target_shep, unsigned int feature_flag) {
  const auto* const w = qt::readable_self();
  int r = QTHREAD_SUCCESS;
  if (w != nullptr && arg_size == 0 && preconds == nullptr && npreconds == 0 &&
      target_shep == NO_SHEPHERD && qt::spawns_plainly(f, arg, ret, feature_flag, w, r)) [[likely]]
    return r;
  return qt::spawn_unusually(f, arg, arg_size, ret, npreconds, preconds, target_shep, feature_flag);
}

void qthread_yield_(int /*how*/) {
  qt::record* const me = qt::self();
  if (me == nullptr) return;
  if (qt::the.stops.load(std::memory_order_relaxed) && me->in == nullptr) [[unlikely]]
    qt::stay_behind(*me);
  weft_task_yield();
  if (me->in != nullptr) qt::end_if_over(*me);
}
