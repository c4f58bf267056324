// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of a dictionary: a table of slots with linear probing, its entries in the order they came.
// One at a time changes it; who looks for a key writes nothing, so that looks from several workers
// do not meet.
//
// The state is lock and version: 0, closed, while somebody changes the shard; else a number that
// each change raises. Who closes it exchanges 0 in.
//
// A look without the lock: state, table, slots, key, value, state again. If the state is the same,
// nobody changed anything meanwhile: each of the reads in between acquires and each of the writes
// inside releases, so who reads something new sees the state closed, or raised, as well. A look
// finds a key by its pointer, which is equal to itself; the program's comparison needs a key that
// is not deleted under it, and so the lock.
//
// Invariants
//   I1  a slot of the table is free, always; so a search ends, also one that reads old and new
//       slots in turns: it looks at no more slots than there are.
//   I2  memory of a table or an entry stays one of this shard as long as the shard lives, so a late
//       look reads what was there once, or is there now, and its second look at the state tells.
//
// Orders
//   U1 -> L1   who opens the shard publishes what it changed to who closes it next
//   U1 -> R1   ... and to who looks without the lock
//   E1 -> R2   who reads what is new sees the state that was closed before
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace weft::qt {

// Atomic: ordered_atomic or its like.
// Env:  static void* take(std::size_t bytes), null: no memory;  static void give(void*)
//       static void pause(unsigned tries): between two looks at a closed shard
//       first_slots: a power of two, 4 at least, so that three quarters of them leave one free
template <template <class> class Atomic, class Env>
class alignas(64) basic_hash_shard {
 public:
  // Begins as a list_entry.
  struct entry {
    Atomic<void*> value;
    Atomic<void*> key;
    uint64_t hash = 0;
    entry* next_free = nullptr;
    entry* before = nullptr;  // in the order they came
    entry* after = nullptr;
  };

  // The shard closed, until its end.
  class closed {
   public:
    explicit closed(basic_hash_shard& s) noexcept : s_(s), version_(s.close()) {}
    ~closed() { s_.state_.store_release(version_ + 1); }  // U1 -> L1, R1
    closed(const closed&) = delete;
    closed& operator=(const closed&) = delete;

   private:
    basic_hash_shard& s_;
    const uint64_t version_;
  };

  enum class seen { there, absent, unsure };

  basic_hash_shard() noexcept = default;
  basic_hash_shard(const basic_hash_shard&) = delete;
  basic_hash_shard& operator=(const basic_hash_shard&) = delete;
  // Entries are their giver's.
  ~basic_hash_shard() {
    for (table* t = table_.load_relaxed(); t != nullptr;) {  // own: nobody else is left
      table* const older = t->older;
      for (std::size_t i = 0; i <= t->mask; ++i) t->slots()[i].~slot();
      Env::give(t);
      t = older;
    }
  }

  // Without the lock. unsure: it is being changed, or has a key of the same hash.
  seen look(uint64_t hash, const void* key, void*& value) const noexcept {
    const uint64_t state = state_.load_acquire();  // R1 <- U1
    if (state == 0) return seen::unsure;
    seen found = seen::absent;
    // R2 <- E1; unseen: the table's mask is no variable of a model's
    if (const table* t = table_.load_acquire()) {
      std::size_t i = home(*t, hash);
      for (std::size_t n = 0; n <= t->mask; ++n, i = (i + 1) & t->mask) {
        const entry* const e = t->slots()[i].at.load_acquire();  // R2 <- E1
        if (e == nullptr) break;
        if (t->slots()[i].hash.load_acquire() != hash) continue;  // R2 <- E1
        if (e->key.load_acquire() != key) return seen::unsure;    // R2 <- E1
        value = e->value.load_acquire();                          // R2 <- E1
        found = seen::there;
        break;
      }
    }
    return state_.load_relaxed() == state ? found : seen::unsure;  // via: R2
  }

  // --- with the shard closed ---------------------------------------------------------------------

  std::size_t count() const noexcept { return count_; }
  std::size_t room() const noexcept {
    const table* t = table_.load_relaxed();  // via: L1
    return t != nullptr ? t->mask + 1 : 0;
  }
  entry* first() const noexcept { return first_; }

  // equal(key of an entry): whether it is the key that is wanted. Null: there is none.
  template <class Equal>
  entry* find(uint64_t hash, Equal&& equal) const noexcept {
    const table* t = table_.load_relaxed();  // via: L1
    if (t == nullptr) return nullptr;
    for (std::size_t i = home(*t, hash);; i = (i + 1) & t->mask) {
      entry* const e = t->slots()[i].at.load_relaxed();  // via: L1
      if (e == nullptr) return nullptr;
      if (t->slots()[i].hash.load_relaxed() == hash && equal(e->key.load_relaxed()))  // via: L1
        return e;
    }
  }

  // A key that is there already becomes the equal one that comes: the older may go.
  static void set(entry& e, void* key, void* value) noexcept {
    e.key.store_release(key);      // E1 -> R2
    e.value.store_release(value);  // E1 -> R2
  }

  // Adds what find() did not find. more(): an entry, or null. False: no memory.
  template <class More>
  bool add(uint64_t hash, void* key, void* value, More&& more) noexcept {
    if (!make_room()) return false;
    entry* e = free_;
    if (e != nullptr) {
      free_ = e->next_free;
    } else {
      e = more();
      if (e == nullptr) return false;
    }
    set(*e, key, value);
    e->hash = hash;
    e->next_free = nullptr;
    e->before = last_;
    e->after = nullptr;
    (last_ != nullptr ? last_->after : first_) = e;
    last_ = e;
    ++count_;
    fill_slot(*table_.load_relaxed(), hash, e);  // via: L1
    return true;
  }

  void drop(entry& e) noexcept {
    free_slot(e);
    (e.before != nullptr ? e.before->after : first_) = e.after;
    (e.after != nullptr ? e.after->before : last_) = e.before;
    --count_;
    e.next_free = free_;
    free_ = &e;
  }

 private:
  // A slot has the hash, so that neither a search nor growth looks at entries of other hashes.
  struct slot {
    Atomic<uint64_t> hash;
    Atomic<entry*> at;  // null: free
  };
  struct table {
    table* older;
    std::size_t mask;
    slot* slots() noexcept { return reinterpret_cast<slot*>(this + 1); }
    const slot* slots() const noexcept { return reinterpret_cast<const slot*>(this + 1); }
  };

  // Bits that did not choose the shard.
  static std::size_t home(const table& t, uint64_t hash) noexcept { return (hash >> 8) & t.mask; }

  uint64_t close() noexcept {
    uint64_t state = state_.exchange_acquire(0);  // L1 <- U1
    for (unsigned tries = 1; state == 0; ++tries) {
      Env::pause(tries);
      if (state_.load_relaxed() != 0)        // hint: spares the line
        state = state_.exchange_acquire(0);  // L1 <- U1
    }
    return state;
  }

  static void set(slot& s, uint64_t hash, entry* e) noexcept {
    s.hash.store_release(hash);  // E1 -> R2
    // E1 -> R2; unseen: that an entry is made before is no variable of a model's
    s.at.store_release(e);
  }
  static void fill_slot(table& t, uint64_t hash, entry* e) noexcept {
    std::size_t i = home(t, hash);
    while (t.slots()[i].at.load_relaxed() != nullptr) i = (i + 1) & t.mask;  // via: L1
    set(t.slots()[i], hash, e);
  }

  // A slot stays free, and more than that while memory can be had.
  bool make_room() noexcept {
    const std::size_t now = room();
    if (4 * count_ < 3 * now) return true;
    const std::size_t wanted = now != 0 ? 2 * now : Env::first_slots;
    void* const memory = Env::take(sizeof(table) + wanted * sizeof(slot));
    if (memory == nullptr) return count_ + 1 < now;
    auto* const t = new (memory) table{table_.load_relaxed(), wanted - 1};  // via: L1
    for (std::size_t i = 0; i < wanted; ++i) new (&t->slots()[i]) slot;
    for (entry* e = first_; e != nullptr; e = e->after) fill_slot(*t, e->hash, e);
    table_.store_release(t);  // E1 -> R2; unseen: as in look()
    return true;
  }

  // Those behind its slot that it kept from their homes move up.
  void free_slot(const entry& e) noexcept {
    table& t = *table_.load_relaxed();  // via: L1
    std::size_t hole = home(t, e.hash);
    while (t.slots()[hole].at.load_relaxed() != &e) hole = (hole + 1) & t.mask;  // via: L1
    for (std::size_t i = hole;;) {
      i = (i + 1) & t.mask;
      entry* const next = t.slots()[i].at.load_relaxed();  // via: L1
      if (next == nullptr) break;
      const uint64_t hash = t.slots()[i].hash.load_relaxed();  // via: L1
      if (((i - home(t, hash)) & t.mask) < ((i - hole) & t.mask)) continue;
      set(t.slots()[hole], hash, next);
      hole = i;
    }
    t.slots()[hole].at.store_release(nullptr);  // E1 -> R2
  }

  Atomic<uint64_t> state_{1};
  Atomic<table*> table_{nullptr};
  std::size_t count_ = 0;
  entry* first_ = nullptr;
  entry* last_ = nullptr;
  entry* free_ = nullptr;
};

}  // namespace weft::qt
