// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which words are empty: a hash table in which a full word costs nothing and is read without a
// lock.
//
// One entry stands for the words of one 64-byte line: its number and a bit for each of the eight. A
// line without an empty word has no entry. The buckets are lines too. They stand in one range of
// addresses that is reserved at once and touched as the table grows, bucket after bucket (Litwin,
// "Linear Hashing", VLDB 1980), so that there is never a second table, and an old reader of a
// bucket that is none any more reads zeros: closed.
//
// A bucket's state is its lock and its version:
//   0         closed: somebody works in it, or it is no bucket now
//   bits 0-7  waited: bit i is set while a note names word i of some line. So who finds it down
//             knows without a look at the notes, which lie in other flows' memory, that nobody
//             waits at the word.
//   bit 8     mixed: two notes share a waited bit
//   bit 9     open
//   bits 10-12 how many of entries_ are used
//   bit 13    there are more entries on lines outside; then all of entries_ are used
//   bit 14    heavy: it had `heavy_from` entries and has had more than one since
//   bits 15-  version: raised at each open. It never repeats, also not when a bucket comes back.
// Who closes it exchanges 0 in, so that nothing is lost where it was closed already.
//
// Which bucket is a line's follows from the shape: the number of buckets, and a mask. A bucket is
// split or merged only by who has closed it, and the shape is written before it is opened again. So
// who has closed the bucket that some shape names, and then reads the same shape, has the right
// one.
//
// Reading a full word without a lock: state, shape again, entries, the word, state again. If the
// state is the same, nobody was inside meanwhile. Each of the reads in between acquires and each of
// the writes inside releases, so that who reads something new sees the state closed as well.
//
// The table grows when entries go outside, when many wait in one bucket, or when closers meet often
// (each bucket is a stripe); it shrinks when few buckets are heavy. An entry whose line is mapped
// no more is dropped where it would make the table grow.
//
// Orders
//   M1 -> M2   the range and its first buckets are published with each shape
//   U1 -> L1   who opens a bucket publishes what it wrote inside to who closes it next
//   U1 -> R1   ... and to who reads without a lock
//   E1 -> R2   who reads a new entry sees the state that was closed before
//   G1 -> G2   resizers, one after the other
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/check.hpp"
#include "base/guarded.hpp"
#include "lockfree/word_notes.hpp"

namespace weft::rt {

// Env: what the table borrows.
//   uint64_t hash(uintptr_t line)           void pause(unsigned spun)
//   bool prepare()                          before anything else; false: no memory
//   void* reserve(bytes), null: no space    void discard(void*, bytes): zeros from now on
//   void* take(bytes), void give(void*, bytes)
//   bool gone(uintptr_t line)               whether that memory is mapped no more
//   first_buckets, crowded_buckets, most_buckets, least_buckets
//   crowd: so many meetings of closers bring so many buckets
template <class Env>
class word_table {
 public:
  static constexpr unsigned many_notes =
      8;  // those of one line share a bucket however many there are
  static constexpr unsigned own_entries = 5;
  static constexpr unsigned more_entries = 7;

  struct more_line {
    more_line* next;
    uint64_t entries[more_entries];
  };

  struct alignas(line_bytes) bucket {
    atomic<uint64_t> state{0};
    word_notes notes;
    more_line* more = nullptr;
    atomic<uint64_t> entries[own_entries];
  };

  // A closed bucket, until open().
  struct held {
    bucket* at = nullptr;
    uint64_t state = 0;          // as it will be opened, but for the version
    more_line* spare = nullptr;  // for set_empty(); what is left goes back at open()
    uint32_t after = 0;          // what to see to after open()
  };

  enum class mark { done, was_so, no_room };

  constexpr word_table() noexcept = default;
  word_table(const word_table&) = delete;
  word_table& operator=(const word_table&) = delete;

  // Before the first close(). False: no memory.
  [[nodiscard]] WEFT_ALWAYS_INLINE bool ready() noexcept {
    return shape_.load_relaxed() != 0 || make();  // hint: make() and close() look again
  }

  // Reads the word through load() if it is full for sure and nobody is in its bucket; else false.
  template <class Load>
  [[nodiscard]] WEFT_ALWAYS_INLINE bool read_full(uintptr_t word, Load&& load_acquire,
                                                  uint64_t& value) const noexcept {
    const uint64_t shape = shape_.load_acquire();  // M2 <- M1
    if (shape == 0) [[unlikely]]
      return read_before_all(load_acquire, value);
    const uintptr_t line = word / line_bytes;
    const uint64_t unmarked = line * line_marks;
    const bucket& b = buckets_.get()[index(Env::hash(line), shape)];
    const uint64_t seen = b.state.load_acquire();                                      // R1 <- U1
    if ((seen & (open_bit | more_bit)) != open_bit || shape_.load_relaxed() != shape)  // via: R1
        [[unlikely]]
      return false;
    const unsigned count = count_of(seen);
    for (unsigned i = 0; i < count; ++i) {
      const uint64_t entry = b.entries[i].load_acquire();  // R2 <- E1
      const uint64_t marks = entry ^ unmarked;
      if (marks < line_marks && (marks & bit_of(word)) != 0) return false;
    }
    value = load_acquire();
    return b.state.load_relaxed() == seen;  // via: R2, and what load_acquire() read
  }

  // Closes the bucket of a word without waiting, whether the table is ready or not; `state` is 0 if
  // that fails.
  WEFT_ALWAYS_INLINE held close_at_once(uintptr_t word) noexcept {
    const uint64_t shape = shape_.load_acquire();  // M2 <- M1
    if (shape == 0) [[unlikely]]
      return {};
    bucket& b = buckets_.get()[index(Env::hash(word / line_bytes), shape)];
    const uint64_t state = b.state.exchange_acquire(0);  // L1 <- U1
    if (state == 0) [[unlikely]]
      return {};
    if (shape_.load_relaxed() != shape) [[unlikely]] {  // via: L1
      give_back(b, state);
      return {};
    }
    return {&b, state};
  }

  // The same with waiting. The table is ready.
  WEFT_ALWAYS_INLINE held close(uintptr_t word) noexcept {
    const held h = close_at_once(word);
    return h.state != 0 ? h : close_slow(word);
  }

  WEFT_ALWAYS_INLINE void open(const held& h) noexcept {
    const uint32_t after = h.after;
    more_line* spare = h.spare;
    h.at->state.store_release(opened(h));  // U1 -> L1, R1
    if (after != 0 || spare != nullptr) [[unlikely]]
      tend(after, spare);
  }

  // What open() makes of the state. Who stores that itself sees to nothing else.
  static WEFT_ALWAYS_INLINE uint64_t opened(const held& h) noexcept { return h.state + one_change; }

  // As open(), where nothing has changed.
  static WEFT_ALWAYS_INLINE void reopen(const held& h) noexcept {
    h.at->state.store_release(h.state);  // U1 -> L1, R1
  }

  [[nodiscard]] WEFT_ALWAYS_INLINE bool is_empty(const held& h, uintptr_t word) const noexcept {
    const line_place p = find(h, word);
    if (p.used) return (p.entry & bit_of(word)) != 0;
    if ((h.state & more_bit) == 0) return false;
    const uint64_t* more = find_more(*h.at, word / line_bytes);
    return more != nullptr && (*more & bit_of(word)) != 0;
  }

  // no_room: open(), get a line by spare_line(), and begin again with it in held.spare.
  [[nodiscard]] WEFT_ALWAYS_INLINE mark set_empty(held& h, uintptr_t word) noexcept {
    const line_place p = find(h, word);
    const uint64_t entry = p.entry | bit_of(word);
    if (p.used) {
      if (entry == p.entry) return mark::was_so;
      // E1 -> R2; unseen: relacy remembers three stores of a state, and has four by then
      h.at->entries[p.at].store_release(entry);
      return mark::done;
    }
    if (p.at == own_entries) [[unlikely]]
      return set_empty_outside(h, word);
    append(h, entry);
    return mark::done;
  }

  // was_so: it is full.
  WEFT_ALWAYS_INLINE mark set_full(held& h, uintptr_t word) noexcept {
    const line_place p = find(h, word);
    if (!p.used) [[unlikely]]
      return set_full_outside(h, word);
    const uint64_t left = p.entry & ~bit_of(word);
    if (left == p.entry) return mark::was_so;
    if (left % line_marks != 0) {
      h.at->entries[p.at].store_release(left);  // E1 -> R2
    } else {
      drop(h, p.at);
    }
    return mark::done;
  }

  // The usual cases of set_empty() and open() in one, on registers: the word is full and the bucket
  // asks for nothing else. act(held) is called inside, may refuse, and may add or remove a note.
  // False: nothing happened, the bucket is closed still.
  template <class Act>
  [[nodiscard]] static WEFT_ALWAYS_INLINE bool empty_and_open(held h, uintptr_t word,
                                                              Act&& act) noexcept {
    const line_place p = find(h, word);
    const uint64_t entry = p.entry | bit_of(word);
    uint64_t change = one_change;
    if (p.used) {
      if (entry == p.entry) return false;
    } else {
      change += one_entry;
      if (p.at == own_entries ||
          ((h.state + change) & (count_mask | heavy_bit)) == heavy_from * one_entry)
        return false;
    }
    if (!act(h)) return false;
    // E1 -> R2; unseen: as in set_empty()
    h.at->entries[p.at].store_release(entry);
    h.at->state.store_release(h.state + change);  // U1 -> L1, R1
    return true;
  }
  // The same with set_full().
  template <class Act>
  [[nodiscard]] static WEFT_ALWAYS_INLINE bool fill_and_open(held h, uintptr_t word,
                                                             Act&& act) noexcept {
    const line_place p = find(h, word);
    uint64_t left = p.entry & ~bit_of(word);
    if (left == p.entry) return false;
    uint64_t change = one_change;
    if (left % line_marks == 0) {
      change -= one_entry;
      const uint64_t opened = h.state + change;
      left = h.at->entries[count_of(opened)].load_relaxed();  // via: L1
      const uint64_t kept = opened & (count_mask | heavy_bit);
      // See drop().
      if ((h.state & more_bit) != 0 || kept == (one_entry | heavy_bit) ||
          (kept == 0 && opened / one_change % look_every == 0))
        return false;
    }
    if (!act(h)) return false;
    h.at->entries[p.at].store_release(left);      // E1 -> R2
    h.at->state.store_release(h.state + change);  // U1 -> L1, R1
    return true;
  }
  // Both from close_at_once() on. False: nothing happened, nothing is closed.
  template <class Act>
  [[nodiscard]] WEFT_ALWAYS_INLINE bool empty_plainly(uintptr_t word, Act&& act) noexcept {
    const held h = close_at_once(word);
    return h.state != 0 && or_reopen(h, empty_and_open(h, word, act));
  }
  template <class Act>
  [[nodiscard]] WEFT_ALWAYS_INLINE bool fill_plainly(uintptr_t word, Act&& act) noexcept {
    const held h = close_at_once(word);
    return h.state != 0 && or_reopen(h, fill_and_open(h, word, act));
  }

  // Memory for set_empty(), or null. Not under a closed bucket.
  [[nodiscard]] WEFT_COLD more_line* spare_line() noexcept {
    return static_cast<more_line*>(Env::take(sizeof(more_line)));
  }

  // Whether somebody waits at the word. False is for sure; for the rest see find_note().
  static WEFT_ALWAYS_INLINE bool may_be_noted(const held& h, uintptr_t word) noexcept {
    return (h.state & bit_of(word)) != 0;
  }
  static WEFT_ALWAYS_INLINE word_note* find_note(const held& h, uintptr_t word) noexcept {
    return may_be_noted(h, word) ? h.at->notes.find(word) : nullptr;
  }
  // The word it names has none.
  static WEFT_ALWAYS_INLINE void add_note(held& h, word_note& n) noexcept {
    h.at->notes.add(n);
    if (may_be_noted(h, n.word)) [[unlikely]] {
      h.state |= mixed_bit;
      if (are_many(h.at->notes)) h.after |= after_crowd;
    }
    h.state |= bit_of(n.word);
  }
  // word: what it names, which the caller has at hand.
  static WEFT_ALWAYS_INLINE void remove_note(held& h, word_note& n, uintptr_t word) noexcept {
    h.at->notes.remove(n);
    h.state &= ~bit_of(word);
    if ((h.state & mixed_bit) != 0) [[unlikely]]
      h.state = (h.state & ~(waited_mask | mixed_bit)) | marks_of(h.at->notes);
  }

  // At once what fillings do by and by: no more buckets than what is empty asks for.
  void shrink_now() noexcept {
    lock_resizing();
    shrink(UINT32_MAX);
    unlock_resizing();
  }

  uint64_t buckets() const noexcept {
    return count_in(shape_.load_relaxed());  // count: statistics
  }
  // Memory that entries take: buckets and lines outside. While nothing else runs.
  uint64_t bytes() const noexcept {
    uint64_t all = 0;
    for (uint64_t i = 0; i < buckets(); ++i) {
      all += sizeof(bucket);
      for (const more_line* m = buckets_.get()[i].more; m != nullptr; m = m->next) all += sizeof *m;
    }
    return all;
  }

  // Visits all buckets, each closed, one after the other; none is split or merged meanwhile.
  template <class Visit>
  void for_each(Visit&& visit) noexcept {
    lock_resizing();
    for (uint64_t i = 0; i < buckets(); ++i) {
      held h = close_at(i);
      visit(h);
      h.at->state.store_release(h.state + one_change);  // U1 -> L1, R1
    }
    unlock_resizing();
  }

  // In the child of a fork, where nobody else runs: all words are full, nobody waits.
  void forget_all() noexcept {
    if (buckets_.get() != nullptr) Env::discard(buckets_.get(), most_.get() * sizeof(bucket));
    shape_.store_relaxed(0);      // init: nobody else runs
    heavy_.store_relaxed(0);      // init: nobody else runs
    outside_.store_relaxed(0);    // init: nobody else runs
    resizing_.store_relaxed(0);   // init: nobody else runs
    contended_.store_relaxed(0);  // init: nobody else runs
    floor_.set(Env::first_buckets);
  }

 private:
  static constexpr uint64_t line_marks = 256;  // a line's number stands above its eight bits
  static constexpr uint64_t waited_mask = 255;
  static constexpr uint64_t mixed_bit = 1u << 8;
  static constexpr uint64_t open_bit = 1u << 9;
  static constexpr uint64_t one_entry = 1u << 10;
  static constexpr uint64_t count_mask = 7u << 10;
  static constexpr uint64_t more_bit = 1u << 13;
  static constexpr uint64_t heavy_bit = 1u << 14;
  static constexpr uint64_t one_change = 1u << 15;
  static constexpr unsigned heavy_from = 4;
  static constexpr uint32_t after_grow = 1;
  static constexpr uint32_t after_shrink = 2;
  static constexpr uint32_t after_crowd = 4;
  static constexpr uint64_t lines_outside = 5;  // one for so many buckets
  static constexpr uint64_t look_every = 64;    // see drop()
  static constexpr unsigned grow_steps = 16;
  static constexpr unsigned shrink_steps = 128;
  static constexpr uint64_t buckets_a_page = 4096 / sizeof(bucket) > 0 ? 4096 / sizeof(bucket) : 1;

  static WEFT_ALWAYS_INLINE unsigned count_of(uint64_t state) noexcept {
    return static_cast<unsigned>(state / one_entry & 7);
  }
  static WEFT_ALWAYS_INLINE uint64_t bit_of(uintptr_t word) noexcept {
    return uint64_t{1} << (word / sizeof(uint64_t) % 8);
  }
  static WEFT_ALWAYS_INLINE uint64_t index(uint64_t hash, uint64_t shape) noexcept {
    const uint64_t mask = shape >> 32;
    const uint64_t i = hash & mask;
    return i < (shape & UINT32_MAX) ? i : i & mask >> 1;
  }
  static constexpr uint64_t top_bit(uint64_t n) noexcept {
    return uint64_t{1} << (63 - __builtin_clzll(n));
  }
  static constexpr uint64_t shape_of(uint64_t count) noexcept {
    return (2 * top_bit(count) - 1) << 32 | count;
  }
  static constexpr uint64_t count_in(uint64_t shape) noexcept { return shape & UINT32_MAX; }
  // The bucket that holds what bucket n does not.
  static constexpr uint64_t parent_of(uint64_t n) noexcept { return n ^ top_bit(n); }

  // Where a word's line stands in its closed bucket, or has its place if there is one: without
  // marks.
  struct line_place {
    unsigned at;
    bool used;
    uint64_t entry;
  };
  static WEFT_ALWAYS_INLINE line_place find(const held& h, uintptr_t word) noexcept {
    const uint64_t unmarked = word / line_bytes * line_marks;
    const unsigned count = count_of(h.state);
    for (unsigned i = 0; i < count; ++i) {
      const uint64_t entry = h.at->entries[i].load_relaxed();  // via: L1
      if ((entry ^ unmarked) < line_marks) return {i, true, entry};
    }
    return {count, false, unmarked};
  }
  static WEFT_NOINLINE uint64_t* find_more(const bucket& b, uintptr_t line) noexcept {
    for (more_line* m = b.more; m != nullptr; m = m->next)
      for (uint64_t& entry : m->entries)
        if (entry != 0 && entry / line_marks == line) return &entry;
    return nullptr;
  }

  // Asked where two share a bit: else there are no more notes than bits.
  static WEFT_COLD bool are_many(const word_notes& notes) noexcept {
    return notes.count() > many_notes;
  }
  static WEFT_COLD uint64_t marks_of(const word_notes& notes) noexcept {
    uint64_t marks = 0;
    notes.for_each([&](const word_note& n) {
      const uint64_t bit = bit_of(n.word);
      marks |= (marks & bit) != 0 ? mixed_bit : bit;
    });
    return marks;
  }

  static WEFT_ALWAYS_INLINE bool or_reopen(const held& h, bool opened) noexcept {
    if (!opened) reopen(h);
    return opened;
  }

  // Closed by mistake: it is no longer the bucket of the word it was closed for.
  static WEFT_ALWAYS_INLINE void give_back(bucket& b, uint64_t state) noexcept {
    // U1 -> L1, R1; unseen: a bucket closed by mistake, and used by two others before and after
    b.state.store_release(state);
  }

  // No word was ever empty, if the shape still says so after the word was read.
  template <class Load>
  WEFT_ALWAYS_INLINE bool read_before_all(Load&& load_acquire, uint64_t& value) const noexcept {
    value = load_acquire();
    return shape_.load_relaxed() == 0;  // via: what load_acquire() read
  }

  WEFT_COLD bool make() noexcept {
    if (!Env::prepare()) return false;
    lock_resizing();
    if (shape_.load_relaxed() == 0) {  // via: G2
      for (uint64_t n = Env::most_buckets; buckets_.get() == nullptr && n >= Env::least_buckets;
           n /= 2) {
        buckets_.set(static_cast<bucket*>(Env::reserve(n * sizeof(bucket))));
        most_.set(n);
      }
      if (buckets_.get() != nullptr) {
        const uint64_t first = Env::first_buckets < most_.get() ? Env::first_buckets : most_.get();
        for (uint64_t i = 0; i < first; ++i)
          buckets_.get()[i].state.store_relaxed(version_.get() | open_bit);  // via: M1
        floor_.set(first);
        shape_.store_release(shape_of(first));  // M1 -> M2
      }
    }
    const bool made = buckets_.get() != nullptr;
    unlock_resizing();
    return made;
  }

  WEFT_COLD held close_slow(uintptr_t word) noexcept {
    if (contended_.add_relaxed(1) % Env::crowd == Env::crowd - 1)
      spread();  // count: only its pace matters
    const uint64_t hash = Env::hash(word / line_bytes);
    for (unsigned spun = 0;; ++spun) {
      const uint64_t shape = shape_.load_relaxed();                        // hint: spares the line
      if (buckets_.get()[index(hash, shape)].state.load_relaxed() != 0) {  // hint: as above
        const held h = close_at_once(word);
        if (h.state != 0) return h;
      }
      Env::pause(spun);
    }
  }

  WEFT_ALWAYS_INLINE void append(held& h, uint64_t entry) noexcept {
    // E1 -> R2; unseen: as in set_empty()
    h.at->entries[count_of(h.state)].store_release(entry);
    h.state += one_entry;
    if ((h.state & (count_mask | heavy_bit)) == heavy_from * one_entry) [[unlikely]]
      become_heavy(h);
  }
  WEFT_COLD void become_heavy(held& h) noexcept {
    h.state |= heavy_bit;
    heavy_.add_relaxed(1);  // count: when to shrink
  }
  WEFT_COLD void become_light(held& h) noexcept {
    h.state &= ~heavy_bit;
    heavy_.add_relaxed(uint64_t{0} - 1);  // count: when to shrink
    h.after |= after_shrink;
  }

  // Entry i goes; another takes its place.
  WEFT_ALWAYS_INLINE void drop(held& h, unsigned i) noexcept {
    if ((h.state & more_bit) != 0) [[unlikely]]
      return fill_from_outside(h, i);
    h.state -= one_entry;
    const uint64_t last = h.at->entries[count_of(h.state)].load_relaxed();  // via: L1
    h.at->entries[i].store_release(last);                                   // E1 -> R2
    const uint64_t left = h.state & (count_mask | heavy_bit);
    if (left == (one_entry | heavy_bit)) [[unlikely]]
      become_light(h);
    // What was never heavy counts too, when it goes at last; one in some, because one word may come
    // and go all the time.
    if (left == 0 && h.state / one_change % look_every == 0) [[unlikely]]
      h.after |= after_shrink;
  }

  // The first line outside is the only one with free places, at its end.
  static unsigned used(const more_line& m) noexcept {
    unsigned n = 0;
    while (n < more_entries && m.entries[n] != 0) ++n;
    return n;
  }
  // Takes the last entry outside; its line goes when it is empty.
  uint64_t pop_outside(held& h) noexcept {
    more_line* m = h.at->more;
    const unsigned last = used(*m) - 1;
    const uint64_t entry = m->entries[last];
    m->entries[last] = 0;
    if (last == 0) {
      h.at->more = m->next;
      m->next = h.spare;
      h.spare = m;
      outside_.add_relaxed(uint64_t{0} - 1);  // count: when to grow
      if (h.at->more == nullptr) h.state &= ~more_bit;
    }
    return entry;
  }
  // False: no line to put it on.
  bool push_outside(held& h, uint64_t entry) noexcept {
    more_line* m = h.at->more;
    unsigned n = m != nullptr ? used(*m) : more_entries;
    if (n == more_entries) {
      m = h.spare;
      if (m == nullptr) return false;
      h.spare = m->next;
      outside_.add_relaxed(1);  // count: when to grow
      h.after |= after_grow;
      *m = {h.at->more, {}};
      h.at->more = m;
      h.state |= more_bit;
      n = 0;
    }
    m->entries[n] = entry;
    return true;
  }
  WEFT_COLD void fill_from_outside(held& h, unsigned i) noexcept {
    // E1 -> R2; unseen: as in set_empty()
    h.at->entries[i].store_release(pop_outside(h));
  }

  WEFT_COLD mark set_empty_outside(held& h, uintptr_t word) noexcept {
    const uintptr_t line = word / line_bytes;
    if (uint64_t* entry = find_more(*h.at, line)) {
      if ((*entry & bit_of(word)) != 0) return mark::was_so;
      *entry |= bit_of(word);
      return mark::done;
    }
    const uint64_t entry = line * line_marks | bit_of(word);
    if (drop_gone(h)) {
      append(h, entry);
      return mark::done;
    }
    return push_outside(h, entry) ? mark::done : mark::no_room;
  }

  WEFT_COLD mark set_full_outside(held& h, uintptr_t word) noexcept {
    uint64_t* entry = find_more(*h.at, word / line_bytes);
    if (entry == nullptr || (*entry & bit_of(word)) == 0) return mark::was_so;
    *entry &= ~bit_of(word);
    if (*entry % line_marks != 0) return mark::done;
    // The last one outside takes the place, unless it is the one that goes.
    *entry = UINT64_MAX;
    const uint64_t last = pop_outside(h);
    if (last != UINT64_MAX) *entry = last;
    return mark::done;
  }

  // Looks at one entry; if its memory is gone, at all. True: there is a place now, without a line.
  bool drop_gone(held& h) noexcept {
    if (!h.at->notes.empty()) return false;
    const unsigned sample = static_cast<unsigned>(h.state / one_change % own_entries);
    if (!Env::gone(h.at->entries[sample].load_relaxed() / line_marks)) return false;  // via: L1
    for (unsigned i = 0; i < count_of(h.state);) {
      if (Env::gone(h.at->entries[i].load_relaxed() / line_marks)) {  // via: L1
        drop(h, i);
      } else {
        ++i;
      }
    }
    return count_of(h.state) < own_entries;
  }

  void lock_resizing() noexcept {
    for (unsigned spun = 0; resizing_.exchange_acquire(1) != 0; ++spun)  // G2 <- G1
      Env::pause(spun);
  }
  void unlock_resizing() noexcept {
    resizing_.store_release(0);  // G1 -> G2
  }

  // With no bucket closed by the caller.
  WEFT_COLD void tend(uint32_t after, more_line* spare) noexcept {
    while (spare != nullptr) {
      more_line* next = spare->next;
      Env::give(spare, sizeof *spare);
      spare = next;
    }
    if (after == 0 || resizing_.exchange_acquire(1) != 0)
      return;  // G2 <- G1; else somebody is at it
    if ((after & after_crowd) != 0) grow(1);
    if ((after & after_grow) != 0) grow_for_lines();
    if ((after & after_shrink) != 0) shrink(shrink_steps);
    unlock_resizing();
  }

  // Closers meet often: more stripes.
  WEFT_COLD void spread() noexcept {
    // hint: it stops some day
    if (count_in(shape_.load_relaxed()) >= Env::crowded_buckets) return;
    if (resizing_.exchange_acquire(1) != 0) return;  // G2 <- G1
    grow(Env::crowd);
    floor_.set(count_in(shape_.load_relaxed()));  // via: G2
    unlock_resizing();
  }

  // --- by the resizer ----------------------------------------------------------------------------

  held close_at(uint64_t i) noexcept {
    bucket& b = buckets_.get()[i];
    uint64_t state = b.state.exchange_acquire(0);  // L1 <- U1
    for (unsigned spun = 0; state == 0; ++spun) {
      Env::pause(spun);
      state = b.state.exchange_acquire(0);  // L1 <- U1
    }
    return {&b, state};
  }

  void grow(unsigned steps) noexcept {
    more_line* spare = nullptr;
    for (; steps > 0 && count_in(shape_.load_relaxed()) < most_.get(); --steps) {  // via: G2
      if (spare == nullptr) {                                                      // see split()
        spare = spare_line();
        if (spare == nullptr) return;
        spare->next = nullptr;
      }
      spare = split(spare);
    }
    while (spare != nullptr) {
      more_line* next = spare->next;
      Env::give(spare, sizeof *spare);
      spare = next;
    }
  }

  void grow_for_lines() noexcept {
    for (unsigned i = 0; i < grow_steps; ++i) {
      const uint64_t n = count_in(shape_.load_relaxed());                            // via: G2
      if (outside_.load_relaxed() <= n / lines_outside || n == most_.get()) return;  // hint: pace
      grow(1);
    }
  }

  // Adds an entry to a bucket, which has room or a spare line.
  void put(held& h, uint64_t entry) noexcept {
    if (count_of(h.state) < own_entries) {
      h.at->entries[count_of(h.state)].store_release(entry);  // E1 -> R2
      h.state += one_entry;
    } else {
      [[maybe_unused]] const bool had_room = push_outside(h, entry);
      WEFT_ASSERT(had_room);
    }
  }

  // One bucket more. Two buckets together may need one line more than one: the spare.
  more_line* split(more_line* spare) noexcept {
    const uint64_t n = count_in(shape_.load_relaxed());  // via: G2
    const uint64_t shape = shape_of(n + 1);
    held old = close_at(parent_of(n));
    held fresh{&buckets_.get()[n], version_.get() | open_bit};
    held* const to[2] = {&old, &fresh};
    const auto side = [&](uintptr_t line) { return index(Env::hash(line), shape) == n; };

    uint64_t own[own_entries];
    const unsigned count = count_of(old.state);
    for (unsigned i = 0; i < count; ++i) own[i] = old.at->entries[i].load_relaxed();  // via: L1
    more_line* outside = old.at->more;
    old.at->more = nullptr;
    const bool was_heavy = (old.state & heavy_bit) != 0;
    old.state &= ~(count_mask | more_bit | heavy_bit | waited_mask | mixed_bit);
    // Lines are handed to whichever needs one next; put() takes them from held.spare.
    const auto place = [&](uint64_t entry) {
      held& h = *to[side(entry / line_marks)];
      h.spare = spare;
      put(h, entry);
      spare = h.spare;
      h.spare = nullptr;
    };
    for (unsigned i = 0; i < count; ++i) place(own[i]);
    while (outside != nullptr) {
      outside_.add_relaxed(uint64_t{0} - 1);  // count: put() counts it again
      const more_line m = *outside;
      outside->next = spare;
      spare = outside;
      outside = m.next;
      for (const uint64_t entry : m.entries)
        if (entry != 0) place(entry);
    }
    word_notes notes;
    notes.take_all(old.at->notes);
    notes.for_each([&](word_note& note) { add_note(*to[side(note.word / line_bytes)], note); });
    uint64_t heavy = 0;
    for (held* h : to)
      if (count_of(h->state) >= heavy_from) {
        h->state |= heavy_bit;
        ++heavy;
      }
    heavy_.add_relaxed(heavy - (was_heavy ? 1 : 0));  // count: when to shrink
    shape_.store_release(shape);                      // M1 -> M2
    // U1 -> L1, R1; unseen: who finds the bucket has acquired the shape that made it one
    fresh.at->state.store_release(fresh.state + one_change);
    old.at->state.store_release(old.state + one_change);  // U1 -> L1, R1
    return spare;
  }

  void shrink(unsigned steps) noexcept {
    for (; steps > 0; --steps) {
      const uint64_t n = count_in(shape_.load_relaxed());  // via: G2
      if (n <= floor_.get() || 16 * heavy_.load_relaxed() >= n || !merge(n - 1))
        return;  // hint: pace
    }
  }

  // One bucket less. False: what is in the two is too much for one.
  bool merge(uint64_t n) noexcept {
    held to = close_at(parent_of(n));
    held from = close_at(n);
    const unsigned count = count_of(from.state);
    const bool fits = count_of(to.state) + count <= own_entries &&
                      ((to.state | from.state) & more_bit) == 0 &&
                      (to.at->notes.empty() || from.at->notes.empty());
    if (fits) {
      for (unsigned i = 0; i < count; ++i) put(to, from.at->entries[i].load_relaxed());  // via: L1
      if (!from.at->notes.empty()) {
        to.at->notes.take_all(from.at->notes);
        to.state |= from.state & (waited_mask | mixed_bit);
      }
      uint64_t heavy = 0;
      if ((from.state & heavy_bit) != 0) --heavy;
      if ((to.state & heavy_bit) == 0 && count_of(to.state) >= heavy_from) {
        to.state |= heavy_bit;
        ++heavy;
      }
      heavy_.add_relaxed(heavy);  // count: when to shrink
      const uint64_t next_version = (from.state & ~(one_change - 1)) + one_change;
      if (next_version > version_.get()) version_.set(next_version);
      shape_.store_release(shape_of(n));  // M1 -> M2
      // from stays closed: it is no bucket now.
      if (n % buckets_a_page == 0) Env::discard(from.at, buckets_a_page * sizeof(bucket));
    } else {
      // U1 -> L1, R1; unseen: nothing was written inside, and relacy lets it continue what the
      //    exchange read
      from.at->state.store_release(from.state);
    }
    to.at->state.store_release(to.state + one_change);  // U1 -> L1, R1
    return fits;
  }

  // Read by all.
  atomic<uint64_t> shape_{0};
  guarded<bucket*> buckets_;  // published with the first shape
  // By whoever resizes.
  alignas(line_bytes) atomic<uint32_t> resizing_{0};
  atomic<uint32_t> contended_{0};
  atomic<uint64_t> heavy_{0};    // buckets
  atomic<uint64_t> outside_{0};  // lines
  guarded<uint64_t> most_;
  guarded<uint64_t> floor_{Env::first_buckets};
  guarded<uint64_t> version_;  // where a bucket that comes (back) begins
};

}  // namespace weft::rt
