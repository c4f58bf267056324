// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The word of a task that says in what way it is not plain: flags, home, extra part, permit.
//
// A plain task (the word is its default) costs one load to recognise, on every path that must know.
//
// Bits
//   0..15   task_flag            set by the spawner before publication, later by the task itself or
//                                by the worker that queues it; cleared by the same
//   16..31  1 + home, or 0       as the flags; the worker or, with flag_placed, the shepherd or
//                                pool
//   32      has an extra part    set by whoever makes it, any thread; cleared with the task
//   33      permit given         set by resume; cleared by the suspend that takes it
//   34      suspended            set on the next stack, after the switch; who clears it owns the
//                                wake
// No bit is set spuriously; 33 and 34 are never set together. All changes are RMW, because resume
// and extra_of may come from any thread at any time.
//
// Orders
//   S1 -> S2   the suspender's saved state is published to whoever resumes it
//   R1 -> R2   a resume that came first publishes what preceded it to the suspend that returns
//   C1 <> C1   flags, home: who may read them is ordered by the task's hand-over, not by this word
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/owned.hpp"

namespace weft::rt {

inline constexpr uint32_t no_worker = UINT32_MAX;

enum task_flag : uint32_t {
  flag_sticky = 1u << 0,        // resumes only on `home`, which is set when it first runs
  flag_stackless = 1u << 1,     // may not park
  flag_save_fp = 1u << 2,       // its floating-point control words follow it
  flag_pinned = 1u << 3,        // starts on `home` only
  flag_main = 1u << 4,          // stands for the thread that started Weft, or for a guest
  flag_in_deque = 1u << 5,      // parked, yet in a deque: resume it, do not call it
  flag_forked = 1u << 6,        // in the child of the fork() that it called: see child.hpp
  flag_placed = 1u << 7,        // runs on workers of the shepherd `home` only
  flag_high = 1u << 8,          // before tasks without either of these flags
  flag_low = 1u << 9,           // behind them
  flag_cancellable = 1u << 10,  // its waits stand at cancellers too: task_extra::scopes
  flag_pool = 1u << 11,         // with flag_placed: `home` is a pool
  flag_next = 1u << 12,         // with flag_pinned: starts before all that waits there
};

// What the flags of a free descriptor are: flag_sticky where WEFT_STICKY=1. Set before the first
// task.
inline owned<uint32_t> default_task_flags{0};

enum class resume_result { woken, noted };

class task_state {
 public:
  task_state() noexcept : word_(default_task_flags.get()) {}

  // Whether it used nothing that release_task would have to put right, and asks for nothing at its
  // start. While others may ask for its extra part this is a hint, and end_special looks again.
  WEFT_ALWAYS_INLINE bool plain() const noexcept {
    return word_.load_relaxed() == 0;  // hint: as said
  }
  bool has(uint32_t flag) const noexcept {
    return (word_.load_relaxed() & flag) != 0;  // C1 <> C1
  }
  uint32_t flags() const noexcept {
    return static_cast<uint32_t>(word_.load_relaxed()) & 0xffff;  // C1 <> C1
  }
  // The worker, shepherd or pool it belongs to, or no_worker.
  uint32_t home() const noexcept {
    const uint64_t word = word_.load_relaxed();  // C1 <> C1
    return static_cast<uint32_t>(word >> home_shift & home_mask) - 1;
  }

  void raise(uint64_t flags) noexcept { change(0, flags); }
  void drop(uint64_t flags) noexcept { change(flags, 0); }
  void set_home(uint32_t home) noexcept {
    change(home_mask << home_shift, (uint64_t{home} + 1) << home_shift);
  }
  // Both for a fresh task that nobody else has yet, and that has no home: without a
  // read-modify-write.
  void begin(uint32_t flags, uint32_t home) noexcept {
    const uint64_t where = ((uint64_t{home} + 1) & home_mask) << home_shift;
    const uint64_t was = word_.load_relaxed();  // init: as said
    word_.store_relaxed(was | flags | where);   // init: as said
  }
  void note_extra() noexcept { change(0, extra); }

  // The descriptor goes back: nobody else has it.
  void reset() noexcept {
    word_.store_relaxed(default_task_flags.get());  // init: as said
  }

  // The task itself, before it parks. True: a resume came first, and is used up.
  bool take_permit() noexcept {
    uint64_t seen = word_.load_relaxed();  // cas: validated below
    while ((seen & given) != 0)
      if (word_.cas_acq_rel(seen, seen & ~given)) return true;  // R2 <- R1, S1 -> S2
    return false;
  }
  // On the next stack. False: a resume came meanwhile and is used up; the task goes on.
  bool announce_suspended() noexcept {
    uint64_t seen = word_.load_relaxed();  // cas: validated below
    for (;;) {
      const bool parks = (seen & given) == 0;
      const uint64_t wanted = parks ? seen | suspended : seen & ~given;
      if (word_.cas_acq_rel(seen, wanted)) return parks;  // S1 -> S2, R2 <- R1
    }
  }
  // Any thread. woken: the caller makes the task ready.
  resume_result resume() noexcept {
    uint64_t seen = word_.load_relaxed();  // cas: validated below
    for (;;) {
      const bool wakes = (seen & suspended) != 0;
      const uint64_t wanted = wakes ? seen & ~suspended : seen | given;
      if (word_.cas_acq_rel(seen, wanted))  // R1 -> R2, S2 <- S1
        return wakes ? resume_result::woken : resume_result::noted;
    }
  }
  // True: the task was suspended and is the caller's now.
  bool claim_suspended() noexcept {
    uint64_t seen = word_.load_relaxed();  // cas: validated below
    while ((seen & suspended) != 0)
      if (word_.cas_acq_rel(seen, seen & ~suspended)) return true;  // S2 <- S1, R1 -> R2
    return false;
  }

 private:
  static constexpr unsigned home_shift = 16;
  static constexpr uint64_t home_mask = 0xffff;
  static constexpr uint64_t extra = uint64_t{1} << 32;
  static constexpr uint64_t given = uint64_t{1} << 33;
  static constexpr uint64_t suspended = uint64_t{1} << 34;

  void change(uint64_t off, uint64_t on) noexcept {
    uint64_t seen = word_.load_relaxed();                   // cas: validated below
    while (!word_.cas_acq_rel(seen, (seen & ~off) | on)) {  // S1 -> S2, R2 <- R1: keeps their chain
    }
  }

  atomic<uint64_t> word_;
};

}  // namespace weft::rt
