// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shard of a dictionary: a look without the lock finds what is there, with what the value points
// at, and never an older value than the same look before; a key that is there all the time is never
// said to be absent.
#include "front/qthreads/src/hash_shard.hpp"
#include "model.hpp"

namespace {

struct env {
  static void* take(std::size_t bytes) { return std::malloc(bytes); }
  static void give(void* memory) { std::free(memory); }
  static void pause(unsigned) { rl::yield(1, RL_INFO); }
  static constexpr std::size_t first_slots = 4;
};

using shard = weft::qt::basic_hash_shard<weft::rt::atomic, env>;
using seen = shard::seen;

struct item {
  rl::var<int> body;
  int of = 0;  // key
};

constexpr int keys = 5;

// Keys are numbered from 1; all have the same home, and 1 and 5 the same hash.
template <class Suite, unsigned Threads>
struct shard_suite : rl::test_suite<Suite, Threads> {
  shard* s = nullptr;
  rl::var<int> changes;  // under the closed shard
  shard::entry* entries[2 * keys];
  int made = 0;
  item items[keys + 1][2];

  static void* key_of(int k) { return reinterpret_cast<void*>(static_cast<intptr_t>(k)); }
  static uint64_t hash_of(int k) { return static_cast<uint64_t>(k % 4); }

  void before() {
    s = new (std::aligned_alloc(64, sizeof(shard))) shard;
    made = 0;
    changes(RL_INFO) = 0;
  }
  void after() {
    s->~shard();
    std::free(s);
    for (int i = 0; i < made; ++i) {
      entries[i]->~entry();
      std::free(entries[i]);
    }
  }

  static auto is(int k) {
    return [k](void* there) { return there == key_of(k); };
  }
  // Its n-th value.
  void put(int k, int n) {
    item& it = items[k][n];
    it.of = k;
    it.body(RL_INFO) = n;
    const shard::closed held(*s);
    put_closed(k, it);
  }
  void put_closed(int k, item& it) {
    ++changes(RL_INFO);
    if (auto* e = s->find(hash_of(k), is(k))) return shard::set(*e, key_of(k), &it);
    RL_ASSERT(s->add(hash_of(k), key_of(k), &it, [this] {
      return entries[made++] = new (std::malloc(sizeof(shard::entry))) shard::entry;
    }));
  }
  void drop_closed(int k) {
    ++changes(RL_INFO);
    s->drop(*s->find(hash_of(k), is(k)));
  }
  // The number of its value; -1: absent, -2: nobody knows.
  int look(int k) {
    void* value = nullptr;
    const seen found = s->look(hash_of(k), key_of(k), value);
    if (found == seen::unsure) return -2;
    if (found == seen::absent) return -1;
    auto* it = static_cast<item*>(value);
    RL_ASSERT(it->of == k);
    return it->body(RL_INFO);
  }
};

// Keys come while one looks, so that the table grows; their values change.
struct grows : shard_suite<grows, 3> {
  void before() {
    shard_suite::before();
    put(1, 0);
    put(2, 0);
  }
  void thread(unsigned who) {
    if (who == 0) {
      put(4, 0);
      put(1, 1);
    } else if (who == 1) {
      put(3, 0);
    } else {
      int last = 0;
      for (int i = 0; i < 2; ++i) {
        const int now = look(1);
        RL_ASSERT(now != -1);
        if (now == -2) continue;
        RL_ASSERT(now >= last);
        last = now;
      }
      look(3);
    }
  }
};

// What is dropped makes others move up.
struct moves_up : shard_suite<moves_up, 3> {
  void before() {
    shard_suite::before();
    put(1, 0);
    put(2, 0);
    put(3, 0);
  }
  void thread(unsigned who) {
    if (who == 0) {
      const shard::closed held(*s);
      drop_closed(1);
    } else {
      for (int i = 0; i < 2; ++i) RL_ASSERT(look(2) != -1);
      RL_ASSERT(look(3) != -1);
      look(1);
    }
  }
};

// An entry is used again for a key of the same hash; in one change, as a model knows the last three
// states alone.
struct same_hash : shard_suite<same_hash, 2> {
  void before() {
    shard_suite::before();
    put(1, 0);
  }
  void thread(unsigned who) {
    if (who == 0) {
      item& it = items[5][1];
      it.of = 5;
      it.body(RL_INFO) = 1;
      const shard::closed held(*s);
      drop_closed(1);
      put_closed(5, it);
    } else {
      const int now = look(5);
      RL_ASSERT(now < 0 || now == 1);
    }
  }
};

// Changes so short that one often ends before the next one closes the shard, at its first try.
struct takes_turns : shard_suite<takes_turns, 2> {
  void thread(unsigned) {
    for (int i = 0; i < 2; ++i) {
      const shard::closed held(*s);
      ++changes(RL_INFO);
    }
  }
};

// Who has changed something sees it, and so does whom it has told.
struct tells : shard_suite<tells, 2> {
  weft::rt::atomic<int> told;
  void before() {
    shard_suite::before();
    told.store_relaxed(0);
  }
  void thread(unsigned who) {
    if (who == 0) {
      put(1, 0);
      RL_ASSERT(look(1) == 0);
      told.store_release(1);
    } else {
      const bool is_told = told.load_acquire() == 1;
      RL_ASSERT(look(1) == 0 || !is_told);
    }
  }
};

}  // namespace

int main() {
  using weft::model::holds;
  return holds<grows>(60000) && holds<moves_up>(100000) && holds<same_hash>(60000) &&
                 holds<tells>(20000) && holds<takes_turns>(20000)
             ? 0
             : 1;
}
