// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model-checking twin of base/atomic.hpp, over Debian's relacy-dev.
#pragma once
#include <relacy/relacy.hpp>
#include <source_location>
// relacy turns these keywords and names into macros; give them back.
#undef assert
#undef calloc
#undef delete
#undef free
#undef futex
#undef malloc
#undef memory_order_acq_rel
#undef memory_order_acquire
#undef memory_order_consume
#undef memory_order_relaxed
#undef memory_order_release
#undef memory_order_seq_cst
#undef new
#undef realloc

namespace weft::rt {

using code_place = std::source_location;
inline rl::debug_info info(const code_place& s) {
  return rl::debug_info(s.function_name(), s.file_name(), s.line());
}

template <class T>
class atomic {
 public:
  explicit atomic(T v = T{}, code_place s = code_place::current()) {
    v_.store(v, rl::mo_relaxed, info(s));
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load_relaxed(code_place s = code_place::current()) const {
    return v_.load(rl::mo_relaxed, info(s));
  }
  T load_acquire(code_place s = code_place::current()) const {
    return v_.load(rl::mo_acquire, info(s));
  }
  T load_seq_cst(code_place s = code_place::current()) const {
    return v_.load(rl::mo_seq_cst, info(s));
  }
  void store_relaxed(T v, code_place s = code_place::current()) {
    v_.store(v, rl::mo_relaxed, info(s));
  }
  void store_release(T v, code_place s = code_place::current()) {
    v_.store(v, rl::mo_release, info(s));
  }
  void store_seq_cst(T v, code_place s = code_place::current()) {
    v_.store(v, rl::mo_seq_cst, info(s));
  }
  T load_own_relaxed(code_place s = code_place::current()) const { return load_relaxed(s); }
  void store_own_relaxed(T v, code_place s = code_place::current()) { store_relaxed(v, s); }
  T exchange_relaxed(T v, code_place s = code_place::current()) {
    return v_.exchange(v, rl::mo_relaxed, info(s));
  }
  T exchange_acquire(T v, code_place s = code_place::current()) {
    return v_.exchange(v, rl::mo_acquire, info(s));
  }
  T exchange_release(T v, code_place s = code_place::current()) {
    return v_.exchange(v, rl::mo_release, info(s));
  }
  T exchange_acq_rel(T v, code_place s = code_place::current()) {
    return v_.exchange(v, rl::mo_acq_rel, info(s));
  }
  T exchange_seq_cst(T v, code_place s = code_place::current()) {
    return v_.exchange(v, rl::mo_seq_cst, info(s));
  }
  T add_relaxed(T v, code_place s = code_place::current()) {
    return v_.fetch_add(v, rl::mo_relaxed, info(s));
  }
  T add_release(T v, code_place s = code_place::current()) {
    return v_.fetch_add(v, rl::mo_release, info(s));
  }
  T add_acq_rel(T v, code_place s = code_place::current()) {
    return v_.fetch_add(v, rl::mo_acq_rel, info(s));
  }
  T add_seq_cst(T v, code_place s = code_place::current()) {
    return v_.fetch_add(v, rl::mo_seq_cst, info(s));
  }
  bool cas_relaxed(T& expected, T desired, code_place s = code_place::current()) {
    return v_.compare_exchange_strong(expected, desired, rl::mo_relaxed, info(s), rl::mo_relaxed,
                                      info(s));
  }
  bool cas_acquire(T& expected, T desired, code_place s = code_place::current()) {
    return v_.compare_exchange_strong(expected, desired, rl::mo_acquire, info(s), rl::mo_acquire,
                                      info(s));
  }
  bool cas_release(T& expected, T desired, code_place s = code_place::current()) {
    return v_.compare_exchange_strong(expected, desired, rl::mo_release, info(s), rl::mo_relaxed,
                                      info(s));
  }
  bool cas_acq_rel(T& expected, T desired, code_place s = code_place::current()) {
    return v_.compare_exchange_strong(expected, desired, rl::mo_acq_rel, info(s), rl::mo_acquire,
                                      info(s));
  }
  bool cas_seq_cst(T& expected, T desired, code_place s = code_place::current()) {
    return v_.compare_exchange_strong(expected, desired, rl::mo_seq_cst, info(s), rl::mo_relaxed,
                                      info(s));
  }

  // What a weakened order becomes, and no code of ours is.
  T add_acquire(T v, code_place s = code_place::current()) {
    return v_.fetch_add(v, rl::mo_acquire, info(s));
  }

 private:
  rl::atomic<T> v_;
};

inline void fence_seq_cst(code_place s = code_place::current()) {
  rl::atomic_thread_fence(rl::mo_seq_cst, info(s));
}

// An asymmetric pair is checked as P1202R4 words it: a light fence is ordered against heavy ones
// alone, not against another light one and not against fence_seq_cst. A suite that uses them has
// one member of this type, so that each run starts afresh.
class asymmetric_fences {
 public:
  asymmetric_fences() { current = this; }
  ~asymmetric_fences() { current = nullptr; }
  asymmetric_fences(const asymmetric_fences&) = delete;
  asymmetric_fences& operator=(const asymmetric_fences&) = delete;

  static void light() {
    RL_VERIFY(current != nullptr);
    rl::context& c = rl::ctx();
    c.sched();
    join(c.threadx_->acq_rel_order_, current->heavy_);
    join(current->light_, c.threadx_->acq_rel_order_);
  }
  static void heavy(const code_place& s) {
    RL_VERIFY(current != nullptr);
    fence_seq_cst(s);
    rl::timestamp_t* const mine = rl::ctx().threadx_->acq_rel_order_;
    join(mine, current->light_);
    join(mine, current->heavy_);
    join(current->heavy_, mine);
  }

 private:
  static constexpr unsigned most_threads = 8;

  // What a thread, or the fences of a kind, know of each thread's steps.
  static void join(rl::timestamp_t* known, const rl::timestamp_t* more) {
    const unsigned threads = rl::ctx().get_thread_count();
    RL_VERIFY(threads <= most_threads);
    for (unsigned i = 0; i < threads; ++i)
      if (known[i] < more[i]) known[i] = more[i];
  }

  inline static asymmetric_fences* current = nullptr;
  rl::timestamp_t light_[most_threads] = {};
  rl::timestamp_t heavy_[most_threads] = {};
};

inline void fence_light() { asymmetric_fences::light(); }

// The process-wide barrier; outside the model it is os/membarrier.hpp.
inline void fence_heavy(code_place s = code_place::current()) { asymmetric_fences::heavy(s); }

}  // namespace weft::rt
