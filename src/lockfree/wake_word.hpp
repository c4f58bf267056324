// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The word that an idle worker watches or sleeps on, and that others write to wake it.
//
// States, and who may leave them
//   awake     the worker runs.                               Only the worker: watch.
//   watching  it reads the word over and over.               The worker: fall_asleep, rise; others.
//   asleep    it waits in the kernel for a change.           The worker: rise, stir; others; a
//                                                            nudge: to watching.
//   called    somebody put work where this worker looks.     The worker: rise; others: to handed.
//   handed    a claim of idle_census makes it a searcher.    Only the worker: rise.
//   uncounted as watching, but no claim reaches it: it takes The worker: fall_asleep_uncounted,
//             what is sent to it by name alone.              rise; others: call.
//   uncounted, asleep; uncounted, called: as asleep and called, but for claims and nudges.
// No state is set spuriously. A call that finds the worker awake, called or handed is dropped,
// because the worker looks at its own places between watch and fall_asleep.
//
// Orders
//   N1 -> R1   call publishes what precedes it to the worker that rises
//   N2 -> R1   so does hand_search
//   N3 <> W1   a caller puts work, full fence, reads the word; the worker: watch, a full or
//              process-wide barrier, looks at the places where callers put work
//   N4 <> W2   who arms a timer shows it, full fence, reads the word; the worker falls asleep, full
//              fence, looks at what is shown
//   N5 <> W4   who puts urgent work, full fence, reads the word and passes over the idle; the
//              worker rises, full fence, looks for urgent work
//   N4 <> W3   the same against a worker that rises, full fence, and asks who keeps the time
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"

namespace weft::rt {

enum class wake_reason { by_itself, called, handed };

// What the waker must do next.
enum class wake_result {
  not_idle,   // nothing: the worker was not woken by this call
  noticed,    // nothing: the worker is watching, or another wakes it
  must_wake,  // wake one waiter of futex()
};

class wake_word {
 public:
  wake_word() = default;
  wake_word(const wake_word&) = delete;
  wake_word& operator=(const wake_word&) = delete;

  // The worker, awake. Then idle_census::searcher_gives_up, the barrier, a last look round.
  void watch() {
    word_.store_relaxed(watching);  // W1 <> N3
  }

  // The worker, watching. True: wait in the kernel while futex() holds asleep_value. False:
  // notified.
  [[nodiscard]] bool fall_asleep() {
    std::uint32_t seen = watching;
    return word_.cas_relaxed(seen,
                             asleep);  // W2 <> N4; hands nothing over; the kernel compares again
  }

  // The worker, after a sleep that nobody ended, or instead of one: it watches again, unless
  // notified.
  void stir() {
    std::uint32_t seen = asleep;
    (void)word_.cas_relaxed(seen, watching);  // own: hands nothing over
  }

  // The worker: nobody has written since it fell asleep.
  [[nodiscard]] bool is_asleep() const {
    return word_.load_relaxed() == asleep;  // hint: the kernel compares again
  }

  // The same four for a worker that is not counted among the idle. Then a full or process-wide
  // barrier, and a look at the places where callers put work.
  void watch_uncounted() {
    word_.store_relaxed(uncounted);  // W1 <> N3
  }
  [[nodiscard]] bool fall_asleep_uncounted() {
    std::uint32_t seen = uncounted;
    return word_.cas_relaxed(seen, uncounted_asleep);  // own: the kernel compares again
  }
  void stir_uncounted() {
    std::uint32_t seen = uncounted_asleep;
    (void)word_.cas_relaxed(seen, uncounted);  // own: hands nothing over
  }
  [[nodiscard]] bool is_asleep_uncounted() const {
    return word_.load_relaxed() == uncounted_asleep;  // hint: the kernel compares again
  }

  // Any thread, after a full fence that pairs with the one after the worker's rise: false, and the
  // worker looks at all places before it goes to work, or it is at work.
  [[nodiscard]] bool is_idle() const {
    const std::uint32_t seen = word_.load_relaxed();  // N5 <> W4
    return seen == watching || seen == asleep || seen == uncounted || seen == uncounted_asleep;
  }

  // The same for one that is idle uncounted.
  [[nodiscard]] bool is_uncounted() const {
    const std::uint32_t seen = word_.load_relaxed();  // hint: call() tells
    return seen == uncounted || seen == uncounted_asleep;
  }

  // The worker, watching or asleep: worth calling rise?
  [[nodiscard]] bool is_notified() const {
    return word_.load_relaxed() >= called;  // hint: rise tells
  }

  // The worker, watching or notified. Ends its idleness and says who did. Unless `handed`, it calls
  // idle_census::idle_leaves next.
  [[nodiscard]] wake_reason rise() {
    const std::uint32_t was = word_.exchange_acquire(awake);  // R1 <- N1, N2; W3 <> N4; W4 <> N5
    if (was == called || was == uncounted_called) return wake_reason::called;
    return was == handed ? wake_reason::handed : wake_reason::by_itself;
  }

  // Any thread, after it put work where this worker looks by itself. The fence is in here.
  [[nodiscard]] wake_result call() {
    fence_seq_cst();                            // N3 <> W1
    std::uint32_t seen = word_.load_relaxed();  // N3 <> W1
    while (seen != awake && seen < called)
      // N1 -> R1; unseen: the fence above publishes as much, but not to a thread sanitizer
      if (word_.cas_release(seen, seen < uncounted ? called : uncounted_called)) return next(seen);
    return wake_result::not_idle;
  }

  // The holder of a claim from idle_census::claim_wake. Unless `not_idle`, the claim is handed
  // over. A worker that was called but has not risen takes it too: it has not left the count of the
  // idle yet.
  [[nodiscard]] wake_result hand_search() {
    std::uint32_t seen = word_.load_relaxed();  // cas: N2; a late `awake` costs a round
    while (seen == watching || seen == asleep || seen == called)
      if (word_.cas_release(seen, handed)) return next(seen);  // N2 -> R1
    return wake_result::not_idle;
  }

  // Any thread, after a full fence: what an idle worker looks at before it sleeps has changed. It
  // stays idle. not_idle: it is awake, or on its way.
  [[nodiscard]] wake_result nudge() {
    std::uint32_t seen = word_.load_relaxed();  // N4 <> W2, W3
    while (seen == asleep)
      if (word_.cas_relaxed(seen, watching)) return wake_result::must_wake;  // N4 <> W2, W3
    return seen == watching ? wake_result::noticed : wake_result::not_idle;
  }

  static constexpr std::uint32_t asleep_value = 2;
  static constexpr std::uint32_t uncounted_asleep_value = 4;
  atomic<std::uint32_t>& futex() { return word_; }

 private:
  static constexpr std::uint32_t awake = 0;
  static constexpr std::uint32_t watching = 1;
  static constexpr std::uint32_t asleep = asleep_value;
  static constexpr std::uint32_t uncounted = 3;
  static constexpr std::uint32_t uncounted_asleep = uncounted_asleep_value;
  static constexpr std::uint32_t called = 5;  // from here on: notified
  static constexpr std::uint32_t handed = 6;
  static constexpr std::uint32_t uncounted_called = 7;

  static wake_result next(std::uint32_t was) {
    return was == asleep || was == uncounted_asleep ? wake_result::must_wake : wake_result::noticed;
  }

  alignas(line_bytes) atomic<std::uint32_t> word_{awake};
};

}  // namespace weft::rt
