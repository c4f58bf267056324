// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dictionaries: shards by hash, which are looked at without a lock and changed under one of their
// own.
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <qthread/dictionary.h>
#include <qthread/hash.h>
#include <qthread/qthread.h>

#include "group.hpp"
#include "hash_shard.hpp"
#include "ordered_atomic.hpp"
#include "pool.hpp"
#include "waiting.hpp"

namespace {

using weft::qt::block_pool;
using weft::qt::unless_over;

struct shard_env {
  static void* take(std::size_t bytes) noexcept { return std::malloc(bytes); }
  static void give(void* memory) noexcept { std::free(memory); }
  // A shard is closed for a few lines and the program's comparison; who has to wait lets others
  // run.
  static void pause(unsigned tries) noexcept {
    if (tries % 64 == 0) qthread_yield();
  }
  static constexpr std::size_t first_slots = 8;
};

using shard = weft::qt::basic_hash_shard<weft::qt::ordered_atomic, shard_env>;
using entry = shard::entry;
using seen = shard::seen;

constexpr std::size_t shards = 64;

// Iterators give entries to the program.
static_assert(offsetof(entry, value) == offsetof(list_entry, value) &&
              offsetof(entry, key) == offsetof(list_entry, key) &&
              offsetof(entry, hash) == offsetof(list_entry, hashed_key) &&
              offsetof(entry, next_free) == offsetof(list_entry, next));
list_entry* as_listed(entry* e) noexcept { return reinterpret_cast<list_entry*>(e); }

// While it is closed the program's comparison may give way, and a eureka end the caller later.
class closed_by_caller {
 public:
  explicit closed_by_caller(shard& s) noexcept : held_(s) {}

 private:
  const weft::qt::stays_on here_;
  const shard::closed held_;
};

void* key_of(const entry& e) noexcept { return e.key.load_relaxed(); }      // via: the closed shard
void* value_of(const entry& e) noexcept { return e.value.load_relaxed(); }  // via: the closed shard

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

  // With the shard closed.
  entry* find(const shard& s, uint64_t h, void* key) const noexcept {
    return s.find(h, [&](void* there) { return there == key || equals(there, key) != 0; });
  }
  entry* new_entry() noexcept {
    void* memory = entries.alloc();
    return memory != nullptr ? new (memory) entry : nullptr;
  }
};

qt_dictionary* qt_dictionary_create(qt_dict_key_equals_f eq, qt_dict_hash_f hash,
                                    qt_dict_cleanup_f cleanup) {
  if (eq == nullptr || hash == nullptr) return nullptr;
  return new (std::nothrow) qt_dictionary{.equals = eq, .hash = hash, .cleanup = cleanup};
}

void qt_dictionary_destroy(qt_dictionary* d) {
  if (d == nullptr) return;
  {
    const weft::qt::stays_on here;  // with what is left of it
    if (d->cleanup != nullptr)
      for (shard& s : d->at)
        for (entry* e = s.first(); e != nullptr; e = e->after) d->cleanup(key_of(*e), value_of(*e));
    delete d;
  }
  weft::qt::end_where_team_is_over();
}

void* qt_dictionary_put(qt_dictionary* dict, void* key, void* value) {
  const uint64_t h = dict->hash_of(key);
  shard& s = dict->shard_of(h);
  return unless_over([&]() -> void* {
    const closed_by_caller held(s);
    if (entry* const e = dict->find(s, h, key)) {
      shard::set(*e, key, value);
      return value;
    }
    return s.add(h, key, value, [&] { return dict->new_entry(); }) ? value : nullptr;
  });
}

void* qt_dictionary_put_if_absent(qt_dictionary* dict, void* key, void* value) {
  const uint64_t h = dict->hash_of(key);
  shard& s = dict->shard_of(h);
  void* there = nullptr;
  if (s.look(h, key, there) == seen::there && there != nullptr) return there;
  return unless_over([&]() -> void* {
    const closed_by_caller held(s);
    if (entry* const e = dict->find(s, h, key)) {
      if (value_of(*e) == nullptr) shard::set(*e, key, value);
      return value_of(*e);
    }
    return s.add(h, key, value, [&] { return dict->new_entry(); }) ? value : nullptr;
  });
}

void* qt_dictionary_get(qt_dictionary* dict, void* key) {
  const uint64_t h = dict->hash_of(key);
  shard& s = dict->shard_of(h);
  void* value = nullptr;
  const seen found = s.look(h, key, value);
  if (found != seen::unsure) [[likely]]
    return found == seen::there ? value : nullptr;
  return unless_over([&]() -> void* {
    const closed_by_caller held(s);
    const entry* const e = dict->find(s, h, key);
    return e != nullptr ? value_of(*e) : nullptr;
  });
}

void* qt_dictionary_delete(qt_dictionary* dict, void* key) {
  const uint64_t h = dict->hash_of(key);
  shard& s = dict->shard_of(h);
  void* old_key = nullptr;
  void* value = nullptr;
  return unless_over([&]() -> void* {
    {
      const closed_by_caller held(s);
      entry* const e = dict->find(s, h, key);
      if (e == nullptr) return nullptr;
      old_key = key_of(*e);
      value = value_of(*e);
      s.drop(*e);
    }
    if (dict->cleanup != nullptr) dict->cleanup(old_key, nullptr);  // the value is the caller's
    return value;
  });
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
    const shard::closed held(s);
    entry* next = it->at != nullptr ? it->at->after : s.first();
    if (next != nullptr) {
      it->at = next;
      return as_listed(next);
    }
    it->at = nullptr;
    ++it->shard_index;
  }
  return nullptr;
}

list_entry* qt_dictionary_iterator_get(qt_dictionary_iterator const* it) {
  if (it == nullptr || it == ERROR) return static_cast<list_entry*>(ERROR);
  return as_listed(it->at);
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
    const shard::closed held(dict->at[i]);
    std::printf("%zu: %zu entries, %zu slots\n", i, dict->at[i].count(), dict->at[i].room());
  }
}
