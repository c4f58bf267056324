// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the idle workers answers for the deadlines of all, and until when it sleeps.
//
// The first worker that goes idle keeps the time; when it leaves, the next idle one is nudged
// (wake_word.hpp) to take over, if there is a deadline at all. Steps: README.md, "Time"; the model
// is tests/model/time_keeper_model.cpp.
//
// Word: 0, nobody keeps; else
//   bits 0..10    1 + the keeper      0 -> keeper: become; keeper -> 0: resign, by the keeper
//   bits 11..63   its alarm, a tick   set to `never` by become; lowered by the keeper before it
//                                     sleeps. Never raised: who arms reads it behind a light fence
//                                     only, so a rise takes the barrier that follows become.
//
// Orders
//   No data passes through this word: deadlines are read from the queues.
//   K1 <> K2   who arms shows the deadline, light fence (or full, where there is no process-wide
//              barrier), reads the word; a worker becomes keeper, process-wide barrier, reads what
//              is shown
//   K3 <> K4   who arms shows, full fence, finds the keeper's wake word awake, reads this word
//              again; the keeper: rises, resigns, full fence, reads what is shown, and the wake
//              words of others
//   K5 <> K4   a worker that does not keep falls asleep, full fence, reads the word; the keeper
//              resigns, full fence, reads wake words
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"

namespace weft::rt {

class time_keeper {
 public:
  static constexpr uint32_t nobody = UINT32_MAX;
  static constexpr int64_t never = (int64_t{1} << 53) - 1;  // as timer_wheel

  struct view {
    uint32_t who;
    int64_t alarm;
  };

  time_keeper() = default;
  time_keeper(const time_keeper&) = delete;
  time_keeper& operator=(const time_keeper&) = delete;

  // An idle worker, its wake word watching. True: it keeps from now on; the barrier comes next.
  [[nodiscard]] bool become(uint32_t me) {
    uint64_t seen = word_.load_relaxed();  // cas: below
    if (seen != 0) return false;
    return word_.cas_relaxed(seen, pack(me, never));  // K2 <> K1
  }

  // The keeper, before it sleeps no longer than until then.
  void set_alarm(uint32_t me, int64_t tick) {
    word_.store_relaxed(pack(me, tick));  // own: the keeper's; seen late, it costs a nudge
  }

  // The keeper, which is awake.
  void resign() {
    word_.store_relaxed(0);  // K4 <> K3, K5
  }

  // Who arms, after the light fence, and again after the full one.
  [[nodiscard]] view look() const {
    const uint64_t word = word_.load_relaxed();  // K1 <> K2; K3 <> K4
    return {static_cast<uint32_t>(word & keeper_mask) - 1,
            static_cast<int64_t>(word >> tick_shift)};
  }

  // After a full fence.
  [[nodiscard]] bool vacant() const {
    return word_.load_relaxed() == 0;  // K5 <> K4
  }

 private:
  static constexpr unsigned tick_shift = 11;
  static constexpr uint64_t keeper_mask = (uint64_t{1} << tick_shift) - 1;

  static uint64_t pack(uint32_t who, int64_t tick) {
    return static_cast<uint64_t>(tick) << tick_shift | (who + 1);
  }

  alignas(line_bytes) atomic<uint64_t> word_{0};
};

}  // namespace weft::rt
