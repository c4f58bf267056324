// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What block a member of a loop gets next: the schedules.
#include <algorithm>

#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "par/loop.hpp"
#include "par/pace.hpp"
#include "par/shared_loop.hpp"

namespace weft::rt {

namespace {

constexpr double alone_growth = 16;
constexpr double growth = 8;

// Half the rest among so many in a batch; the batch that the rest belongs to is found from the
// start, so that it needs no state beside the counter.
uint64_t factored_block(uint64_t count, uint64_t rest, uint64_t members) noexcept {
  uint64_t of_batch = count;
  for (;;) {
    const uint64_t block = of_batch / members / 2 + 1;
    if (of_batch / block <= members) return block;
    if (of_batch - block * members < rest) return block;
    of_batch -= block * members;
  }
}

uint64_t central_block(const shared_loop& l, uint64_t rest) noexcept {
  const uint64_t least = l.plan.least_block();
  const uint64_t count = l.plan.count - l.base;
  uint64_t wanted = least;
  if (l.plan.schedule == loop_schedule::guided)
    wanted = std::max(least, rest / l.part_count + (rest % l.part_count != 0 ? 1 : 0));
  if (l.plan.schedule == loop_schedule::factored)
    wanted = std::max(least, factored_block(count, rest, l.part_count));
  return std::min(wanted, rest);
}

uint64_t in_range(double wanted, uint64_t most) noexcept {
  if (!(wanted > 1)) return 1;
  return wanted >= static_cast<double>(most) ? most : static_cast<uint64_t>(wanted);
}

// So many iterations to begin with, before the clock is read: a line's, where that is little of the
// loop.
uint64_t first_alone(uint64_t count) noexcept {
  return count / 32 >= iteration_span::line ? iteration_span::line : 1;
}

}  // namespace

// A block is over: what a unit takes.
void loop_member::clock_block() noexcept {
  const uint64_t now = arch::cycle_count();
  if (size_ != 0) {
    // Clocks of two processors may disagree a little.
    const double whole = now > began_ ? static_cast<double>(now - began_) : 0;
    const double took = std::max(whole - pace::step(), 1 / pace::fine);
    spent_ += took;
    clocked_ += size_;
    const double each = took / static_cast<double>(size_);
    // Of a block of a few steps the time is that of other things; but a unit takes no longer than
    // it says.
    if (known_ == 0 || took >= pace::least_steps * pace::step()) {
      known_ = each;
      basis_ = size_;
    } else {
      known_ = std::min(known_, each);
    }
  }
  began_ = now;
}

// How many units to take of so many, after the last block. shrinks: thieves may want the rest; but
// a block that takes no longer than a few steps is not made smaller for them.
uint64_t loop_member::paced(uint64_t left, bool shrinks) const noexcept {
  const uint64_t unit = loop_ != nullptr ? loop_->unit : 1;
  const uint64_t least = std::min(left, plan_.block / unit);
  if (known_ == 0) return std::max<uint64_t>(least, 1);
  double wanted = pace::aim_steps * pace::step() / known_;
  if (basis_ != 0) wanted = std::min(wanted, growth * static_cast<double>(basis_));
  const double half = static_cast<double>(left) / 2;
  if (shrinks && wanted > half)
    wanted = std::max(half, std::min(wanted, pace::least_steps * pace::step() / known_));
  return std::max(least, in_range(wanted, left));
}

// How many of so many to run before the clock is read again; 0: others have been told of the loop.
uint64_t loop_member::next_unshared(uint64_t left) noexcept {
  // Of a very short block the time says little; what follows it is at most so much longer.
  const double took = known_ * static_cast<double>(size_);
  if (took > pace::sure_steps * pace::step() && worth_telling(known_ * static_cast<double>(left))) {
    may_share_ = share_rest();
    if (may_share_) return 0;
  }
  const uint64_t grown =
      size_ == 0 ? first_alone(left) : in_range(alone_growth * static_cast<double>(size_), left);
  const uint64_t n = std::max(grown, std::min(left, plan_.block));
  return n < left ? iteration_span::evened(next_, next_ + n) - next_ : n;
}

loop_member::block loop_member::next_alone() noexcept {
  const uint64_t left = plan_.count - next_;
  const bool clocked =
      plan_.schedule == loop_schedule::adaptive && (may_share_ || plan_.cancel != nullptr);
  if (clocked) clock_block();
  if (left == 0) {
    through_ = true;
    return {};
  }
  if (ends()) {
    drop_rest();
    return {};
  }
  uint64_t n = left;
  if (plan_.schedule == loop_schedule::fixed) {
    n = std::min(left, plan_.least_block());
  } else if (clocked && may_share_) {
    n = next_unshared(left);
    if (n == 0) return next_shared();
  } else if (clocked) {
    n = paced(left, false);
  }
  size_ = n;
  const block b{next_, next_ + n};
  next_ += n;
  return b;
}

loop_member::block loop_member::next_shared() noexcept {
  block b;
  if (taken_ == 0 || !ends()) {
    if (loop_->central) {
      b = take_central();
    } else if (plan_.schedule == loop_schedule::balanced) {
      b = take_part();
    } else if (plan_.schedule == loop_schedule::fixed) {
      b = take_unit();
    } else {
      b = take_paced();
    }
    if (b.empty()) {
      through_ = true;
      return b;
    }
    // The flag belongs to the caller, who stays while something is taken: only now may it be read.
    if (!ends()) return b;
    dropped_ = true;
  }
  drop_rest();
  return {};
}

loop_member::block loop_member::give(iteration_span::run r) noexcept {
  taken_ += r.size();
  size_ = r.size();
  return loop_->block_of(r);
}

// By one member more than there are spans: from where there is something.
loop_member::block loop_member::take_anywhere() noexcept {
  shared_loop& l = *loop_;
  const bool is_fixed = plan_.schedule == loop_schedule::fixed;
  for (uint32_t i = 0; i < l.part_count; ++i) {
    iteration_span& span = l.at(i).span;
    const auto r = span.take_front(is_fixed ? 1 : paced(span.left_hint() | 1, true));
    if (!r.empty()) return give(r);
  }
  return {};
}

// A block of the size that was asked for.
loop_member::block loop_member::take_unit() noexcept {
  if (slot_ == no_slot) return take_anywhere();
  bool left_out = false;
  do {
    const auto r = loop_->at(slot_).span.take_front(1);
    if (!r.empty()) return give(r);
  } while (bring_from_others(0, left_out));
  return {};
}

loop_member::block loop_member::take_paced() noexcept {
  clock_block();
  if (slot_ == no_slot) return take_anywhere();
  shared_loop& l = *loop_;
  for (;;) {
    iteration_span& mine = l.at(slot_).span;
    const uint64_t left = mine.left_hint();
    if (left != 0) {
      const auto r = mine.take_front(paced(left, true));
      if (!r.empty()) return give(r);
    }
    if (!bring_half()) return {};
  }
}

// Half of what another span has left becomes the member's own, or all of it where nobody has come
// for it yet: who comes later brings half back. What its holder does in less time than it takes to
// bring is looked at once more after that time: then the holder is in a long iteration, or is not
// there.
bool loop_member::bring_half() noexcept {
  const double least = pace::bring_steps * pace::step();
  bool left_out = false;
  if (bring_from_others(least, left_out)) return true;
  if (!left_out) return false;
  const uint64_t from = arch::cycle_count();
  while (static_cast<double>(arch::cycle_count() - from) < least) arch::pause();
  return bring_from_others(0, left_out);
}

bool loop_member::bring_from_others(double least, bool& left_out) noexcept {
  shared_loop& l = *loop_;
  for (uint32_t i = 1; i < l.part_count; ++i) {
    shared_loop::part& other = l.at((slot_ + i) % l.part_count);
    const uint64_t left = other.span.left_hint();
    if (left == 0) continue;
    const bool is_held = other.taken.load_relaxed() != 0;  // hint: a wrong value costs time
    if (is_held && known_ * static_cast<double>(left) < least) {
      left_out = true;
      continue;
    }
    const auto r = is_held ? other.span.take_back_half() : other.span.take_all();
    if (r.empty()) continue;
    l.at(slot_).span.put(r);
    began_ = arch::cycle_count();
    // Who found nothing while it was on its way here has left.
    if (r.size() > 1) invite();
    return true;
  }
  return false;
}

// A whole part: its own worker's, else what nobody has come for.
loop_member::block loop_member::take_part() noexcept {
  shared_loop& l = *loop_;
  const uint32_t near = slot_ != no_slot ? slot_ : 0;
  for (uint32_t i = 0; i < l.part_count; ++i) {
    const auto r = l.at((near + i) % l.part_count).span.take_all();
    if (!r.empty()) return give(r);
  }
  return {};
}

loop_member::block loop_member::take_central() noexcept {
  shared_loop& l = *loop_;
  const uint64_t count = l.plan.count - l.base;
  uint64_t at = l.next.load_relaxed();  // cas: below
  while (at != count) {
    const uint64_t n = central_block(l, count - at);
    if (l.next.cas_relaxed(at, at + n)) {  // count: nothing is published
      taken_ += n;
      return {l.base + at, l.base + at + n};
    }
  }
  return {};
}

// The member's function has returned before it was told that there is nothing more. What it still
// held was not run; of the block that it had, nobody knows how much was, if it was told to stop, or
// has the flag to see for itself.
void loop_member::leave_early() noexcept {
  const bool had_block = size_ != 0 || taken_ != 0;
  if (!held_.empty() || (had_block && (told_ || plan_.cancelled()))) dropped_ = true;
  drop_rest();
}

// Takes all that is left and runs none of it.
void loop_member::drop_rest() noexcept {
  through_ = true;
  if (loop_ == nullptr) {
    dropped_ = dropped_ || next_ != plan_.count;
    next_ = plan_.count;
    return;
  }
  shared_loop& l = *loop_;
  l.stop.store_relaxed(1);  // hint: see stopped
  const uint64_t before = taken_;
  if (l.central) {
    const uint64_t count = l.plan.count - l.base;
    uint64_t at = l.next.load_relaxed();                     // cas: below
    while (at != count && !l.next.cas_relaxed(at, count)) {  // count: nothing is published
    }
    taken_ += count - at;
  } else {
    for (uint32_t i = 0; i < l.part_count; ++i) taken_ += l.at(i).span.take_all().size();
  }
  // Part of what was taken before may have been left out too: by a helper that came after the stop.
  if (taken_ != before || dropped_) l.dropped.store_relaxed(1);  // via: E1 of the ledger
}

}  // namespace weft::rt
