// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/team.h: arguments are checked here, the work is done below.
#include "par/team.hpp"

#include <cerrno>

#include <weft/team.h>

#include "api/loop_call.hpp"
#include "base/attributes.hpp"

namespace rt = weft::rt;

namespace {

constexpr uint32_t most_members = 1u << 20;

rt::team_member& from(weft_team_member_t* m) noexcept {
  return *reinterpret_cast<rt::team_member*>(m);
}
const rt::team_member& from(const weft_team_member_t* m) noexcept {
  return *reinterpret_cast<const rt::team_member*>(m);
}
weft_team_member_t* handle_of(rt::team_member& m) noexcept {
  return reinterpret_cast<weft_team_member_t*>(&m);
}

struct call {
  weft_team_fn_t fn;
  void* arg;

  static void run(rt::team_member& me, void* c) {
    const call& mine = *static_cast<call*>(c);
    mine.fn(handle_of(me), mine.arg);
  }
};

}  // namespace

__attribute__((noinline)) int weft_team_run(uint32_t size, weft_team_fn_t fn, void* arg) {
  if (fn == nullptr || size == 0 || size > most_members) return -EINVAL;
  call c{fn, arg};
  void* const site = WEFT_CALL_SITE;
  return rt::in_task([&]() noexcept { return rt::team::run(size, call::run, &c, site); }, site);
}

int weft_team_create(uint32_t size, weft_team_t** out) {
  if (out == nullptr || size == 0 || size > most_members) return -EINVAL;
  rt::team* made = rt::team::make(size);
  if (made == nullptr) return -ENOMEM;
  *out = reinterpret_cast<weft_team_t*>(made);
  return 0;
}

int weft_team_enter(weft_team_t* team, weft_team_member_t** out) {
  if (team == nullptr || out == nullptr) return -EINVAL;
  rt::team_member* m = reinterpret_cast<rt::team*>(team)->enter();
  if (m == nullptr) return -EBUSY;
  *out = handle_of(*m);
  return 0;
}

int weft_team_leave(weft_team_member_t* me) {
  if (me == nullptr) return -EINVAL;
  from(me).of().leave();
  return 0;
}

uint32_t weft_team_rank(const weft_team_member_t* me) { return from(me).rank(); }

uint32_t weft_team_size(const weft_team_member_t* me) { return from(me).of().size(); }

__attribute__((noinline)) int weft_team_wait(weft_team_member_t* me) {
  return from(me).wait(WEFT_CALL_SITE);
}

int weft_team_claim(weft_team_member_t* me) { return from(me).claim(); }

__attribute__((noinline)) int weft_team_broadcast(weft_team_member_t* me, uint32_t root,
                                                  void* value, size_t bytes) {
  if (root >= weft_team_size(me) || (value == nullptr && bytes != 0)) return -EINVAL;
  return from(me).broadcast(root, value, bytes, WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_team_loop(weft_team_member_t* me, int64_t begin, int64_t end,
                                             int64_t step, weft_loop_fn_t fn, void* arg,
                                             const weft_loop_t* how) {
  rt::values<int64_t> v(begin, end, step, fn, arg);
  rt::loop_plan plan;
  if (const int bad = v.read(how, WEFT_CALL_SITE, plan); bad != 0) return bad;
  if (plan.schedule == rt::loop_schedule::each) return -EINVAL;
  plan.invites = false;
  return plan.count != 0 ? from(me).loop(plan) : 0;
}
