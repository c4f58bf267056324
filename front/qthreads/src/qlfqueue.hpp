// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A first-in first-out queue of pointers without locks (Michael and Scott 1996).
//
// Nodes are named by number and tag, 32 bits each, in one word; every change of a word raises its tag, so
// that a word which names a node again is not the same word. A node's memory stays a node's as long as the
// queue lives, so a late reader finds a node, and its compare-and-swap fails. A thread that stalls between
// reading a word and swapping it while exactly 2^32 others change it would be misled.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weft::qt {

class lf_queue {
 public:
  lf_queue() noexcept = default;
  ~lf_queue();
  lf_queue(const lf_queue&) = delete;
  lf_queue& operator=(const lf_queue&) = delete;

  // Before its first use. False: no memory.
  bool begin() noexcept;
  // False: no memory. elem is not null.
  bool put(void* elem) noexcept;
  // Null: it is empty.
  void* take() noexcept;
  bool empty() const noexcept;

 private:
  using word = uint64_t;  // tag << 32 | number; number 0 is none
  struct node {
    std::atomic<word> next{0};
    std::atomic<void*> value{nullptr};
  };
  // Chunk k has first_chunk << k nodes.
  static constexpr uint32_t first_chunk = 64;
  static constexpr uint32_t chunks = 26;

  static uint32_t number(word w) noexcept { return static_cast<uint32_t>(w); }
  static word retag(word old, uint32_t n) noexcept { return ((old >> 32) + 1) << 32 | n; }

  node& at(uint32_t n) const noexcept;
  uint32_t new_node() noexcept;
  uint32_t fresh_node() noexcept;
  void free_node(uint32_t n) noexcept;

  alignas(64) std::atomic<word> head_{0};
  alignas(64) std::atomic<word> tail_{0};
  alignas(64) std::atomic<word> free_{0};
  std::atomic<uint32_t> fresh_{0};
  std::atomic<node*> chunk_[chunks]{};
};

}  // namespace weft::qt
