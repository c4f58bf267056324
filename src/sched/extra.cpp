// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What few tasks need: an id, a name, a copied argument, values of slots.
//
// Orders
//   E1 -> E2   who installs the extra part publishes it to who looks at it
//   name_N1 -> name_N2   who spawns gives a name to who looks at it
//   D1 -> D2   slot_create publishes a slot's destructor to a task's end; slot_delete its new
//              generation to who creates one there
#include "sched/extra.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include "mem/raw.hpp"
#include "sched/spin_lock.hpp"

namespace weft::rt {

namespace {

enum slot_state : uint32_t { slot_free, slot_changing, slot_used };

struct slot {
  atomic<uint32_t> state{slot_free};
  atomic<uint32_t> generation{0};  // raised by delete: older values do not count
  atomic<void (*)(void*)> destroy{nullptr};
};

slot slots[max_slots];

// The extra parts of some tasks. The lock is held while one comes or goes, and while a report looks
// at a name.
struct alignas(line_bytes) extra_list {
  spin_lock lock;
  task_extra* first = nullptr;
};

// By the task's address, so that workers whose tasks all have a key or a name seldom meet.
constexpr unsigned list_bits = 4;
constinit extra_list lists[1u << list_bits];

extra_list& list_of(const task& t) noexcept {
  const uint64_t mixed = reinterpret_cast<uintptr_t>(&t) * 0x9e3779b97f4a7c15u;
  return lists[mixed >> (64 - list_bits)];
}

void link(extra_list& l, task_extra& x) noexcept {
  x.next = l.first;
  x.link = &l.first;
  if (x.next != nullptr) x.next->link = &x.next;
  l.first = &x;
}

void unlink(task_extra& x) noexcept {
  *x.link = x.next;
  if (x.next != nullptr) x.next->link = x.link;
}

atomic<uint64_t> next_task_id{1};  // goes on over a stop and a start

// A handle is index + generation, so that a deleted slot's number means nothing afterwards.
constexpr uint32_t index_of(uint32_t handle) { return handle % max_slots; }
constexpr uint32_t generation_of(uint32_t handle) { return handle / max_slots; }

// The slot of a handle, or null.
slot* live_slot(uint32_t handle) noexcept {
  slot& s = slots[index_of(handle)];
  if (s.state.load_acquire() != slot_used) return nullptr;                      // D2 <- D1
  const uint32_t now = s.generation.load_relaxed() % (UINT32_MAX / max_slots);  // via: D2
  return now == generation_of(handle) ? &s : nullptr;
}

void run_destructors(task_extra& x) noexcept {
  // A destructor may set other slots: four rounds, as POSIX asks of pthread keys.
  for (int round = 0; round < 4; ++round) {
    bool any = false;
    for (uint32_t i = 0; i < x.value_count; ++i) {
      slot_value* values = x.values;  // a destructor may have grown it
      void* value = values[i].value;
      if (value == nullptr) continue;
      values[i].value = nullptr;
      slot* s = live_slot(values[i].handle);
      if (s == nullptr) continue;
      const auto destroy = s->destroy.load_relaxed();  // via: D2
      if (destroy == nullptr) continue;
      destroy(value);
      any = true;
    }
    if (!any) break;
  }
}

// What it owns.
void free_parts(task_extra& x) noexcept {
  raw_free(x.values, x.value_count * sizeof(slot_value));
  x.values = nullptr;
  x.value_count = 0;
  raw_free(x.copy, x.copy_bytes);
  x.copy = nullptr;
  if (x.key_words > 1) raw_free(const_cast<uint64_t*>(x.key), x.key_words * sizeof(uint64_t));
  x.key_words = 0;
}

void free_extra(task& t, task_extra* x) noexcept {
  {
    const std::lock_guard nobody_looks(list_of(t).lock);
    t.extra.store_relaxed(nullptr);  // init: nobody else has the task
    unlink(*x);
  }
  raw_free(x, sizeof(task_extra));
}

}  // namespace

task_extra* extra_of(task& t) noexcept {
  task_extra* x = t.extra.load_acquire();  // E2 <- E1
  if (x != nullptr) return x;
  void* memory = raw_alloc(sizeof(task_extra));
  if (memory == nullptr) return nullptr;
  auto* made = new (memory) task_extra();
  {
    extra_list& list = list_of(t);
    const std::lock_guard nobody_installs(list.lock);
    x = t.extra.load_relaxed();  // via: the lock
    if (x == nullptr) {
      link(list, *made);
      t.extra.store_release(made);  // E1 -> E2
    }
  }
  if (x == nullptr) {
    t.state.note_extra();
    return made;
  }
  raw_free(memory, sizeof(task_extra));  // another thread asked at the same time
  return x;
}

void end_extra(task& t) noexcept {
  task_extra& x = *t.extra.load_acquire();  // E2 <- E1
  if (x.values != nullptr) run_destructors(x);
  free_parts(x);
}

void release_extra(task& t) noexcept {
  end_extra(t);                           // of a task that never ran
  free_extra(t, t.extra.load_acquire());  // E2 <- E1
}

void abandon_extras() noexcept {
  for (extra_list& list : lists) {
    const std::lock_guard nobody_looks(list.lock);
    while (task_extra* x = list.first) {
      unlink(*x);
      free_parts(*x);
      raw_free(x, sizeof(task_extra));
    }
  }
}

void forget_extras() noexcept {
  for (extra_list& list : lists) std::construct_at(&list);
}

bool set_key(task_extra& x, const uint64_t* key, uint32_t words) noexcept {
  auto* to = &x.one_key;
  if (words > 1) to = static_cast<uint64_t*>(raw_alloc(words * sizeof(uint64_t)));
  if (to == nullptr) return false;
  std::memcpy(to, key, words * sizeof(uint64_t));
  x.key = to;
  x.key_words = words;
  return true;
}

uint64_t task_id(task& t) noexcept {
  task_extra* x = extra_of(t);
  if (x == nullptr) return 0;
  uint64_t id = x->id.load_relaxed();  // cas: the first to set it wins
  if (id != 0) return id;
  const uint64_t fresh = next_task_id.add_relaxed(1);  // count: only its uniqueness matters
  return x->id.cas_relaxed(id, fresh) ? fresh : id;    // count: one wins; it publishes nothing
}

const char* task_name(const task& t) noexcept {
  const task_extra* x = t.extra.load_acquire();            // E2 <- E1
  return x != nullptr ? x->name.load_acquire() : nullptr;  // name_N2 <- name_N1
}

void with_task_name(const task& t, void (*look)(const char* name, void* argument),
                    void* argument) noexcept {
  const std::lock_guard stays(list_of(t).lock);
  look(task_name(t), argument);
}

int slot_create(void (*destroy)(void*), uint32_t* out) noexcept {
  for (uint32_t i = 0; i < max_slots; ++i) {
    uint32_t state = slot_free;
    if (!slots[i].state.cas_acquire(state, slot_changing)) continue;  // D2 <- D1
    slots[i].destroy.store_relaxed(destroy);                          // via: D1
    const uint32_t generation =
        slots[i].generation.load_relaxed() % (UINT32_MAX / max_slots);  // own: slot_changing
    slots[i].state.store_release(slot_used);                            // D1 -> D2
    *out = generation * max_slots + i;
    return 0;
  }
  return -EAGAIN;
}

int slot_delete(uint32_t handle) noexcept {
  slot* s = live_slot(handle);
  if (s == nullptr) return -EINVAL;
  uint32_t state = slot_used;
  if (!s->state.cas_acquire(state, slot_changing)) return -EINVAL;  // D2 <- D1
  s->generation.store_relaxed(s->generation.load_relaxed() + 1);    // own: slot_changing
  s->state.store_release(slot_free);                                // D1 -> D2
  return 0;
}

int slot_set(task& t, uint32_t handle, void* value) noexcept {
  if (live_slot(handle) == nullptr) return -EINVAL;
  const uint32_t i = index_of(handle);
  task_extra* x = extra_of(t);
  if (x == nullptr) return -ENOMEM;
  if (i >= x->value_count) {
    if (value == nullptr) return 0;
    const uint32_t count = (i / 8 + 1) * 8;
    void* grown = raw_alloc(count * sizeof(slot_value));
    if (grown == nullptr) return -ENOMEM;
    std::memset(grown, 0, count * sizeof(slot_value));
    if (x->values != nullptr) {
      std::memcpy(grown, x->values, x->value_count * sizeof(slot_value));
      raw_free(x->values, x->value_count * sizeof(slot_value));
    }
    x->values = static_cast<slot_value*>(grown);
    x->value_count = count;
  }
  x->values[i] = slot_value{handle, value};
  return 0;
}

void* slot_get(const task& t, uint32_t handle) noexcept {
  const task_extra* x = t.extra.load_acquire();  // E2 <- E1
  if (x == nullptr || index_of(handle) >= x->value_count) return nullptr;
  const slot_value& v = x->values[index_of(handle)];
  return v.handle == handle && live_slot(handle) != nullptr ? v.value : nullptr;
}

}  // namespace weft::rt
