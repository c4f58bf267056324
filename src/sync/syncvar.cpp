// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words with their full/empty state in themselves.
//
// Orders
//   S1 -> S2   who changes a syncvar publishes what preceded that to who uses it next
#include "sync/syncvar.hpp"

#include "sync/word_group.hpp"

namespace weft::rt {

namespace {

// A syncvar made busy under the bucket of its address, of which only the waiters' group is used.
class syncvar_cell {
 public:
  explicit syncvar_cell(const uint64_t* at) noexcept : at_(const_cast<uint64_t*>(at)) {}
  syncvar_cell(const syncvar_cell&) = delete;
  syncvar_cell& operator=(const syncvar_cell&) = delete;

  // Words are aligned, so that no word's group is found by this.
  uintptr_t key() const noexcept { return reinterpret_cast<uintptr_t>(at_) | 1; }
  words_table::held& held() noexcept { return held_; }
  void lock() noexcept {
    held_ = words.close(key());
    word_ = atomic_place(at_).load_relaxed();                              // cas: validated below
    while (!atomic_place(at_).cas_acq_rel(word_, word_ | syncvar_busy)) {  // S2 <- S1, S1 -> S2
    }
  }
  void unlock() noexcept {
    word_ = find_group(*this) != nullptr ? word_ | syncvar_busy : word_ & ~syncvar_busy;
    atomic_place(at_).store_release(word_);  // S1 -> S2; last use of the syncvar
    words.open(held_);                       // last use of *this, if a waiter's stack holds it
  }
  bool empty() const noexcept { return (word_ & syncvar_is_empty) != 0; }
  uint64_t value() const noexcept { return word_ >> syncvar_shift; }
  void put(uint64_t value) noexcept { word_ = value << syncvar_shift | (word_ & syncvar_state); }
  bool set_empty() noexcept {
    word_ |= syncvar_is_empty;
    return true;
  }
  void set_full() noexcept { word_ &= ~syncvar_is_empty; }
  bool get_room() noexcept { return true; }

 private:
  uint64_t* at_;
  words_table::held held_;
  uint64_t word_ = 0;
};

// One change of a syncvar that is not busy: from `state` (empty or full) to what `wanted` makes of
// it.
template <class Wanted>
WEFT_ALWAYS_INLINE bool change(uint64_t* var, uint64_t state, uint64_t& seen,
                               Wanted wanted) noexcept {
  seen = atomic_place(var).load_relaxed();  // cas: validated below
  while ((seen & syncvar_state) == state)
    if (atomic_place(var).cas_acq_rel(seen, wanted(seen))) return true;  // S1 -> S2, S2 <- S1
  return false;
}

// The ways through the group of those who wait. The usual ways end with these calls and need no
// stack.
int act(const uint64_t* var, word_want want, uint64_t& value, int64_t deadline_ns,
        void* site) noexcept {
  if (!words.ready()) return -ENOMEM;
  // With no bucket closed, as for words: who is parted closes another.
  worker* const w = self();
  if (w != nullptr && deadline_ns != at_once && is_called_aside(*w)) [[unlikely]]
    part_from_callers(*w);
  syncvar_cell c(var);
  return word_act(c, "syncvar", var, want, value, deadline_ns, site);
}
WEFT_COLD int read_slow(const uint64_t* var, word_want want, uint64_t* out, int64_t deadline_ns,
                        void* site) noexcept {
  uint64_t value = 0;
  const int failed = act(var, want, value, deadline_ns, site);
  if (failed == 0 && out != nullptr) *out = value;
  return failed;
}
WEFT_COLD int write_slow(const uint64_t* var, word_want want, uint64_t value, int64_t deadline_ns,
                         void* site) noexcept {
  return act(var, want, value, deadline_ns, site);
}

WEFT_COLD int empty_slow(uint64_t* var) noexcept {
  if (!words.ready()) return -ENOMEM;
  syncvar_cell c(var);
  return word_empties(c, nullptr, nullptr);
}

WEFT_COLD int fill_slow(uint64_t* var, const uint64_t* value) noexcept {
  if (!words.ready()) return -ENOMEM;
  syncvar_cell c(var);
  return word_fills(c, value, nullptr);
}

WEFT_COLD int add_slow(uint64_t* var, uint64_t increment, uint64_t& sum) noexcept {
  if (!words.ready()) return -ENOMEM;
  syncvar_cell c(var);
  served out;
  c.lock();
  c.put(sum = (c.value() + increment) & syncvar_max);
  if (c.empty()) serve_full(c, find_group(c), out);
  c.unlock();
  out.wake();
  return 0;
}

constexpr auto emptied = [](uint64_t seen) { return seen | syncvar_is_empty; };
constexpr auto filled = [](uint64_t seen) { return seen & ~syncvar_is_empty; };
constexpr auto full_with = [](uint64_t value) {
  return [value](uint64_t) { return value << syncvar_shift; };
};

}  // namespace

uint64_t syncvar_read_xx(const uint64_t* var) noexcept {
  return atomic_place(var).load_acquire() >> syncvar_shift;  // S2 <- S1
}

bool syncvar_is_full(const uint64_t* var) noexcept {
  return (atomic_place(var).load_acquire() & syncvar_is_empty) == 0;  // S2 <- S1
}

int syncvar_empty(uint64_t* var) noexcept {
  uint64_t seen = 0;
  const bool changed = change(var, 0, seen, emptied) || (seen & syncvar_state) == syncvar_is_empty;
  return changed ? 0 : empty_slow(var);
}

int syncvar_fill(uint64_t* var) noexcept {
  uint64_t seen = 0;
  const bool changed = change(var, syncvar_is_empty, seen, filled) || (seen & syncvar_state) == 0;
  return changed ? 0 : fill_slow(var, nullptr);
}

int syncvar_write_f(uint64_t* var, uint64_t value) noexcept {
  uint64_t seen = 0;
  const bool changed = change(var, 0, seen, full_with(value)) ||
                       change(var, syncvar_is_empty, seen, full_with(value));
  return changed ? 0 : fill_slow(var, &value);
}

int syncvar_add_f(uint64_t* var, uint64_t increment, uint64_t& sum) noexcept {
  uint64_t seen = 0;
  const auto full_with_sum = [increment](uint64_t before) {
    return ((before >> syncvar_shift) + increment) << syncvar_shift;
  };
  if (!change(var, 0, seen, full_with_sum) && !change(var, syncvar_is_empty, seen, full_with_sum))
      [[unlikely]]
    return add_slow(var, increment, sum);
  sum = full_with_sum(seen) >> syncvar_shift;
  return 0;
}

int syncvar_write_ef(uint64_t* var, uint64_t value, int64_t deadline_ns, void* site) noexcept {
  uint64_t seen = 0;
  if (change(var, syncvar_is_empty, seen, full_with(value))) [[likely]]
    return 0;
  return write_slow(var, word_want::write_ef, value, deadline_ns, site);
}

int syncvar_write_ff(uint64_t* var, uint64_t value, int64_t deadline_ns, void* site) noexcept {
  uint64_t seen = 0;
  if (change(var, 0, seen, full_with(value))) [[likely]]
    return 0;
  return write_slow(var, word_want::write_ff, value, deadline_ns, site);
}

int syncvar_read_ff(const uint64_t* var, uint64_t* out, int64_t deadline_ns, void* site) noexcept {
  const uint64_t seen = atomic_place(var).load_acquire();  // S2 <- S1
  if ((seen & syncvar_is_empty) != 0) [[unlikely]]
    return read_slow(var, word_want::read_ff, out, deadline_ns, site);
  if (out != nullptr) *out = seen >> syncvar_shift;
  return 0;
}

int syncvar_read_fe(uint64_t* var, uint64_t* out, int64_t deadline_ns, void* site) noexcept {
  uint64_t seen = 0;
  if (!change(var, 0, seen, emptied)) [[unlikely]]
    return read_slow(var, word_want::read_fe, out, deadline_ns, site);
  if (out != nullptr) *out = seen >> syncvar_shift;
  return 0;
}

}  // namespace weft::rt
