// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team: so many tasks that go through the same barriers, broadcasts and loops.
//
// What all members do together but the barrier is a round (lockfree/relay.hpp): who comes first
// makes it, nobody waits for those who come later, and who is ahead may be any number of rounds
// ahead. Rounds that were used are kept for the next ones; all of them are given back with the
// team. Who is alone in a team needs no rounds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "lockfree/loop_ledger.hpp"
#include "lockfree/relay.hpp"
#include "par/loop.hpp"
#include "sched/spin_lock.hpp"
#include "sched/task.hpp"
#include "sync/barrier.hpp"
#include "sync/latch.hpp"

namespace weft::rt {

class team;
struct team_round;
struct team_run;

class team_member {
 public:
  uint32_t rank() const noexcept { return rank_; }
  team& of() const noexcept { return *team_; }

  // In the child of a fork() by a member of team::run all of these are -ECANCELED and touch nothing
  // that is shared: the others are not there, and one may have held the team's lock.

  // Waits until all members have come. 1 for the last, 0; -EPERM, -ENOMEM.
  int wait(void* site) noexcept;
  // 1 for the first who comes to this round, 0 for the others; -ENOMEM: did not come.
  int claim() noexcept;
  // The bytes at `value` of the member `root` reach those of all others. 0, -EPERM, -ENOMEM.
  int broadcast(uint32_t root, void* value, std::size_t bytes, void* site) noexcept;
  // Runs blocks of a loop with those who come to it too, until there are none to begin. The plan is
  // that of all members, but for run and argument. 0, -ECANCELED, -ENOMEM.
  int loop(const loop_plan& plan) noexcept;

 private:
  friend class team;

  team_member(team& of, relay_round& start, uint32_t rank) noexcept
      : team_(&of), at_(&start), rank_(rank) {}
  static void* run(void* member) noexcept;  // a task of team::run
  bool is_in_child() const noexcept { return task_ != nullptr && task_->has(flag_forked); }

  team* const team_;
  relay_round* at_;             // the round it came to last
  const task* task_ = nullptr;  // of team::run, where there are others: whose member it is
  const uint32_t rank_;
};

class team {
 public:
  // Null: no memory.
  static team* make(uint32_t size) noexcept;

  uint32_t size() const noexcept { return size_; }

  // The next member; null: all have come.
  team_member* enter() noexcept;
  // A member is through. The last one ends the team.
  void leave() noexcept;

  // Runs fn(member, argument) for all of them, in the caller and in size - 1 tasks. 0, -ENOMEM;
  // -EPERM: a stackless task and others to wait for.
  static int run(uint32_t size, void (*fn)(team_member& me, void* argument), void* argument,
                 void* site) noexcept;

 private:
  friend class team_member;

  explicit team(uint32_t size) noexcept;
  ~team();
  static constexpr std::size_t bytes(uint32_t size) noexcept {
    return sizeof(team) + size * sizeof(team_member);
  }
  team_member* members() noexcept { return reinterpret_cast<team_member*>(this + 1); }

  // An unused round for all members; null: no memory.
  team_round* new_round() noexcept;
  void give_back(team_round& r) noexcept;
  // The member's next round. make(round): what it shall be, false: no memory. Null: so.
  template <class Make>
  team_round* advance(team_member& me, Make&& make) noexcept;

  const uint32_t size_;
  atomic<uint32_t> entered_{0};
  team_run* run_ = nullptr;  // of team::run
  relay_round start_;
  loop_ledger present_;  // its members are what is to be settled
  barrier all_;
  spin_lock lock_;  // of the two below
  team_round* unused_ = nullptr;
  team_round* made_ = nullptr;  // all there are
};

}  // namespace weft::rt
