// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams: a count of members, and where the leader's value goes when the last of them has ended.
//
// A subteam is a member of its parent. A task of the default team has none (null), which costs nothing.
#pragma once

#include <atomic>
#include <cstdint>

#include "record.hpp"

namespace weft::qt {

struct team {
  uint32_t id = 0;
  uint32_t parent_id = QTHREAD_NON_TEAM_ID;
  team* parent = nullptr;  // of a subteam; null: the default team's, or none
  std::atomic<uint64_t> members{1};
  // Of the leader, valid once it has ended.
  ret_kind ret_is = ret_kind::none;
  void* ret = nullptr;
  aligned_t value = 0;
};

// A team that the new task leads. sub: a subteam of the caller's. Null: no memory.
team* new_team(const record* caller, bool sub) noexcept;

// One member more; one less, and if it was the last the leader's value is posted and the team ends.
void join_team(team& t) noexcept;
void leave_team(team* t) noexcept;

}  // namespace weft::qt
