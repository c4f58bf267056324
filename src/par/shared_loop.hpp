// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The descriptor of a loop that others can find: its spans, its ledger, who is asked to come.
//
// The caller makes it, the last who holds it frees it. Fields of different writers stand on
// different lines; a span and who has it are written by its member and by thieves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "lockfree/iteration_span.hpp"
#include "lockfree/loop_ledger.hpp"
#include "par/loop.hpp"
#include "sync/latch.hpp"

namespace weft::rt {

struct shared_loop {
  struct alignas(line_bytes) part {
    iteration_span span;
    atomic<uint32_t> taken{0};  // a member has it for its own
  };

  // The iterations from `from` on, in so many parts. Null: no memory.
  static shared_loop* make(const loop_plan& plan, uint64_t from, uint32_t parts) noexcept;
  // The caller is in it, at this part, before anybody else knows it.
  void begin_with(uint32_t slot) noexcept;
  void release() noexcept;  // one hold; the last frees

  // By who has just claimed the invitation it is certain: a helper counts before it gives that up.
  bool is_full() const noexcept { return members.load_relaxed() >= part_count; }  // via: I2

  part& at(uint32_t i) noexcept { return reinterpret_cast<part*>(this + 1)[i]; }
  // Spans count units of this many iterations, the last one perhaps shorter.
  loop_member::block block_of(iteration_span::run r) const noexcept;

  const loop_plan plan;
  const uint64_t base;        // the first iteration that was left when it was made
  const uint32_t part_count;  // also the most members at a time
  const bool central;         // one counter, no spans
  const uint64_t unit;
  const uint64_t units;

  alignas(line_bytes) atomic<task*> invitation{nullptr};  // on its way; see loop_member::invite
  atomic<uint32_t> members{0};

  alignas(line_bytes) atomic<uint64_t> next{
      0};  // central: the first iteration not taken, from base

  // What nobody writes before the end but who invites: with two parts the line is the caller's
  // until then.
  alignas(line_bytes) loop_ledger ledger;
  atomic<uint32_t> stop{0};     // no block is begun
  atomic<uint32_t> dropped{0};  // iterations were left out
  latch over{1};

 private:
  shared_loop(const loop_plan& p, uint64_t from, uint32_t parts, bool by_counter) noexcept;
  static std::size_t bytes(uint32_t parts) noexcept {
    return sizeof(shared_loop) + parts * sizeof(part);
  }
};

}  // namespace weft::rt
