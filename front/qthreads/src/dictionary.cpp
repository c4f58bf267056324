// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dictionaries: shards by hash, each a table of slots under a lock, its entries in the order they came.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <qthread/dictionary.h>
#include <qthread/hash.h>
#include <qthread/qthread.h>

#include "pool.hpp"

namespace {

using weft::qt::block_pool;

// In a list of its shard, for iterators.
struct entry : list_entry {
  entry* before;
  entry* after;
};

// Held for a few lines and the program's comparison; who has to wait lets others run.
class brief_lock {
 public:
  void lock() noexcept {
    for (unsigned tries = 1; closed_.exchange(true, std::memory_order_acquire); ++tries)
      if (tries % 64 == 0) qthread_yield();
  }
  void unlock() noexcept { closed_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> closed_{false};
};

// Slots with linear probing. A slot has the hash, so that neither a search nor growth looks at entries of
// other hashes.
struct alignas(64) shard {
  struct slot {
    uint64_t hash;
    entry* at;  // null: free
  };

  brief_lock lock;
  std::size_t count = 0;
  std::size_t mask = 0;
  slot* slots = nullptr;  // mask + 1 of them, or none
  entry* first = nullptr;
  entry* last = nullptr;

  shard() = default;
  shard(const shard&) = delete;
  shard& operator=(const shard&) = delete;
  ~shard() { std::free(slots); }

  // Bits that did not choose the shard.
  std::size_t home(uint64_t hash) const noexcept { return (hash >> 8) & mask; }

  slot& free_slot(uint64_t hash) noexcept {
    std::size_t i = home(hash);
    while (slots[i].at != nullptr) i = (i + 1) & mask;
    return slots[i];
  }

  // A slot stays free, and more than that while memory can be had.
  bool make_room() noexcept {
    const std::size_t room = slots != nullptr ? mask + 1 : 0;
    if (4 * count < 3 * room) return true;
    const std::size_t wanted = room != 0 ? 2 * room : 8;
    auto* const more = static_cast<slot*>(std::calloc(wanted, sizeof(slot)));
    if (more == nullptr) return count + 1 < room;
    slot* const old = slots;
    slots = more;
    mask = wanted - 1;
    for (std::size_t i = 0; i < room; ++i)
      if (old[i].at != nullptr) free_slot(old[i].hash) = old[i];
    std::free(old);
    return true;
  }

  // Frees a slot: those behind it that it kept from their homes move up.
  void drop(std::size_t hole) noexcept {
    for (std::size_t i = hole;;) {
      i = (i + 1) & mask;
      if (slots[i].at == nullptr) break;
      if (((i - home(slots[i].hash)) & mask) < ((i - hole) & mask)) continue;
      slots[hole] = slots[i];
      hole = i;
    }
    slots[hole].at = nullptr;
  }
};

constexpr std::size_t shards = 64;
constexpr std::size_t none = SIZE_MAX;

}  // namespace

struct qt_dictionary {
  qt_dict_key_equals_f equals;
  qt_dict_hash_f hash;
  qt_dict_cleanup_f cleanup;
  block_pool entries{sizeof(entry), alignof(entry)};
  std::array<shard, shards> at{};

  uint64_t hash_of(void* key) const noexcept {
    return qt_hash64(static_cast<uint64_t>(static_cast<unsigned>(hash(key))));
  }
  shard& shard_of(uint64_t h) noexcept { return at[h % shards]; }

  // Under the shard's lock: the key's slot, or none.
  std::size_t find(const shard& s, uint64_t h, void* key) const noexcept {
    if (s.slots == nullptr) return none;
    for (std::size_t i = s.home(h); s.slots[i].at != nullptr; i = (i + 1) & s.mask)
      if (s.slots[i].hash == h && equals(s.slots[i].at->key, key) != 0) return i;
    return none;
  }

  void* put(void* key, void* value, bool replace) noexcept;
};

void* qt_dictionary::put(void* key, void* value, bool replace) noexcept {
  const uint64_t h = hash_of(key);
  shard& s = shard_of(h);
  const std::lock_guard held(s.lock);
  if (const std::size_t i = find(s, h, key); i != none) {
    entry* const there = s.slots[i].at;
    if (replace) there->value = value;
    return there->value;
  }
  if (!s.make_room()) return nullptr;
  auto* e = static_cast<entry*>(entries.alloc());
  if (e == nullptr) return nullptr;
  e->key = key;
  e->value = value;
  e->hashed_key = h;
  e->next = nullptr;
  s.free_slot(h) = {h, e};
  e->before = s.last;
  e->after = nullptr;
  (s.last != nullptr ? s.last->after : s.first) = e;
  s.last = e;
  ++s.count;
  return value;
}

qt_dictionary* qt_dictionary_create(qt_dict_key_equals_f eq, qt_dict_hash_f hash,
                                    qt_dict_cleanup_f cleanup) {
  if (eq == nullptr || hash == nullptr) return nullptr;
  return new (std::nothrow) qt_dictionary{.equals = eq, .hash = hash, .cleanup = cleanup};
}

void qt_dictionary_destroy(qt_dictionary* d) {
  if (d == nullptr) return;
  if (d->cleanup != nullptr)
    for (shard& s : d->at)
      for (entry* e = s.first; e != nullptr; e = e->after) d->cleanup(e->key, e->value);
  delete d;
}

void* qt_dictionary_put(qt_dictionary* dict, void* key, void* value) {
  return dict->put(key, value, true);
}

void* qt_dictionary_put_if_absent(qt_dictionary* dict, void* key, void* value) {
  return dict->put(key, value, false);
}

void* qt_dictionary_get(qt_dictionary* dict, void* key) {
  const uint64_t h = dict->hash_of(key);
  shard& s = dict->shard_of(h);
  const std::lock_guard held(s.lock);
  const std::size_t i = dict->find(s, h, key);
  return i != none ? s.slots[i].at->value : nullptr;
}

void* qt_dictionary_delete(qt_dictionary* dict, void* key) {
  const uint64_t h = dict->hash_of(key);
  shard& s = dict->shard_of(h);
  entry* e;
  {
    const std::lock_guard held(s.lock);
    const std::size_t i = dict->find(s, h, key);
    if (i == none) return nullptr;
    e = s.slots[i].at;
    s.drop(i);
    (e->before != nullptr ? e->before->after : s.first) = e->after;
    (e->after != nullptr ? e->after->before : s.last) = e->before;
    --s.count;
  }
  void* const value = e->value;
  if (dict->cleanup != nullptr) dict->cleanup(e->key, nullptr);  // the value is the caller's
  dict->entries.free(e);
  return value;
}

struct qt_dictionary_iterator {
  qt_dictionary* dict;
  std::size_t shard_index = 0;
  entry* at = nullptr;  // null: before the first, or with shard_index == shards behind the last
};

qt_dictionary_iterator* qt_dictionary_iterator_create(qt_dictionary* dict) {
  auto* it = dict != nullptr ? new (std::nothrow) qt_dictionary_iterator{.dict = dict} : nullptr;
  return it != nullptr ? it : static_cast<qt_dictionary_iterator*>(ERROR);
}

void qt_dictionary_iterator_destroy(qt_dictionary_iterator* it) {
  if (it != ERROR) delete it;
}

list_entry* qt_dictionary_iterator_next(qt_dictionary_iterator* it) {
  if (it == nullptr || it == ERROR) return static_cast<list_entry*>(ERROR);
  while (it->shard_index < shards) {
    shard& s = it->dict->at[it->shard_index];
    const std::lock_guard held(s.lock);
    entry* next = it->at != nullptr ? it->at->after : s.first;
    if (next != nullptr) {
      it->at = next;
      return next;
    }
    it->at = nullptr;
    ++it->shard_index;
  }
  return nullptr;
}

list_entry* qt_dictionary_iterator_get(qt_dictionary_iterator const* it) {
  if (it == nullptr || it == ERROR) return static_cast<list_entry*>(ERROR);
  return it->at;
}

qt_dictionary_iterator* qt_dictionary_end(qt_dictionary* dict) {
  return dict != nullptr ? new (std::nothrow)
                               qt_dictionary_iterator{.dict = dict, .shard_index = shards}
                         : nullptr;
}

int qt_dictionary_iterator_equals(qt_dictionary_iterator* a, qt_dictionary_iterator* b) {
  if (a == nullptr || b == nullptr || a == ERROR || b == ERROR) return a == b;
  return a->dict == b->dict && a->at == b->at &&
         (a->at != nullptr || a->shard_index == b->shard_index);
}

qt_dictionary_iterator* qt_dictionary_iterator_copy(qt_dictionary_iterator* b) {
  return b != nullptr && b != ERROR ? new (std::nothrow) qt_dictionary_iterator(*b) : nullptr;
}

void qt_dictionary_printbuckets(qt_dictionary* dict) {
  for (std::size_t i = 0; i < shards; ++i) {
    const std::lock_guard held(dict->at[i].lock);
    std::printf("%zu: %zu entries, %zu slots\n", i, dict->at[i].count,
                dict->at[i].slots != nullptr ? dict->at[i].mask + 1 : 0);
  }
}
