// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What inlined code sees of the runtime: two words per OS thread, the first two lines of a worker,
// a task.
//
// This is part of the versioned ABI: it changes with the soname of libweft.so only.
// src/api/fork.cpp compares it with the runtime's own declarations. The protocol is that of
// src/lockfree/work_deque.hpp, in its names: P1, P2, C2, O1.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
// Exported by the library, which writes it: the worker that the calling OS thread is, or null.
extern __thread void* weft_self_word __attribute__((tls_model("initial-exec")));
// The same for forks, and never null: where none may be queued or called in place by inlined code,
// a worker that has neither room nor work.
extern __thread void* weft_fork_word __attribute__((tls_model("initial-exec")));
}

namespace weft::detail::abi {

// Fields change under the eyes of compiled code that knows them under other types.
#define WEFT_ALIASED __attribute__((may_alias))

// The C++ runtime's record of the calling thread (Itanium C++ ABI, 2.2.2).
struct WEFT_ALIASED exceptions {
  void* caught;
  unsigned uncaught;
};

struct WEFT_ALIASED task {
  void* (*fn)(void*);
  void* value;  // queued: the argument; while it is called: the task beneath it
  uint64_t join;
  void* on;
  int64_t place;
  void* site;
  uint64_t state;  // 0: plain
  void* extra;
};

struct WEFT_ALIASED worker {
  task* current;
  void* on;
  std::byte* inline_floor;  // a call may be made here while the stack pointer is not below
  const exceptions* thread_exceptions;
  int64_t yield_mark;
  uint32_t index;
  uint32_t tick;
  const uint64_t* census;  // not 0: somebody has to be told of new work
  // The owner's line of its deque.
  alignas(64) int64_t bottom;
  int64_t floor;
  int64_t limit;
  void** slots;
  int64_t mask;
  int64_t ask_end;
};

#undef WEFT_ALIASED

// Loads a word of the calling thread. A macro because the assembler takes the word's name alone.
#if defined(__x86_64__) && defined(__LP64__)
#define WEFT_LOAD_THREAD_WORD(name, word)                                          \
  asm volatile("movq " #name                                                       \
               "@gottpoff(%%rip), %0\n\t" /* its offset from the thread pointer */ \
               "movq %%fs:(%0), %0"       /* the word of this thread */            \
               : "=r"(word))
#elif defined(__aarch64__) && defined(__LP64__)
#define WEFT_LOAD_THREAD_WORD(name, word)                                   \
  void* offset;                                                             \
  asm volatile("adrp %1, :gottprel:" #name                                  \
               "\n\t"                  /* page of the offset's GOT entry */ \
               "mrs %0, tpidr_el0\n\t" /* the thread pointer */             \
               "ldr %1, [%1, :gottprel_lo12:" #name                         \
               "]\n\t"            /* the word's offset from it */           \
               "ldr %0, [%0, %1]" /* the word of this thread */             \
               : "=&r"(word), "=&r"(offset))
#endif

// The calling thread's worker, or null. Volatile: after anything that parks it may be another one.
[[gnu::always_inline]] inline worker* self() noexcept {
  void* word = nullptr;  // elsewhere the library's functions do all
#if defined(WEFT_LOAD_THREAD_WORD)
  WEFT_LOAD_THREAD_WORD(weft_self_word, word);
#endif
  return static_cast<worker*>(word);
}

// The calling thread's worker for forks. Null: inlined code does not know where it stands.
[[gnu::always_inline]] inline worker* fork_self() noexcept {
  void* word = nullptr;
#if defined(WEFT_LOAD_THREAD_WORD)
  WEFT_LOAD_THREAD_WORD(weft_fork_word, word);
  if (word == nullptr) __builtin_unreachable();
#endif
  return static_cast<worker*>(word);
}

#undef WEFT_LOAD_THREAD_WORD

[[gnu::always_inline]] inline std::byte* stack_pointer() noexcept {
  std::byte* sp = nullptr;
#if defined(__x86_64__)
  asm volatile("movq %%rsp, %0" : "=r"(sp));
#elif defined(__aarch64__)
  asm volatile("mov %0, sp" : "=r"(sp));
#endif
  return sp;
}

// An address in the code around it: where a fork was started.
[[gnu::always_inline]] inline void* here() noexcept {
  void* at = nullptr;
#if defined(__x86_64__)
  asm("leaq (%%rip), %0" : "=r"(at));
#elif defined(__aarch64__)
  asm("adr %0, ." : "=r"(at));
#endif
  return at;
}

// What a runtime above has set for the current task (weft_task_set_record): it stands in the task's
// fn, told from a function by bit 63. Null: it has set none, or the library must be asked, or there
// is no task.
[[gnu::always_inline]] inline void* record(const worker& w) noexcept {
  if (w.current == nullptr) [[unlikely]]
    return nullptr;
  const auto word = reinterpret_cast<uint64_t>(w.current->fn);
  return word >> 63 != 0 ? reinterpret_cast<void*>(word << 1 >> 1) : nullptr;
}
// Whether that is not null.
[[gnu::always_inline]] inline bool has_record(const worker& w) noexcept {
  return w.current != nullptr && reinterpret_cast<uint64_t>(w.current->fn) > uint64_t{1} << 63;
}
[[gnu::always_inline]] inline void* record() noexcept {
  const worker* const w = self();
  return w != nullptr ? record(*w) : nullptr;
}

// By a task: sets it.
[[gnu::always_inline]] inline void set_record(worker& w, void* record) noexcept {
  const auto word = reinterpret_cast<uint64_t>(record) | uint64_t{1} << 63;
  __atomic_store_n(reinterpret_cast<uint64_t*>(&w.current->fn), word, __ATOMIC_RELAXED);
}

// Of a task that was spawned for an object (weft_task_spawn_for): its join word is the object's
// address and 3.
[[gnu::always_inline]] inline void* object(const task& t) noexcept {
  return reinterpret_cast<void*>(t.join & ~uint64_t{7});
}
[[gnu::always_inline]] inline void* origin(const task& t) noexcept { return t.site; }

// The deque, by its owner, who alone writes bottom and slots: it may read them plainly.
[[gnu::always_inline]] inline void*& slot(worker& w, int64_t i) noexcept {
  return w.slots[i & w.mask];
}
// P1, P2, C2: the slots below are published with it.
[[gnu::always_inline]] inline void set_bottom(worker& w, int64_t b) noexcept {
  __atomic_store_n(&w.bottom, b, __ATOMIC_RELEASE);
}
// The light side of a pair whose heavy side is a barrier in all threads of the process.
[[gnu::always_inline]] inline void fence_light() noexcept {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Queues a fork as weft_fork_start does. False: it does not do for the plain way; nothing happened.
[[gnu::always_inline]] inline bool push(task& t, void* (*fn)(void*), void* argument,
                                        bool& tell) noexcept {
  worker* const w = fork_self();
  if (w == nullptr) [[unlikely]]
    return false;
  const int64_t b = w->bottom;
  if (b >= w->limit || stack_pointer() < w->inline_floor) [[unlikely]]
    return false;
  t.fn = fn;
  t.value = argument;
  t.join = 0;
  t.on = nullptr;
  t.place = b;
  t.site = here();
  t.state = 0;
  t.extra = nullptr;
  __atomic_store_n(&slot(*w, b), &t, __ATOMIC_RELAXED);
  set_bottom(*w, b + 1);
  fence_light();
  tell = __atomic_load_n(w->census, __ATOMIC_RELAXED) != 0;
  return true;
}

// Takes a fork that is the newest in its starter's deque and private there, to call it on the
// running stack at once. Null: that is not so, or not allowed; nothing happened.
[[gnu::always_inline]] inline worker* take(task& t) noexcept {
  worker* const w = fork_self();
  if (w == nullptr) [[unlikely]]
    return nullptr;
  const int64_t b = w->bottom - 1;
  if (slot(*w, b) != &t) [[unlikely]]
    return nullptr;
  // Beneath ask_end there may be a hole, which the library drops, or a fork that may not be called
  // on this stack. The child starts without its joiner's exceptions.
  const exceptions* const x = w->thread_exceptions;
  if (b <= w->ask_end || (reinterpret_cast<uintptr_t>(x->caught) | x->uncaught) != 0) [[unlikely]]
    return nullptr;
  set_bottom(*w, b);
  fence_light();  // O1: the bottom is lowered, then the floor is read
  if (__atomic_load_n(&w->floor, __ATOMIC_RELAXED) > b) [[unlikely]] {  // thieves may have it
    set_bottom(*w, b + 1);
    return nullptr;
  }
  return w;
}

// Around the call of a fork that was taken: the fork is the current task, above its joiner.
[[gnu::always_inline]] inline void enter(worker& w, task& t) noexcept {
  t.value = w.current;
  w.current = &t;
}
// False: the library must end it. w is the worker it was taken on: what is current there is the
// fork as long as the fork is there, because who leaves a worker is not current any more before
// others can see it.
[[gnu::always_inline]] inline bool leave(worker& w, task& t) noexcept {
  if (__atomic_load_n(&w.current, __ATOMIC_RELAXED) != &t ||
      __atomic_load_n(&t.state, __ATOMIC_RELAXED) != 0) [[unlikely]]
    return false;
  w.current = static_cast<task*>(t.value);
  return true;
}

}  // namespace weft::detail::abi
