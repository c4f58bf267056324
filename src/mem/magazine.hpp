// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors of one type: a magazine per worker over slabs that all workers share.
//
// After Bonwick and Adams, "Magazines and Vmem" (USENIX 2001); but the depot is one stack of
// pointers that lives inside the slabs, so that giving an object back needs no memory and cannot
// fail.
//
// Invariants
//   I1  an object is constructed once, by T(), when it is first handed out; put and get keep its
//       contents, so a generation count in it survives.
//   I2  the depot has a place for every object of every slab, so it cannot overflow.
//   I3  slabs go back to the system at stop() only. An address once given stays mapped until then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <type_traits>

#include "arch/fiber_notes.hpp"
#include "base/attributes.hpp"
#include "base/check.hpp"
#include "base/owned.hpp"

namespace weft::rt {

// The part that does not depend on the type: slabs and depot, of objects of one size.
class slab_depot {
 public:
  explicit slab_depot(std::size_t object_bytes) noexcept : object_bytes_(object_bytes) {}
  ~slab_depot() { stop(); }
  slab_depot(const slab_depot&) = delete;
  slab_depot& operator=(const slab_depot&) = delete;

  // A run of objects that were never handed out, next to each other.
  struct run {
    std::byte* first = nullptr;
    std::uint32_t count = 0;
  };

  // Up to `wanted` objects that were given back before; returns how many were written to `out`.
  std::uint32_t take(void** out, std::uint32_t wanted) noexcept;
  // Up to `wanted` new objects; count 0: no memory.
  run carve(std::uint32_t wanted) noexcept;
  void give(void* const* objects, std::uint32_t count) noexcept;

  std::uint64_t made() const noexcept;           // objects ever handed out
  std::uint64_t bytes() const noexcept;          // address space of all slabs
  bool owns(const void* object) const noexcept;  // whether it lies in a slab
  // Calls visit for each object ever handed out. Nothing else is called meanwhile.
  void for_each(void (*visit)(void*)) noexcept;
  // Unmaps all slabs. Nothing to do twice.
  void stop() noexcept;

 private:
  struct slab {
    slab* older;
    slab* newer;
    std::size_t bytes;  // of the mapping
    std::byte* objects;
    void** places;  // depot places, `count` of them
    std::uint32_t count;
    std::uint32_t carved;  // objects handed out so far
    std::uint32_t filled;  // depot places in use
  };

  bool add_slab() noexcept;  // under mutex_

  std::size_t object_bytes_;
  mutable std::mutex mutex_;
  slab* newest_ = nullptr;  // objects are carved from this one
  slab* oldest_ = nullptr;
  slab* depot_top_ = nullptr;  // every older slab's places are full, every newer one's are empty
  std::uint64_t made_ = 0;
  std::uint64_t bytes_ = 0;
};

template <class T, std::uint32_t Capacity>
class object_cache;

// All objects of one type. Needs to be stopped (or destroyed) after the caches over it are
// detached.
template <class T>
class object_pool {
  static_assert(std::is_nothrow_default_constructible_v<T>);
  static_assert(alignof(T) <= line_bytes);

 public:
  object_pool() noexcept : depot_(stride) {}
  ~object_pool() { stop(); }
  object_pool(const object_pool&) = delete;
  object_pool& operator=(const object_pool&) = delete;

  std::uint64_t made() const noexcept { return depot_.made(); }
  std::uint64_t bytes() const noexcept { return depot_.bytes(); }
  bool owns(const T* object) const noexcept { return depot_.owns(object); }

  // Destroys all objects, in use or not, and unmaps them. Nothing to do twice.
  void stop() noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      depot_.for_each([](void* p) { static_cast<T*>(p)->~T(); });
    }
    depot_.stop();
  }

  // For a thread that has no cache of its own. nullptr: no memory.
  [[nodiscard]] T* get_shared() noexcept {
    void* p = nullptr;
    if (depot_.take(&p, 1) == 1) {
      notes::acquire(p);
      return static_cast<T*>(p);
    }
    const slab_depot::run fresh = depot_.carve(1);
    if (fresh.count == 0) return nullptr;
    T* object = ::new (fresh.first) T();
    notes::forget(fresh.first, fresh.first + sizeof(T));
    return object;
  }
  void put_shared(T* object) noexcept {
    notes::release(object);
    void* p = object;
    depot_.give(&p, 1);
  }

 private:
  template <class U, std::uint32_t Capacity>
  friend class object_cache;

  // Objects are whole lines, so that two of them never share one.
  static constexpr std::size_t stride = (sizeof(T) + line_bytes - 1) / line_bytes * line_bytes;

  slab_depot depot_;
};

// The objects that one worker keeps at hand. Only its worker calls it (tasks on it take turns).
template <class T, std::uint32_t Capacity = 256>
class object_cache {
  static_assert(Capacity >= 2 && Capacity % 2 == 0);

 public:
  object_cache() noexcept { top_.set(items_); }
  ~object_cache() { detach(); }
  object_cache(const object_cache&) = delete;
  object_cache& operator=(const object_cache&) = delete;

  void attach(object_pool<T>& pool) noexcept {
    WEFT_ASSERT(pool_.get() == nullptr);
    pool_.set(&pool);
  }

  // Gives all objects back to the pool. Nothing to do twice.
  void detach() noexcept {
    if (pool_.get() == nullptr) return;
    flush(items_, size());
    top_.set(items_);
    pool_.set(nullptr);
  }

  // An object nobody uses, in the state in which it was put or made; nullptr: no memory.
  [[nodiscard]] WEFT_ALWAYS_INLINE T* get() noexcept {
    if (__builtin_expect(empty(), 0)) return refill();
    return take();
  }
  // The same where empty() is known to be false.
  [[nodiscard]] WEFT_ALWAYS_INLINE T* take() noexcept {
    owned<T*>* top = top_.get() - 1;
    top_.set(top);
    T* object = top->get();
    notes::acquire(object);
    return object;
  }

  // Whether the next get() goes to the pool, and whether the next put() does.
  WEFT_ALWAYS_INLINE bool empty() const noexcept { return top_.get() == items_; }
  WEFT_ALWAYS_INLINE bool full() const noexcept { return top_.get() == items_ + Capacity; }

  WEFT_ALWAYS_INLINE void put(T* object) noexcept {
    if (__builtin_expect(full(), 0)) top_.set(make_room());
    keep(object);
  }
  // The same where full() is known to be false.
  WEFT_ALWAYS_INLINE void keep(T* object) noexcept {
    notes::release(object);
    owned<T*>* top = top_.get();
    top->set(object);
    top_.set(top + 1);
  }

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(top_.get() - items_); }

 private:
  static constexpr std::uint32_t half = Capacity / 2;
  // What moves at a time lies on the stack.
  static constexpr std::uint32_t batch = half < 128 ? half : 128;

  WEFT_COLD T* refill() noexcept {
    slab_depot& depot = pool_.get()->depot_;
    void* given[batch];
    std::uint32_t n = depot.take(given, batch);
    for (std::uint32_t i = 0; i < n; ++i) items_[i].set(static_cast<T*>(given[i]));
    if (n == 0) {
      const slab_depot::run fresh = depot.carve(batch);
      n = fresh.count;
      // Backwards, so that they are handed out in the order of their addresses.
      for (std::uint32_t i = 0; i < n; ++i) {
        std::byte* place = fresh.first + (n - 1 - i) * object_pool<T>::stride;
        T* object = ::new (place) T();
        notes::forget(place, place + sizeof(T));  // any task may use it next, by its atomics
        notes::release(object);
        items_[i].set(object);
      }
    }
    if (n == 0) return nullptr;
    top_.set(items_ + n - 1);
    T* object = items_[n - 1].get();
    notes::acquire(object);
    return object;
  }

  // Gives the older half away and returns the new top.
  WEFT_COLD owned<T*>* make_room() noexcept {
    flush(items_, half);
    for (std::uint32_t i = 0; i < Capacity - half; ++i) items_[i].set(items_[half + i].get());
    return items_ + (Capacity - half);
  }

  void flush(owned<T*>* first, std::uint32_t count) noexcept {
    void* given[batch];
    while (count > 0) {
      const std::uint32_t n = count < batch ? count : batch;
      for (std::uint32_t i = 0; i < n; ++i) given[i] = first[i].get();
      pool_.get()->depot_.give(given, n);
      first += n;
      count -= n;
    }
  }

  owned<owned<T*>*> top_;
  owned<object_pool<T>*> pool_;
  owned<T*> items_[Capacity];
};

}  // namespace weft::rt
