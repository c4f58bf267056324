// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds of a team: what is claimed, broadcast or looped over; the team's begin and end.
#include "par/team.hpp"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>

#include "mem/raw.hpp"
#include "par/shared_loop.hpp"
#include "sched/child.hpp"
#include "sched/self.hpp"
#include "sched/spawn.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

struct team_round : relay_round {
  team_round* next_made = nullptr;
  team_round* next_unused = nullptr;

  // One of these is what the round is.
  atomic<uint32_t> claimed{0};
  shared_loop* loop = nullptr;
  void* copy = nullptr;  // of a broadcast, until the round is given back
  std::size_t copy_bytes = 0;
  latch copied{1};

  // What belongs to its present use.
  void clear() noexcept {
    if (loop != nullptr) loop->release();
    raw_free(copy, copy_bytes);
    claimed.store_relaxed(0);  // init: the link to the round publishes it
    loop = nullptr;
    copy = nullptr;
    copy_bytes = 0;
    new (&copied) latch(1);
  }
};

team::team(uint32_t size) noexcept : size_(size), present_(size), all_(size) {
  start_.begin(size);
  for (uint32_t i = 0; i < size; ++i) new (&members()[i]) team_member(*this, start_, i);
}

team::~team() {
  while (made_ != nullptr) {
    team_round* r = made_;
    made_ = r->next_made;
    r->clear();
    r->~team_round();
    raw_free(r, sizeof(team_round));
  }
}

team* team::make(uint32_t size) noexcept {
  void* place = raw_alloc(bytes(size));
  return place != nullptr ? new (place) team(size) : nullptr;
}

team_member* team::enter() noexcept {
  uint32_t rank = entered_.load_relaxed();  // cas: below
  do {
    if (rank == size_) return nullptr;
  } while (!entered_.cas_relaxed(rank, rank + 1));  // count: publishes nothing
  return &members()[rank];
}

void team::leave() noexcept {
  if (!present_.settle(1)) return;
  const std::size_t size = bytes(size_);
  this->~team();
  raw_free(this, size);
}

team_round* team::new_round() noexcept {
  team_round* r = nullptr;
  {
    const std::lock_guard held(lock_);
    r = unused_;
    if (r != nullptr) unused_ = r->next_unused;
  }
  if (r == nullptr) {
    void* place = raw_alloc(sizeof(team_round));
    if (place == nullptr) return nullptr;
    r = new (place) team_round;
    const std::lock_guard held(lock_);
    r->next_made = made_;
    made_ = r;
  }
  r->begin(size_);
  return r;
}

void team::give_back(team_round& r) noexcept {
  r.clear();
  const std::lock_guard held(lock_);
  r.next_unused = unused_;
  unused_ = &r;
}

template <class Make>
team_round* team::advance(team_member& me, Make&& make) noexcept {
  relay_round* next = me.at_->next();
  if (next == nullptr) {
    team_round* made = new_round();
    if (made == nullptr) return nullptr;
    if (!make(*made)) {
      give_back(*made);
      return nullptr;
    }
    next = me.at_->link(*made);
    if (next != made) give_back(*made);
  }
  if (me.at_->let_go() && me.at_ != &start_) give_back(static_cast<team_round&>(*me.at_));
  me.at_ = next;
  return static_cast<team_round*>(next);
}

int team_member::wait(void* site) noexcept {
  return is_in_child() ? -ECANCELED : team_->all_.arrive(forever, site);
}

int team_member::claim() noexcept {
  if (team_->size_ == 1) return 1;
  if (is_in_child()) return -ECANCELED;
  team_round* r = team_->advance(*this, [](team_round&) { return true; });
  if (r == nullptr) return -ENOMEM;
  return r->claimed.exchange_relaxed(1) == 0 ? 1 : 0;  // count: who is first; publishes nothing
}

int team_member::broadcast(uint32_t root, void* value, std::size_t bytes, void* site) noexcept {
  const worker* w = self();
  const task* me = w != nullptr ? w->current.get() : nullptr;
  if (me != nullptr && me->has(flag_stackless) && rank_ != root) return -EPERM;
  if (team_->size_ == 1) return 0;
  if (is_in_child()) return -ECANCELED;
  team_round* r = team_->advance(*this, [&](team_round& made) {
    made.copy = bytes != 0 ? raw_alloc(bytes) : nullptr;
    made.copy_bytes = made.copy != nullptr ? bytes : 0;
    return bytes == 0 || made.copy != nullptr;
  });
  if (r == nullptr) return -ENOMEM;
  if (rank_ == root) {
    if (bytes != 0) std::memcpy(r->copy, value, bytes);
    return r->copied.count_down(1);
  }
  r->copied.pass(site);
  if (bytes != 0) std::memcpy(value, r->copy, bytes);
  return 0;
}

int team_member::loop(const loop_plan& plan) noexcept {
  if (team_->size_ == 1) return run_alone(plan);
  if (is_in_child()) return -ECANCELED;
  team_round* r = team_->advance(*this, [&](team_round& made) {
    made.loop = shared_loop::make(plan, 0, team_->size_);
    return made.loop != nullptr;
  });
  return r != nullptr ? join_loop(*r->loop, plan) : -ENOMEM;
}

// What all tasks of a team that is run share; on the caller's stack.
struct team_run {
  void (*fn)(team_member& me, void* argument);
  void* argument;
  latch others;
};

void* team_member::run(void* member) noexcept {
  auto& me = *static_cast<team_member*>(member);
  team_run& r = *me.team_->run_;
  const task* const t = self()->current.get();
  me.task_ = t;
  r.fn(me, r.argument);
  if (t->has(flag_forked)) end_child_process();  // who waits does so in the parent
  me.team_->leave();
  (void)r.others.count_down(1);  // last use of r
  return nullptr;
}

int team::run(uint32_t size, void (*fn)(team_member& me, void* argument), void* argument,
              void* site) noexcept {
  if (size == 1) {
    alignas(team) std::byte place[bytes(1)];
    team* t = new (place) team(1);
    fn(*t->enter(), argument);
    t->~team();
    return 0;
  }
  if (!caller_may_park()) return -EPERM;
  team* t = make(size);
  if (t == nullptr) return -ENOMEM;
  team_run mine{fn, argument, latch(size - 1)};
  t->run_ = &mine;
  t->entered_.store_relaxed(size);  // init: nobody else knows the team
  team_member* const members = t->members();
  const task* const me = self()->current.get();
  members->task_ = me;
  const int failed = spawn_many(
      self(), {team_member::run, members + 1, sizeof(team_member), size - 1, site}, nullptr);
  if (failed != 0) {
    for (uint32_t i = 0; i < size; ++i) t->leave();
    return failed;
  }
  fn(*members, argument);
  t->leave();
  if (me->has(flag_forked)) return mine.others.is_open() ? 0 : -ECANCELED;  // they are not here
  mine.others.pass(site);
  return 0;
}

}  // namespace weft::rt
