// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hierarchical timing wheel: add and remove in constant time, take what is due in order.
//
// Used under its caller's lock (timer_queue.hpp). Entries lie in their users' memory, so nothing
// here can fail. Time is counted in ticks. Source: Varghese and Lauck, SOSP 1987, scheme 7; the
// choice of the level by the highest digit that differs from `elapsed_` is Tokio's.
//
// Terms
//   digit     6 bits of a tick; digit l of a tick says in which of the 64 slots of level l it
//             belongs
//   elapsed   what is known to have passed; never above the time that the last take was told
//
// Invariants
//   I1  an entry on level l agrees with elapsed_ in all digits above l, and its digit l is above
//       that of elapsed_. So whatever is on a lower level is due earlier, and so is a lower slot of
//       a level.
//   I2  but for one slot: emptying_, whose first tick is elapsed_; its entries are on their way to
//       lower levels or due. It is gone through before anything else, as is `late_`.
//   I3  first_[l][s] is not above any tick in that slot.
#pragma once

#include <bit>
#include <cstdint>

namespace weft::rt {

// In a timer that is in a wheel; the wheel alone touches it.
struct wheel_entry {
  wheel_entry* next = nullptr;
  wheel_entry* prev = nullptr;
  int64_t tick = 0;
  uint32_t place = 0;  // the slot: 64 * level + digit, or timer_wheel::late
};

class timer_wheel {
 public:
  // Later than any tick.
  static constexpr int64_t never = (int64_t{1} << 53) - 1;

  // now: no tick that passed before it need be told apart.
  explicit timer_wheel(int64_t now) : elapsed_(now) {}
  timer_wheel(const timer_wheel&) = delete;
  timer_wheel& operator=(const timer_wheel&) = delete;

  // 0 <= tick < never. A tick that has passed already is due.
  void add(wheel_entry& e, int64_t tick) {
    e.tick = tick;
    append(place_of(tick), e);
  }

  void remove(wheel_entry& e) { unlink(e); }

  // Takes out an entry whose tick is not above now, the earliest tick first (those of one tick, or
  // late when they were added, in the order in which they came). Null: none is due, or `moves`
  // entries have changed their level meanwhile, each counted off: then next() is not above now.
  wheel_entry* take(int64_t now, int& moves) {
    do {
      if (wheel_entry* e = slots_[late].head) {
        unlink(*e);
        return e;
      }
      while (wheel_entry* e = emptying_ != late ? slots_[emptying_].head : nullptr) {
        if (emptying_ >= slots_per_level && moves-- <= 0) return nullptr;
        unlink(*e);
        if (emptying_ < slots_per_level) return e;
        append(place_of(e->tick), *e);
      }
      emptying_ = late;
    } while (slots_[late].head != nullptr || begin_next(now));
    return nullptr;
  }

  // Nothing is due before this tick; never: there is nothing. May be too early, never too late.
  int64_t next() const {
    if (slots_[late].head != nullptr) return elapsed_;
    if (emptying_ != late && slots_[emptying_].head != nullptr) return elapsed_;
    const uint32_t level = lowest_level();
    return level < levels ? slots_[first_slot(level)].first : never;
  }

 private:
  static constexpr uint32_t digit_bits = 6;
  static constexpr uint32_t slots_per_level = 1u << digit_bits;
  static constexpr uint32_t levels = 9;  // 54 bits: every tick below never
  static constexpr uint32_t late = levels * slots_per_level;

  struct slot_list {
    wheel_entry* head = nullptr;  // a ring
    int64_t first = never;
  };

  // A tick that is elapsed goes to the late ones, which keep the order of their arrival.
  uint32_t place_of(int64_t tick) const {
    if (tick <= elapsed_) return late;
    const auto differs = static_cast<uint64_t>(tick ^ elapsed_);
    const uint32_t level = static_cast<uint32_t>(std::bit_width(differs) - 1) / digit_bits;
    const auto digit = static_cast<uint32_t>(tick >> (level * digit_bits)) & (slots_per_level - 1);
    return level * slots_per_level + digit;
  }

  // Time passes until the first slot is to be emptied. False: until now, that comes later.
  bool begin_next(int64_t now) {
    const uint32_t level = lowest_level();
    const uint32_t slot = level < levels ? first_slot(level) : late;
    if (slot == late || start_of(slot) > now) {
      if (elapsed_ < now) elapsed_ = now;
      return false;
    }
    elapsed_ = start_of(slot);
    emptying_ = slot;
    return true;
  }

  void append(uint32_t place, wheel_entry& e) {
    slot_list& s = slots_[place];
    e.place = place;
    if (s.head == nullptr) {
      e.next = &e;
      e.prev = &e;
      s.head = &e;
      s.first = e.tick;
      if (place != late) occupied_[place / slots_per_level] |= bit_of(place);
      return;
    }
    e.next = s.head;
    e.prev = s.head->prev;
    e.prev->next = &e;
    s.head->prev = &e;
    if (e.tick < s.first) s.first = e.tick;
  }

  void unlink(wheel_entry& e) {
    slot_list& s = slots_[e.place];
    if (e.next == &e) {
      s.head = nullptr;
      if (e.place != late) occupied_[e.place / slots_per_level] &= ~bit_of(e.place);
      return;
    }
    e.prev->next = e.next;
    e.next->prev = e.prev;
    if (s.head == &e) s.head = e.next;
  }

  static uint64_t bit_of(uint32_t place) { return uint64_t{1} << (place % slots_per_level); }

  uint32_t lowest_level() const {
    uint32_t level = 0;
    while (level < levels && occupied_[level] == 0) ++level;
    return level;
  }
  uint32_t first_slot(uint32_t level) const {
    return level * slots_per_level + static_cast<uint32_t>(std::countr_zero(occupied_[level]));
  }
  // The first tick of a slot of I1.
  int64_t start_of(uint32_t place) const {
    const uint32_t level = place / slots_per_level;
    const int64_t above = elapsed_ >> ((level + 1) * digit_bits) << ((level + 1) * digit_bits);
    return above | static_cast<int64_t>(place % slots_per_level) << (level * digit_bits);
  }

  int64_t elapsed_;
  uint32_t emptying_ = late;
  uint64_t occupied_[levels] = {};
  slot_list slots_[levels * slots_per_level + 1];
};

}  // namespace weft::rt
