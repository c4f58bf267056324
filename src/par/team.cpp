// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds of a team: what is claimed, broadcast or looped over; the team's begin and end.
#include "par/team.hpp"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>

#include "mem/raw.hpp"
#include "par/shared_loop.hpp"
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
  for (uint32_t i = 0; i < size; ++i) {
    auto* m = new (&members()[i]) team_member;
    m->team_ = this;
    m->rank_ = i;
  }
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
  if (place == nullptr) return nullptr;
  team* t = new (place) team(size);
  team_round* start = t->new_round();
  if (start == nullptr) {
    t->~team();
    raw_free(t, bytes(size));
    return nullptr;
  }
  for (uint32_t i = 0; i < size; ++i) t->members()[i].at_ = start;
  return t;
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
  if (me.at_->let_go()) give_back(static_cast<team_round&>(*me.at_));
  me.at_ = next;
  return static_cast<team_round*>(next);
}

int team_member::wait(void* site) noexcept { return team_->all_.arrive(forever, site); }

int team_member::claim() noexcept {
  team_round* r = team_->advance(*this, [](team_round&) { return true; });
  if (r == nullptr) return -ENOMEM;
  return r->claimed.exchange_acq_rel(1) == 0 ? 1 : 0;
}

int team_member::broadcast(uint32_t root, void* value, std::size_t bytes, void* site) noexcept {
  const worker* w = self();
  const task* me = w != nullptr ? w->current.get() : nullptr;
  if (me != nullptr && me->has(flag_stackless) && rank_ != root) return -EPERM;
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
  team_round* r = team_->advance(*this, [&](team_round& made) {
    made.loop = shared_loop::make(plan, 0, team_->size_);
    return made.loop != nullptr;
  });
  return r != nullptr ? join_loop(*r->loop, plan) : -ENOMEM;
}

namespace {

// What all tasks of a team that is run share; on the caller's stack.
struct team_run {
  void (*fn)(team_member& me, void* argument);
  void* argument;
  latch others;
};

struct team_task {
  team_run* run;
  team_member* me;
};

void* run_member(void* argument) noexcept {
  const team_task t = *static_cast<team_task*>(argument);
  t.run->fn(*t.me, t.run->argument);
  team& of = t.me->of();
  of.leave();
  (void)t.run->others.count_down(1);  // last use of *t.run
  return nullptr;
}

}  // namespace

int team::run(uint32_t size, void (*fn)(team_member& me, void* argument), void* argument,
              void* site) noexcept {
  if (size > 1 && !caller_may_park()) return -EPERM;
  team* t = make(size);
  const std::size_t task_bytes = size * sizeof(team_task);
  auto* tasks = static_cast<team_task*>(t != nullptr ? raw_alloc(task_bytes) : nullptr);
  if (tasks == nullptr) {
    if (t != nullptr)
      for (uint32_t i = 0; i < size; ++i) t->leave();
    return -ENOMEM;
  }
  team_run mine{fn, argument, latch(size - 1)};
  for (uint32_t i = 0; i < size; ++i) tasks[i] = {&mine, t->enter()};
  int failed = 0;
  if (size > 1)
    failed =
        spawn_many(self(), {run_member, tasks + 1, sizeof(team_task), size - 1, site}, nullptr);
  if (failed == 0) {
    fn(*tasks[0].me, argument);
    t->leave();
    mine.others.pass(site);
  } else {
    for (uint32_t i = 0; i < size; ++i) t->leave();
  }
  raw_free(tasks, task_bytes);
  return failed;
}

}  // namespace weft::rt
