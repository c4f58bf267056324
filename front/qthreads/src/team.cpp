// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams: a count of members, and where the leader's value goes when the last of them has ended.
#include "team.hpp"

#include <new>

#include "runtime.hpp"

namespace weft::qt {

team* new_team(const record* caller, bool sub) noexcept {
  auto* t = new (std::nothrow) team;
  if (t == nullptr) return nullptr;
  t->id = the.next_team.fetch_add(1, std::memory_order_relaxed);
  if (!sub) return t;
  t->parent = caller != nullptr ? caller->in : nullptr;
  t->parent_id = t->parent != nullptr ? t->parent->id : QTHREAD_DEFAULT_TEAM_ID;
  if (t->parent != nullptr) join_team(*t->parent);
  return t;
}

void join_team(team& t) noexcept { t.members.fetch_add(1, std::memory_order_relaxed); }

void leave_team(team* t) noexcept {
  while (t != nullptr && t->members.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    team* const parent = t->parent;
    post(t->ret_is, t->ret, t->value);
    delete t;
    t = parent;  // whose member the subteam was
  }
}

}  // namespace weft::qt

namespace qt = weft::qt;

unsigned int qt_team_id(void) {
  const qt::record* me = qt::self();
  if (me == nullptr) return QTHREAD_NON_TEAM_ID;
  return me->in != nullptr ? me->in->id : QTHREAD_DEFAULT_TEAM_ID;
}

unsigned int qt_team_parent_id(void) {
  const qt::record* me = qt::self();
  return me != nullptr && me->in != nullptr ? me->in->parent_id : QTHREAD_NON_TEAM_ID;
}
