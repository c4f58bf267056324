// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics whose memory order is part of the name.
//
// There is no operator=, no operator T and no default order, so an access
// without a written order does not compile. Only this file knows whether
// the build is a model-checking build (WEFT_MODEL).
#pragma once

#if defined(WEFT_MODEL)
#include "base/atomic_model.hpp"
#else
#include <atomic>
#include <cstdint>

#include "base/build.hpp"

namespace weft::rt {

template <class T>
class atomic {
  static_assert(std::atomic<T>::is_always_lock_free, "weft::rt::atomic must not hide a lock");

 public:
  constexpr explicit atomic(T v = T{}) noexcept : v_(v) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load_relaxed() const noexcept { return v_.load(std::memory_order_relaxed); }
  T load_acquire() const noexcept { return v_.load(std::memory_order_acquire); }
  T load_seq_cst() const noexcept { return v_.load(std::memory_order_seq_cst); }
  void store_relaxed(T v) noexcept { v_.store(v, std::memory_order_relaxed); }
  void store_release(T v) noexcept { v_.store(v, std::memory_order_release); }
  void store_seq_cst(T v) noexcept { v_.store(v, std::memory_order_seq_cst); }
  // Between tasks of one worker, which never run at the same time: relaxed. A thread sanitizer
  // takes each task for a thread of its own, so there the order is shown to it (as in
  // base/owned.hpp).
  T load_own_relaxed() const noexcept { return v_.load(own_load_order); }
  void store_own_relaxed(T v) noexcept { v_.store(v, own_store_order); }
  // By the one thread that writes it (or under the lock that makes it so): a load and a store,
  // which compilers do not join into the one instruction that it takes.
  void add_own_relaxed(T v) noexcept {
#if defined(__x86_64__)
    if constexpr (!build::tsan && sizeof(T) == 8) {
      asm("addq %1, %0" : "+m"(v_) : "er"(v) : "cc");
      return;
    } else if constexpr (!build::tsan && sizeof(T) == 4) {
      asm("addl %1, %0" : "+m"(v_) : "er"(v) : "cc");
      return;
    }
#endif
    store_relaxed(load_relaxed() + v);
  }
  T exchange_relaxed(T v) noexcept { return v_.exchange(v, std::memory_order_relaxed); }
  T exchange_acquire(T v) noexcept { return v_.exchange(v, std::memory_order_acquire); }
  T exchange_release(T v) noexcept { return v_.exchange(v, std::memory_order_release); }
  T exchange_acq_rel(T v) noexcept { return v_.exchange(v, std::memory_order_acq_rel); }
  T exchange_seq_cst(T v) noexcept { return v_.exchange(v, std::memory_order_seq_cst); }
  T add_relaxed(T v) noexcept { return v_.fetch_add(v, std::memory_order_relaxed); }
  T add_release(T v) noexcept { return v_.fetch_add(v, std::memory_order_release); }
  T add_acq_rel(T v) noexcept { return v_.fetch_add(v, std::memory_order_acq_rel); }
  T add_seq_cst(T v) noexcept { return v_.fetch_add(v, std::memory_order_seq_cst); }

  // On failure `expected` is reloaded, relaxed unless the name says otherwise.
  bool cas_relaxed(T& expected, T desired) noexcept {
    return v_.compare_exchange_strong(expected, desired, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
  }
  // On failure too the load acquires.
  bool cas_acquire(T& expected, T desired) noexcept {
    return v_.compare_exchange_strong(expected, desired, std::memory_order_acquire,
                                      std::memory_order_acquire);
  }
  bool cas_release(T& expected, T desired) noexcept {
    return v_.compare_exchange_strong(expected, desired, std::memory_order_release,
                                      std::memory_order_relaxed);
  }
  // On failure too the load acquires.
  bool cas_acq_rel(T& expected, T desired) noexcept {
    return v_.compare_exchange_strong(expected, desired, std::memory_order_acq_rel,
                                      std::memory_order_acquire);
  }
  bool cas_seq_cst(T& expected, T desired) noexcept {
    return v_.compare_exchange_strong(expected, desired, std::memory_order_seq_cst,
                                      std::memory_order_relaxed);
  }

  // For futex calls and restartable stores; nothing else may use the address.
  void* address() noexcept { return &v_; }

 private:
  static constexpr auto own_load_order =
      build::tsan ? std::memory_order_acquire : std::memory_order_relaxed;
  static constexpr auto own_store_order =
      build::tsan ? std::memory_order_release : std::memory_order_relaxed;
  std::atomic<T> v_;
};

// A word of the program's own, accessed where it lies.
class atomic_place {
 public:
  explicit atomic_place(const uint64_t* at) noexcept : at_(const_cast<uint64_t*>(at)) {}

  uint64_t load_relaxed() const noexcept { return __atomic_load_n(at_, __ATOMIC_RELAXED); }
  uint64_t load_acquire() const noexcept { return __atomic_load_n(at_, __ATOMIC_ACQUIRE); }
  void store_release(uint64_t v) const noexcept { __atomic_store_n(at_, v, __ATOMIC_RELEASE); }
  // On failure `expected` is reloaded, and the load acquires.
  bool cas_acq_rel(uint64_t& expected, uint64_t desired) const noexcept {
    return __atomic_compare_exchange_n(at_, &expected, desired, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
  }

 private:
  uint64_t* at_;
};

inline void fence_seq_cst() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

// The cheap side of an asymmetric Dekker pair: stops the compiler only. The other side pays for
// both with a process-wide barrier (os/membarrier.hpp), after which it sees every store that
// precedes this point, or this side sees the stores that precede the barrier.
inline void fence_light() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }

}  // namespace weft::rt
#endif
