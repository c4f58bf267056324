// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every switch of stacks and tasks must tell ASan, TSan and Valgrind; nothing in plain builds.
// And what the leak sanitizer of a program must know of mappings, in every build.
//
// Two kinds of notes, because a task and a stack are two things here (many tasks run on one stack,
// one after the other; a parked task takes the stack with it):
//   flow_note   one per task and one per scheduler loop: what TSan calls a fiber
//   stack_note  one per stack: where it lies, for ASan and Valgrind
//
// A switch from stack a to stack b, from flow x to flow y:
//
//   notes::before_switch(a.note, b.note, false);  // true: nothing returns to a, its frames are
//   dead notes::run_as(y.note);                        // immediately before the switch
//   arch::switch_context(a.context, b.context);
//   notes::after_switch(a.note);                  // the first thing; in an entry function too
//
// A task called on the running stack: run_as(task), forget what lies below the stack pointer (TSan
// has seen other tasks write there, and knows no order between them and this one), call,
// run_as(loop).
//
// TSan sees no order between two flows but the one that release and acquire state (and what it sees
// itself: atomics, mutexes): that two tasks ran on one worker is chance and must not hide a race.
// In plain builds both notes are empty: hold them as [[no_unique_address]]. (Where valgrind.h was
// found a stack_note holds one word.)
#pragma once

#include <cstddef>

#include "base/attributes.hpp"
#include "base/build.hpp"

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define WEFT_NOTES_VALGRIND 1
#else
#define WEFT_NOTES_VALGRIND 0
#endif

// The sanitizers' own interface, declared here because their headers differ by compiler. A
// declaration costs nothing; only builds with the sanitizer call them.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): their names
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_set_fiber_name(void* fiber, const char* name);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void __tsan_java_alloc(unsigned long address, unsigned long bytes);
void __tsan_java_free(unsigned long address, unsigned long bytes);
void __sanitizer_start_switch_fiber(void** fake_stack_save, const void* bottom, std::size_t bytes);
void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom_old,
                                     std::size_t* bytes_old);
void __asan_unpoison_memory_region(const volatile void* address, std::size_t bytes);
// Weak: a program may have LeakSanitizer whose library was built without.
__attribute__((weak)) void __lsan_ignore_object(const void* p);
__attribute__((weak)) void __lsan_register_root_region(const void* p, std::size_t bytes);
__attribute__((weak)) void __lsan_unregister_root_region(const void* p, std::size_t bytes);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace weft::rt::notes {

// The fiber of one flow; nothing without TSan.
template <bool Tsan>
struct basic_flow_note {
  void create(const char*) noexcept {}
  void destroy() noexcept {}
  void adopt_current() noexcept {}
  void run() noexcept {}
};

template <>
struct basic_flow_note<true> {
  basic_flow_note() noexcept = default;
  basic_flow_note(const basic_flow_note&) = delete;
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): one word, which may be given to itself
  basic_flow_note& operator=(const basic_flow_note& other) noexcept {
    set(other.get());
    return *this;
  }

  // A fiber for a flow that has not run yet. The name appears in reports; it is copied.
  void create(const char* name) noexcept {
    set(__tsan_create_fiber(0));
    __tsan_set_fiber_name(get(), name);
  }
  // The flow has ended and another one runs.
  void destroy() noexcept { __tsan_destroy_fiber(get()); }
  // The flow that runs is an OS thread's own: the thread owns the fiber, so there is no destroy.
  void adopt_current() noexcept { set(__tsan_get_current_fiber()); }

  // Inlined: TSan keeps the calls of each fiber, so a function entered on one must not end on
  // another.
  WEFT_ALWAYS_INLINE void run() noexcept {
    __tsan_switch_to_fiber(get(), 1);  // 1: without synchronisation
  }

 private:
  // The word is about flows, not of one: whichever runs reads it, with no order that TSan knows.
  __attribute__((no_sanitize("thread"), noinline)) void* get() const noexcept { return fiber_; }
  __attribute__((no_sanitize("thread"), noinline)) void set(void* f) noexcept { fiber_ = f; }

  void* fiber_;
};

using flow_note = basic_flow_note<build::tsan>;

// From here on the calling thread runs flow `next`. No order between the two flows follows from it.
WEFT_ALWAYS_INLINE void run_as(flow_note& next) noexcept { next.run(); }

// What precedes release(p) happens-before what follows a later acquire(p).
WEFT_ALWAYS_INLINE void release([[maybe_unused]] const void* p) noexcept {
  if constexpr (build::tsan) __tsan_release(const_cast<void*>(p));
}
WEFT_ALWAYS_INLINE void acquire([[maybe_unused]] const void* p) noexcept {
  if constexpr (build::tsan) __tsan_acquire(const_cast<void*>(p));
}

// Where a stack lies; nothing without ASan.
template <bool Asan>
struct stack_bounds {
  void set(const void*, std::size_t) noexcept {}
  void leave(stack_bounds&, bool) noexcept {}
  void arrive() noexcept {}
};

template <>
struct stack_bounds<true> {
  void set(const void* low, std::size_t bytes) noexcept {
    fake_stack_ = nullptr;
    low_ = low;
    bytes_ = bytes;
  }
  WEFT_ALWAYS_INLINE void leave(stack_bounds& to, bool dies) noexcept {
    if (dies) fake_stack_ = nullptr;
    __sanitizer_start_switch_fiber(dies ? nullptr : &fake_stack_, to.low_, to.bytes_);
  }
  WEFT_ALWAYS_INLINE void arrive() noexcept {
    __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr);
  }

  void* fake_stack_ = nullptr;  // ASan's, while the stack is suspended
  const void* low_ = nullptr;
  std::size_t bytes_ = 0;
};

// The number under which Valgrind knows a stack.
struct valgrind_stack {
#if WEFT_NOTES_VALGRIND
  void set(void* low, void* high) noexcept { id_ = VALGRIND_STACK_REGISTER(low, high); }
  void clear() noexcept { VALGRIND_STACK_DEREGISTER(id_); }
  unsigned id_ = 0;
#else
  void set(void*, void*) noexcept {}
  void clear() noexcept {}
#endif
};

struct stack_note {
  [[no_unique_address]] stack_bounds<build::asan> bounds_;
  [[no_unique_address]] valgrind_stack valgrind_;
};

// [low, high) is a stack from now on, until stack_gone.
inline void stack_made(stack_note& n, void* low, void* high) noexcept {
  n.bounds_.set(low, static_cast<std::size_t>(static_cast<char*>(high) - static_cast<char*>(low)));
  n.valgrind_.set(low, high);
}

inline void stack_gone(stack_note& n) noexcept { n.valgrind_.clear(); }

// n stands for the calling OS thread's own stack (which Valgrind knows by itself; no stack_gone).
void adopt_thread_stack(stack_note& n) noexcept;

// from_dies: nothing will resume what runs now, and its frames are dead.
WEFT_ALWAYS_INLINE void before_switch(stack_note& from, stack_note& to, bool from_dies) noexcept {
  from.bounds_.leave(to.bounds_, from_dies);
}

// On the stack of `self`, as the first thing after the switch.
WEFT_ALWAYS_INLINE void after_switch(stack_note& self) noexcept { self.bounds_.arrive(); }

// To a block of the heap leads only a mapping of ours, in which LeakSanitizer does not look.
inline void known_to_mapping(const void* block) noexcept {
  if (__lsan_ignore_object != nullptr) __lsan_ignore_object(block);
}

// A mapping of ours that leads to blocks of the heap: LeakSanitizer looks there, too, until it is
// told that the mapping ends. It reads every page of it.
inline void mapping_begins(const void* p, std::size_t bytes) noexcept {
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(p, bytes);
}
inline void mapping_ends(const void* p, std::size_t bytes) noexcept {
  if (__lsan_unregister_root_region != nullptr) __lsan_unregister_root_region(p, bytes);
}

// [low, high) of a stack holds no living frame and is used anew: what was known about it is void.
inline void forget([[maybe_unused]] void* low, [[maybe_unused]] void* high) noexcept {
  [[maybe_unused]] const auto bytes =
      static_cast<std::size_t>(static_cast<char*>(high) - static_cast<char*>(low));
  if constexpr (build::asan) __asan_unpoison_memory_region(low, bytes);
  if constexpr (build::tsan) {
    // TSan has no call that says "new memory"; to a Java heap it is one allocation, freed at once.
    __tsan_java_alloc(reinterpret_cast<unsigned long>(low), bytes);
    __tsan_java_free(reinterpret_cast<unsigned long>(low), bytes);
  }
}

}  // namespace weft::rt::notes

#undef WEFT_NOTES_VALGRIND
