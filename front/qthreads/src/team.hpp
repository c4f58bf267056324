// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams: a count of members, and where the leader's value goes when the last of them has ended.
//
// A subteam is a member of its parent. A task of the default team has none (null), which costs
// nothing.
//
// A eureka ends a team and the subteams below it, but for the task that had it. The others end by
// themselves: who has not started never calls its function, who runs leaves it at its next fork,
// yield or wait (record::leave), and nobody does so within a critical section, a loop whose parts
// others run, or a function that the library calls with something open. For the ends of sections
// that had begun the eureka waits, and so does everybody who ends. A value is posted in a section,
// because where it goes may be the frame of a member that ends; of who ended nothing is posted, and
// of the task that had the eureka only the team's value, because who forked it has ended. A team
// counts its eurekas; a task has the number of the last one that it, or who forked it, outlived,
// and so has a subteam of its parent's: what is forked after a eureka lives.
//
// qthread_finalize waits for the members of teams, but not for those that a eureka has ended: one
// that waits then may do so for ever.
//
// Orders
//   E1 <> E2   a eureka marks the team and reads `critical`; who begins a section raises `critical`
//              and reads the marks: so either the eureka waits for the section, or the section does
//              not begin
#pragma once

#include <atomic>
#include <cstdint>

#include "record.hpp"

namespace weft::qt {

// How many members a team has that outlived its last eureka: a subteam, as long as it has some, is
// one. The eureka counts afresh, and members from before it count no more. Once it is 0 it stays
// so.
class awaited_members {
 public:
  void begin(uint64_t eureka) noexcept { state_.store(of(eureka) + 1, std::memory_order_relaxed); }
  void add(uint64_t outlived) noexcept { change(outlived, 1); }
  // Whether that was the last.
  bool remove_last(uint64_t outlived) noexcept {
    return change(outlived, uint64_t{0} - 1) == of(outlived) + 1;
  }

 private:
  static constexpr unsigned count_bits = 32;  // above them, the low bits of the eureka's number
  static uint64_t of(uint64_t eureka) noexcept { return eureka << count_bits; }
  // The state before; one of another eureka is left as it is.
  uint64_t change(uint64_t outlived, uint64_t by) noexcept {
    uint64_t state = state_.load(std::memory_order_relaxed);
    while (state >> count_bits == of(outlived) >> count_bits &&
           !state_.compare_exchange_weak(state, state + by, std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {
    }
    return state;
  }

  std::atomic<uint64_t> state_{1};
};

struct team {
  uint32_t id = 0;
  uint32_t parent_id = QTHREAD_NON_TEAM_ID;
  team* parent = nullptr;  // of a subteam; null: the default team's, or none
  std::atomic<uint64_t> members{1};
  awaited_members awaited;
  std::atomic<uint64_t> eurekas{0};
  uint64_t outlived = 0;              // of the parent's
  std::atomic<uint64_t> critical{0};  // sections in it and in its subteams
  // Of the leader, valid once it has ended.
  ret_kind ret_is = ret_kind::none;
  void* ret = nullptr;
  aligned_t value = 0;
};

// A team that the new task leads. sub: a subteam of the caller's. Null: no memory.
team* new_team(const record* caller, bool sub) noexcept;

// One member more; one less, and if it was the last the leader's value is posted and the team ends.
// outlived: of that member.
void join_team(team& t, uint64_t outlived) noexcept;
void leave_team(team* t, uint64_t outlived) noexcept;

// Of the caller, a member of a team. Whether a eureka has ended it, outside of critical sections.
bool is_over(const record& me) noexcept;
// Of a member that has ended or is about to: its value will not come, perhaps nor who would read
// it.
void post_nothing(record& me) noexcept;
// Ends it if so, and does not return then. Not where anything with a destructor is in our frames
// above it.
void end_if_over(record& me) noexcept;
// A critical section. False: it is over.
bool enter_section(record& me) noexcept;
void leave_section(record& me) noexcept;

}  // namespace weft::qt
