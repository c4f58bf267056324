// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams: a count of members, and where the leader's value goes when the last of them has ended.
#include "team.hpp"

#include <csetjmp>
#include <new>
#include <qthread/io.h>

#include <weft/embed.h>
#include <weft/task.h>

#include "passed_enum.hpp"
#include "runtime.hpp"

namespace weft::qt {

team* new_team(const record* caller, bool sub) noexcept {
  auto* t = new (std::nothrow) team;
  if (t == nullptr) return nullptr;
  t->id = next_number(the.next_team, first_team);
  t->parent = sub && caller != nullptr ? caller->in : nullptr;
  if (t->parent == nullptr) {
    t->parent_id = sub ? QTHREAD_DEFAULT_TEAM_ID : QTHREAD_NON_TEAM_ID;
    the.teams.fetch_add(1, std::memory_order_relaxed);
    return t;
  }
  t->parent_id = t->parent->id;
  t->outlived = caller->outlived;
  join_team(*t->parent, t->outlived);
  return t;
}

void join_team(team& t, uint64_t outlived) noexcept {
  t.members.fetch_add(1, std::memory_order_relaxed);
  t.awaited.add(outlived);
}

namespace {

// Whether somebody who outlived so many eurekas of this team has ended by one of it or above it.
bool is_over(const team* t, uint64_t outlived) noexcept {
  for (; t != nullptr; t = t->parent) {
    if (t->eurekas.load(std::memory_order_seq_cst) > outlived) return true;  // E2 <> E1
    outlived = t->outlived;
  }
  return false;
}

void leave_sections(team* t) noexcept {
  for (; t != nullptr; t = t->parent) t->critical.fetch_sub(1, std::memory_order_release);
}

// Of a member that leaves, while it is one. Where it was the last that is awaited the subteam is
// nobody whom the parent's end waits for, whoever is left in it.
void stop_awaiting(team* t, uint64_t outlived) noexcept {
  while (t != nullptr && t->awaited.remove_last(outlived)) {
    if (t->parent == nullptr) the.teams.fetch_sub(1, std::memory_order_release);
    outlived = t->outlived;
    t = t->parent;
  }
}

// A section of all of them. False: it is over, and there is none.
bool enter_sections(team* lowest, uint64_t outlived) noexcept {
  for (team* t = lowest; t != nullptr; t = t->parent)
    t->critical.fetch_add(1, std::memory_order_seq_cst);  // E2 <> E1
  if (!is_over(lowest, outlived)) return true;
  leave_sections(lowest);
  return false;
}

// Of a team with a eureka above or in it: no more of them begin.
void wait_for_sections(const team& lowest) noexcept {
  for (const team* t = &lowest; t != nullptr; t = t->parent) {
    if (t->eurekas.load(std::memory_order_relaxed) == 0) continue;
    while (t->critical.load(std::memory_order_seq_cst) != 0) weft_task_yield();  // E1 <> E2
  }
}

}  // namespace

void post_nothing(record& me) noexcept {
  if (!me.produces) return;
  me.produces = false;
  weft_word_disown(static_cast<uint64_t*>(me.ret), &static_cast<forked_record&>(me).producer);
}

void leave_team(team* t, uint64_t outlived) noexcept {
  stop_awaiting(t, outlived);
  while (t != nullptr && t->members.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    team* const parent = t->parent;
    if (enter_sections(parent, t->outlived)) {
      post(t->ret_is, t->ret, t->value);
      leave_sections(parent);
    }
    delete t;
    t = parent;  // whose member the subteam was
  }
}

// Who is away cannot end there, but when it has come back; who has lent frames, when it has them
// back.
bool is_over(const record& me) noexcept {
  return me.sections == 0 && !me.is_away && me.lent_frames == 0 && is_over(me.in, me.outlived);
}

bool enter_section(record& me) noexcept {
  if (me.sections == 0 && !enter_sections(me.in, me.outlived)) return false;
  ++me.sections;
  return true;
}

void leave_section(record& me) noexcept {
  if (--me.sections == 0) leave_sections(me.in);
}

void end_if_over(record& me) noexcept {
  if (!is_over(me)) return;
  post_nothing(me);           // who reads the value may be in a section
  wait_for_sections(*me.in);  // others may be about to write to a frame that is about to go
  std::longjmp(*me.leave, 1);
}

namespace {

// By the one task that may: it is the leader from now on.
void begin_eureka(record& me) noexcept {
  me.had_eureka = true;
  ++me.outlived;
  me.in->awaited.begin(me.outlived);
  wait_for_sections(*me.in);
}

}  // namespace

}  // namespace weft::qt

namespace qt = weft::qt;

void qt_team_eureka(void) {
  qt::record* const me = qt::self();
  if (me == nullptr || me->in == nullptr || me->sections != 0) return;
  qt::end_if_over(*me);
  qt::the.any_eureka.store(true, std::memory_order_relaxed);
  uint64_t last = me->outlived;
  if (me->in->eurekas.compare_exchange_strong(last, last + 1)) qt::begin_eureka(*me);  // E1 <> E2
  qt::end_if_over(*me);
}

void qt_team_critical_section(qt_team_critical_section_t boundary) {
  qt::record* const me = qt::self();
  if (me == nullptr || me->in == nullptr) return;
  const unsigned which = qt::number_of(boundary);
  if (which == BEGIN) {
    if (qt::enter_section(*me)) return;
    // Who is in an action ends there: what follows the BEGIN would be in no section.
    if (me->is_away && me->lent_frames == 0) {
      me->actions = 1;
      qt_end_blocking_action();
    }
    qt::end_if_over(*me);
  } else if (which == END && me->sections != 0) {
    qt::leave_section(*me);
    qt::end_if_over(*me);
  }
}

unsigned int qt_team_id(void) {
  const qt::record* me = qt::self();
  if (me == nullptr) return QTHREAD_NON_TEAM_ID;
  return me->in != nullptr ? me->in->id : QTHREAD_DEFAULT_TEAM_ID;
}

unsigned int qt_team_parent_id(void) {
  const qt::record* me = qt::self();
  return me != nullptr && me->in != nullptr ? me->in->parent_id : QTHREAD_NON_TEAM_ID;
}
