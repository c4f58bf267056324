// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of iterations in one word: its holder takes from the front, others take half from the back.
//
// Bits: 32..63 the first iteration left, 0..31 one past the last; equal or less: empty. Whoever
// takes writes the whole word by compare-and-swap, so the word alone says what is there, and a word
// that comes back says the truth again.
//
// Nothing is published through it: what an iteration reads was there before the loop began, and
// what it wrote is published by loop_ledger. So all accesses are relaxed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/atomic.hpp"

namespace weft::rt {

class iteration_span {
 public:
  static constexpr std::uint64_t most = UINT32_MAX;  // iterations that can be counted
  static constexpr std::uint64_t line = 16;          // iterations: of 4 bytes a line, of 8 two

  struct run {
    std::uint64_t first = 0;
    std::uint64_t last = 0;  // one past
    bool empty() const { return first >= last; }
    std::uint64_t size() const { return last - first; }
  };

  // This cut or one before it, where the elements of an array begin a cache line: vector loads and
  // stores of two members then do not meet in one. Short runs are cut as asked.
  static std::uint64_t evened(std::uint64_t first, std::uint64_t cut) {
    return cut - first < 4 * line ? cut : cut - cut % line;
  }

  // The holder, while it is empty: nobody else writes an empty span.
  void put(run r) {
    word_.store_relaxed(r.first << 32 | r.last);  // own: as said
  }

  // The first n, or what is left of them.
  run take_front(std::uint64_t n) {
    std::uint64_t seen = word_.load_relaxed();  // cas: below
    for (;;) {
      const run left = unpack(seen);
      if (left.empty()) return {};
      const std::uint64_t cut = n < left.size() ? evened(left.first, left.first + n) : left.last;
      if (word_.cas_relaxed(seen, cut << 32 | left.last))
        return {left.first, cut};  // count: as said
    }
  }

  // The later half, rounded up.
  run take_back_half() {
    std::uint64_t seen = word_.load_relaxed();  // cas: below
    for (;;) {
      const run left = unpack(seen);
      if (left.empty()) return {};
      const std::uint64_t cut = evened(left.first, left.first + left.size() / 2);
      if (word_.cas_relaxed(seen, left.first << 32 | cut))
        return {cut, left.last};  // count: as said
    }
  }

  run take_all() { return take_front(most); }

  // A moment later there may be less, or what the holder put.
  std::uint64_t left_hint() const {
    const run left = unpack(word_.load_relaxed());  // hint: a take decides
    return left.empty() ? 0 : left.size();
  }

 private:
  static run unpack(std::uint64_t word) { return {word >> 32, word & UINT32_MAX}; }

  atomic<std::uint64_t> word_{0};
};

}  // namespace weft::rt
