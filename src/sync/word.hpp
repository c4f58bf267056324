// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty bits: every aligned word of memory is full or empty, and a flow can wait for either.
//
// The state of a word stands in the table of lockfree/word_table.hpp, that of a syncvar in itself
// (syncvar.hpp). Those who wait stand in a group, one for each word that somebody waits at. A group
// is a note of the table and lies in one of its waiters (its host); when the host leaves, the group
// moves to another of them, so that waiting takes no memory but the waiters' stacks.
//
// While a word is empty, in this order a fill serves all of `writers`, all of `readers`, and the
// first of `turn`, who empties it again. While it is full, `turn` holds those who wait to write an
// empty one: the first of them fills a word as soon as it is emptied. So two kinds of waiters in
// `turn` never meet.
//
// Invariants, while the bucket is open
//   I1  readers and writers wait at an empty word only.
//   I2  a group has a waiter or a producer, and its host is one of these.
//   I3  a producer is named at an empty word only.
//
// Orders
//   word_V1 -> word_V2   a value, and what preceded it, is seen by who reads a full word without
//                        the lock
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "lockfree/word_table.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

// What the table borrows.
struct word_env {
  static WEFT_ALWAYS_INLINE uint64_t hash(uintptr_t line) noexcept {
    // Low bits are what counts, so the two best parts of the product are laid over each other.
    const uint64_t mixed = line * 0x9E37'79B9'7F4A'7C15;
    return mixed >> 40 ^ mixed >> 20;
  }
  static void pause(unsigned spun) noexcept { spin_in_crowd(spun); }
  static bool prepare() noexcept;
  static void* reserve(std::size_t bytes) noexcept;
  static void discard(void* p, std::size_t bytes) noexcept;
  static void* take(std::size_t bytes) noexcept;
  static void give(void* p, std::size_t bytes) noexcept;
  static bool gone(uintptr_t line) noexcept;

  static constexpr uint64_t first_buckets = 512;
  static constexpr uint64_t crowded_buckets = 1u << 14;
  static constexpr uint64_t most_buckets = 1u << 25;  // addresses, not memory
  static constexpr uint64_t least_buckets = 64;
  static constexpr uint32_t crowd = 64;
};
using words_table = word_table<word_env>;
inline constinit words_table words;

// fill_ef: as write_ef of the value that is there by then.
enum class word_want : uint8_t { read_ff, read_fe, write_ef, write_ff, fill_ef };
constexpr bool wants_empty(word_want w) noexcept {
  return w == word_want::write_ef || w == word_want::fill_ef;
}
constexpr bool wants_value(word_want w) noexcept {
  return w == word_want::read_ff || w == word_want::read_fe;
}

struct word_waiter;
struct word_producer;

struct word_group : word_note {
  word_waiter* host = nullptr;  // null: the producer's
  wait_queue readers;
  wait_queue writers;
  wait_queue turn;
  word_producer* producer = nullptr;
};

struct word_waiter : waiter {
  word_waiter(wait& w, word_want wanted, uint64_t to_write) noexcept
      : waiter(w), want(wanted), value(to_write) {}
  // Stands for no flow: `called` is run, with no bucket closed, when the word is full; or with
  // false, when the runtime stops.
  using call = void (*)(word_waiter& n, bool full) noexcept;
  explicit word_waiter(call to_run) noexcept : want(word_want::read_ff), called(to_run) {}

  const word_want want;
  const call called = nullptr;
  uint64_t value = 0;  // to be written; or what was read, by whoever claims the wait
  word_group group;
};

// The task that will fill a word when it ends, named in the word's group so that who reads the
// empty word can run it. Lies in memory that lives until word_produce().
struct word_producer {
  explicit word_producer(task* t) noexcept : who(t) {}
  task* const who;
  // Under the bucket of the word.
  bool named = false;
  word_group group;
};

inline constexpr int64_t at_once = INT64_MIN;  // instead of a deadline: the try form

// Told that a flow is about to wait, under the word's bucket; and that it does no more.
using wait_note = void (*)(int begins);

// All: 0, -ENOMEM (no memory for the table; nothing happened); those that can wait also -EBUSY (at
// once), -ETIMEDOUT, -EPERM. `word` is aligned.
int word_empty(uint64_t* word) noexcept;
int word_fill(uint64_t* word) noexcept;
int word_purge_to(uint64_t* word, uint64_t value) noexcept;
int word_write_f(uint64_t* word, uint64_t value) noexcept;
int word_write_ff(uint64_t* word, uint64_t value, int64_t deadline_ns, void* site) noexcept;
int word_fill_ef(uint64_t* word, int64_t deadline_ns, void* site,
                 wait_note note = nullptr) noexcept;
inline uint64_t word_read_xx(const uint64_t* word) noexcept {
  return atomic_place(word).load_acquire();  // word_V2 <- word_V1
}
bool word_is_full(const uint64_t* word) noexcept;

inline uintptr_t word_address(const uint64_t* word) noexcept {
  return reinterpret_cast<uintptr_t>(word);
}

// What a read gives: nothing where nothing is wanted. To the word itself neither: it may have
// another value by now.
WEFT_ALWAYS_INLINE void give_read(uint64_t value, const uint64_t* word, uint64_t* out) noexcept {
  if (out != nullptr && out != word) *out = value;
}

// The usual cases of reading and emptying, and of filling, under the word's bucket: nobody waits at
// it.
WEFT_ALWAYS_INLINE bool word_read_and_empty(const words_table::held& h, const uint64_t* word,
                                            uint64_t& value) noexcept {
  if (words_table::may_be_noted(h, word_address(word))) return false;
  return words_table::empty_and_open(h, word_address(word), [&](const words_table::held&) {
    value = atomic_place(word).load_relaxed();  // via: the bucket
    return true;
  });
}
WEFT_ALWAYS_INLINE bool word_write_and_fill(const words_table::held& h, uint64_t* word,
                                            uint64_t value) noexcept {
  if (words_table::may_be_noted(h, word_address(word))) return false;
  return words_table::fill_and_open(h, word_address(word), [&](const words_table::held&) {
    atomic_place(word).store_release(value);  // word_V1 -> word_V2
    return true;
  });
}

// All cases but the usual ones. at, state: the word's bucket, which the caller has closed, and how
// it was; null, 0: it has not. With a deadline (_late) there is no note, so that what they are told
// fits into registers.
WEFT_NOINLINE int word_read_ff_slow(const uint64_t* word, uint64_t* out, int64_t deadline_ns,
                                    void* site, wait_note note) noexcept;
WEFT_NOINLINE int word_read_fe_slow(uint64_t* word, uint64_t* out, void* site, wait_note note,
                                    words_table::bucket* at, uint64_t state) noexcept;
WEFT_NOINLINE int word_read_fe_late(uint64_t* word, uint64_t* out, int64_t deadline_ns, void* site,
                                    words_table::bucket* at, uint64_t state) noexcept;
WEFT_NOINLINE int word_write_ef_slow(uint64_t* word, uint64_t value, void* site, wait_note note,
                                     words_table::bucket* at, uint64_t state) noexcept;
WEFT_NOINLINE int word_write_ef_late(uint64_t* word, uint64_t value, int64_t deadline_ns,
                                     void* site, words_table::bucket* at, uint64_t state) noexcept;

// Compiled into their callers, which end with the call of a slow one and need no stack for the
// usual case. note: of a wait without a deadline.
WEFT_ALWAYS_INLINE int word_read_ff(const uint64_t* word, uint64_t* out, int64_t deadline_ns,
                                    void* site, wait_note note = nullptr) noexcept {
  uint64_t value = 0;
  const auto load_acquire = [&] {
    return atomic_place(word).load_acquire();  // word_V2 <- word_V1
  };
  if (!words.read_full(word_address(word), load_acquire, value)) [[unlikely]]
    return word_read_ff_slow(word, out, deadline_ns, site, note);
  give_read(value, word, out);
  return 0;
}

WEFT_ALWAYS_INLINE int word_read_fe(uint64_t* word, uint64_t* out, int64_t deadline_ns, void* site,
                                    wait_note note = nullptr) noexcept {
  const words_table::held h = words.close_at_once(word_address(word));
  uint64_t value = 0;
  if (h.state == 0 || !word_read_and_empty(h, word, value)) [[unlikely]]
    return deadline_ns == forever ? word_read_fe_slow(word, out, site, note, h.at, h.state)
                                  : word_read_fe_late(word, out, deadline_ns, site, h.at, h.state);
  give_read(value, word, out);
  return 0;
}

WEFT_ALWAYS_INLINE int word_write_ef(uint64_t* word, uint64_t value, int64_t deadline_ns,
                                     void* site, wait_note note = nullptr) noexcept {
  const words_table::held h = words.close_at_once(word_address(word));
  if (h.state == 0 || !word_write_and_fill(h, word, value)) [[unlikely]]
    return deadline_ns == forever
               ? word_write_ef_slow(word, value, site, note, h.at, h.state)
               : word_write_ef_late(word, value, deadline_ns, site, h.at, h.state);
  return 0;
}

// Empties the word and names its producer.
int word_set_producer(uint64_t* word, word_producer& p) noexcept;
// By the producer at its end, whether it is still named or not: writes the value, full. `p` is free
// then.
int word_produce(uint64_t* word, word_producer& p, uint64_t value) noexcept;

// By the task that was spawned for the word (spawn_filler): as word_write_f, and who called the
// task for it goes on.
int word_write_last(uint64_t* word, uint64_t value) noexcept;

// Instead, by a producer without a value: if it is named the word is full, as it stands. `p` is
// free then.
void word_disown(uint64_t* word, word_producer& p) noexcept;

// For select: stands in the word's queue unless the word is as n wants it (-EALREADY: try again).
// After 0 it stands until it is claimed or leaves.
int word_stand(uint64_t* word, word_waiter& n) noexcept;
void word_leave(uint64_t* word, word_waiter& n) noexcept;

// At the stop of the runtime: no task waits any more.
void words_forget_tasks() noexcept;
// In the child of a fork: all words are full, and nobody waits.
void words_forget_all() noexcept;

}  // namespace weft::rt
