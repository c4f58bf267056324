// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of src/mem share: running a function on a stack, the process's memory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/resource.h>

#include "arch/context.hpp"
#include "arch/cpu.hpp"
#include "arch/fiber_notes.hpp"
#include "base/build.hpp"
#include "mem/stack.hpp"
#include "os/memory.hpp"
#include "support/child.hpp"

namespace weft::rt::test {

using weft::test::in_child;
using weft::test::outcome;
using weft::test::sanitized;

// --- running on a stack -------------------------------------------------------------------------

struct visit {
  stack* on;
  void (*run)(void*);
  void* arg;
  arch::context back;
  notes::stack_note home;
  notes::flow_note home_flow;
};

inline visit* current_visit = nullptr;

inline void visit_entry() noexcept {
  notes::acquire(&current_visit);
  visit* v = current_visit;
  notes::after_switch(v->on->note);
  v->run(v->arg);
  notes::release(&current_visit);
  notes::before_switch(v->on->note, v->home, true);
  notes::run_as(v->home_flow);
  arch::switch_context(v->on->context, v->back);
  std::abort();
}

// Calls run(arg) at the base of s and comes back; s is then as if its task had parked there.
WEFT_NOINLINE inline void run_on(stack& s, void (*run)(void*), void* arg) {
  visit v{&s, run, arg, {}, {}, {}};
  current_visit = &v;
  notes::adopt_thread_stack(v.home);
  v.home_flow.adopt_current();
  if constexpr (build::tsan) s.loop_flow.create("visited stack");
  arch::make_context(s.context, s.high, visit_entry);
  notes::release(&current_visit);  // TSan knows no order between flows but what it is told
  notes::before_switch(v.home, s.note, false);
  notes::run_as(s.loop_flow);
  arch::switch_context(v.back, s.context);
  notes::after_switch(v.home);
  notes::acquire(&current_visit);
  if constexpr (build::tsan) s.loop_flow.destroy();
}

// Writes one byte in each of the pages that lie up to `bytes` below the caller's frame.
WEFT_NOINLINE inline void dirty_below(std::size_t bytes) {
  std::byte* sp = arch::stack_pointer();
  for (std::size_t at = 256; at < bytes; at += 1024) {
    *const_cast<volatile std::byte*>(sp - at) = std::byte{1};
  }
}

// --- the process's memory -----------------------------------------------------------------------

// A line "key:   123 kB" of a file in /proc, in bytes; 0 when there is none.
inline std::uint64_t proc_bytes(const char* path, const char* key) {
  std::FILE* f = std::fopen(path, "r");
  if (f == nullptr) return 0;
  char line[256];
  unsigned long long kib = 0;
  while (std::fgets(line, sizeof line, f) != nullptr) {
    if (std::strncmp(line, key, std::strlen(key)) == 0) {
      if (std::sscanf(line + std::strlen(key), ": %llu", &kib) == 1) break;
    }
  }
  std::fclose(f);
  return kib * 1024;
}

// Limits this process's address space to `bytes` more than it has. False where that has no effect,
// as under an emulator.
inline bool limit_address_space(std::uint64_t bytes) {
  const std::uint64_t total = proc_bytes("/proc/self/status", "VmSize") + bytes;
  const rlimit limit{total, total};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return false;
  void* more = os::reserve(2 * bytes);
  if (more != nullptr) os::release(more, 2 * bytes);
  return more == nullptr;
}

// Resident pages and page tables.
inline std::uint64_t memory_in_use() {
  return proc_bytes("/proc/self/status", "VmRSS") + proc_bytes("/proc/self/status", "VmPTE");
}

inline std::size_t pages_resident(const std::byte* from, const std::byte* to) {
  const std::size_t page = os::page_bytes();
  std::size_t total = 0;
  for (const std::byte* p = from - reinterpret_cast<std::uintptr_t>(from) % page; p < to;
       p += page) {
    unsigned char v = 0;
    total += os::resident_pages(p, page, &v);
  }
  return total;
}

// Of the stack's memory, header included.
inline std::size_t pages_resident(const stack& s) { return pages_resident(s.low, s.high + 1); }

}  // namespace weft::rt::test
