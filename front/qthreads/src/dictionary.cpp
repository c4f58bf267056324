// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dictionaries: shards by hash, each a table of chains under a lock, its entries in the order they came.
#include <array>
#include <atomic>
#include <cstdio>
#include <memory>
#include <new>
#include <qthread/dictionary.h>
#include <qthread/hash.h>
#include <vector>

#include <weft/lock.h>

#include "pool.hpp"

namespace {

using weft::qt::block_pool;

// An entry in two lists: of its chain (by next of the list_entry), and of its shard, for iterators.
struct entry : list_entry {
  entry* before;
  entry* after;
};

class locked {
 public:
  explicit locked(weft_mutex_t& m) noexcept : m_(m) { weft_mutex_lock(&m_); }
  ~locked() { weft_mutex_unlock(&m_); }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

 private:
  weft_mutex_t& m_;
};

struct alignas(64) shard {
  weft_mutex_t lock = WEFT_MUTEX_INIT;
  std::size_t count = 0;
  std::vector<list_entry*> chains;  // a power of two, or none
  entry* first = nullptr;
  entry* last = nullptr;

  list_entry*& chain(uint64_t hash) noexcept { return chains[(hash >> 8) & (chains.size() - 1)]; }

  bool make_room() noexcept {
    if (count < chains.size()) return true;
    try {
      std::vector<list_entry*> old(chains.empty() ? 8 : chains.size() * 2);
      old.swap(chains);
    } catch (const std::bad_alloc&) {
      return !chains.empty();  // longer chains will do
    }
    for (entry* e = first; e != nullptr; e = e->after) {
      list_entry*& at = chain(e->hashed_key);
      e->next = at;
      at = e;
    }
    return true;
  }
};

constexpr std::size_t shards = 64;

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

  // Under the shard's lock: the link that points at the key's entry, or null.
  list_entry** find(shard& s, uint64_t h, void* key) const noexcept {
    if (s.chains.empty()) return nullptr;
    for (list_entry** link = &s.chain(h); *link != nullptr; link = &(*link)->next)
      if ((*link)->hashed_key == h && equals((*link)->key, key) != 0) return link;
    return nullptr;
  }

  void* put(void* key, void* value, bool replace) noexcept;
};

void* qt_dictionary::put(void* key, void* value, bool replace) noexcept {
  const uint64_t h = hash_of(key);
  shard& s = shard_of(h);
  const locked held(s.lock);
  if (list_entry** link = find(s, h, key)) {
    if (!replace) return (*link)->value;
    (*link)->value = value;
    return value;
  }
  auto* e = static_cast<entry*>(entries.alloc());
  if (e == nullptr) return nullptr;
  if (!s.make_room()) {
    entries.free(e);
    return nullptr;
  }
  e->key = key;
  e->value = value;
  e->hashed_key = h;
  e->next = s.chain(h);
  s.chain(h) = e;
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
  const locked held(s.lock);
  list_entry** link = dict->find(s, h, key);
  return link != nullptr ? (*link)->value : nullptr;
}

void* qt_dictionary_delete(qt_dictionary* dict, void* key) {
  const uint64_t h = dict->hash_of(key);
  shard& s = dict->shard_of(h);
  entry* e;
  {
    const locked held(s.lock);
    list_entry** link = dict->find(s, h, key);
    if (link == nullptr) return nullptr;
    e = static_cast<entry*>(*link);
    *link = e->next;
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
    const locked held(s.lock);
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
    const locked held(dict->at[i].lock);
    std::printf("%zu: %zu entries, %zu chains\n", i, dict->at[i].count, dict->at[i].chains.size());
  }
}
