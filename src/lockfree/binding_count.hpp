// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many tasks are bound to one worker, counted so that who binds writes no line that the worker
// holds.
//
// Two sums that only rise: bindings that began, by who binds, each in a line of its own or of few;
// and bindings that ended, most often by the worker. Equal sums: none is left.
//
// Who asks reads the ended ones first. Each of those had begun before, so what it reads then of the
// begun ones is no less than what had begun when it read the first sum, and equal sums say that at
// that moment none was left.
//
// Orders
//   C1 -> A2   a binding that is seen to have ended is seen to have begun, by way of C2 -> A1
//   C2 -> A1   and what was done under it precedes
//   C1 <> A2   against the words of others (presence.hpp, presence.cpp): who binds counts, then
//              reads; who asks wrote before
//   C2 <> A1   so for who ends a binding
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/build.hpp"

namespace weft::rt {

class binding_count {
 public:
  binding_count() = default;
  binding_count(const binding_count&) = delete;
  binding_count& operator=(const binding_count&) = delete;

  // Any thread. by: a number of its own, if it has one.
  void begin(std::uint32_t by) {
    (void)begun_[by % shards].count.add_seq_cst(1);  // C1 <> A2, C1 -> A2
  }
  // Any thread.
  void end() {
    (void)ended_.add_seq_cst(1);  // C2 <> A1, C2 -> A1
  }

  // Any thread. False: there was a moment during the call at which none was left.
  [[nodiscard]] bool any() const {
    const std::uint32_t ended = ended_.load_seq_cst();  // A1 <> C2, A1 <- C2
    std::uint32_t begun = 0;
    for (const shard& s : begun_) begun += s.count.load_seq_cst();  // A2 <> C1, A2 <- C1
    return begun != ended;
  }

 private:
  static constexpr std::uint32_t shards = build::model ? 2 : 8;
  struct alignas(line_bytes) shard {
    atomic<std::uint32_t> count{0};
  };

  shard begun_[shards];
  alignas(line_bytes) atomic<std::uint32_t> ended_{0};
};

}  // namespace weft::rt
