// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A first-in first-out queue of pointers without locks (Michael and Scott 1996).
//
// Nodes are named by number and tag, 32 bits each, in one word; every change of a word raises its
// tag, so that a word which names a node again is not the same word. A node's memory stays a node's
// as long as the queue lives, so a late reader finds a node, and its compare-and-swap fails. A
// thread that stalls between reading a word and swapping it while exactly 2^32 others change it
// would be misled.
//
// Invariants
//   I1  the list from head_ to the node without a next one is never empty; its first node is a
//       dummy, whose value was taken, the others are the queue.
//   I2  tail_ names the last node or one before it, and never one before head_'s: who moves head_
//       on has seen tail_ ahead of it.
//   I3  a node is in the list, on the free list, or in the hands of who puts it.
//
// Why a late reader is harmless. It has the node's number from a word, and reads the node's next
// word, which may be of a later life by then. If that one names a node, a swap follows that
// compares a word which has changed since. If it names none, a put would append to a node that is
// not in the list, and a take would say that the queue is empty: so the word is read again first.
// Who gave the next word its new tag had seen the other word moved on, and the next word's store is
// a release, so the second look sees it, too (E1).
//
// Orders
//   C1 -> C2   a chunk of nodes is published to who has a number of it
//   L1 -> L2   put links a node: its value, what that points at, and its next word
//   T1 -> T2   a moved tail_ publishes the node that it names
//   H1 -> H2   a moved head_ publishes that the node is linked and its value was taken
//   F1 -> F2   a freed node is published to who uses it again
//   E1 -> L2   a next word that names no node, to late readers
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace weft::qt {

// Atomic: ordered_atomic or its like. Memory: how a chunk's nodes are had, and given back.
//   template <class Node> static Node* make(std::size_t count)   null: no memory
//   template <class Node> static void drop(Node*, std::size_t count)
// first_chunk: nodes of the first chunk, a power of two; each has twice as many as the one before.
template <template <class> class Atomic, class Memory, uint32_t first_chunk = 64>
class basic_lf_queue {
 public:
  basic_lf_queue() noexcept = default;
  ~basic_lf_queue() {
    for (uint32_t k = 0; k < chunks; ++k)
      if (node* c = chunk_[k].load_relaxed())  // own: nobody else is left
        Memory::drop(c, chunk_nodes(k));
  }
  basic_lf_queue(const basic_lf_queue&) = delete;
  basic_lf_queue& operator=(const basic_lf_queue&) = delete;

  // Before its first use. False: no memory.
  bool begin() noexcept {
    const uint32_t dummy = new_node();
    head_.store_relaxed(dummy);  // init: nobody has the queue yet
    tail_.store_relaxed(dummy);  // init: nobody has the queue yet
    return dummy != 0;
  }

  // False: no memory. elem is not null.
  bool put(void* elem) noexcept {
    const uint32_t n = new_node();
    if (n == 0) return false;
    node& x = at(n);
    x.value.store_relaxed(elem);                            // via: L1
    x.next.store_release(retag(x.next.load_relaxed(), 0));  // E1 -> L2; own: it is in no list
    for (;;) {
      word tail = tail_.load_acquire();  // T2 <- T1
      node& last = at(number(tail));
      word next = last.next.load_acquire();        // L2 <- L1, E1
      if (tail != tail_.load_relaxed()) continue;  // via: L2
      if (number(next) != 0) {
        (void)tail_.cas_release(tail, retag(tail, number(next)));  // T1 -> T2
      } else if (last.next.cas_release(next, retag(next, n))) {    // L1 -> L2
        (void)tail_.cas_release(tail, retag(tail, n));             // T1 -> T2
        return true;
      }
    }
  }

  // Null: it is empty.
  void* take() noexcept {
    for (;;) {
      word head = head_.load_acquire();  // H2 <- H1
      word tail = tail_.load_acquire();  // T2 <- T1; by H2 no older than who moved head_ saw it
      const word next = at(number(head)).next.load_acquire();  // L2 <- L1, E1
      if (head != head_.load_relaxed()) continue;              // via: L2
      if (number(next) == 0) return nullptr;
      if (number(head) == number(tail)) {
        (void)tail_.cas_release(tail, retag(tail, number(next)));  // T1 -> T2
        continue;
      }
      // Before the swap: then the node may be taken and used for another value.
      void* value = at(number(next)).value.load_relaxed();       // via: L2
      if (head_.cas_release(head, retag(head, number(next)))) {  // H1 -> H2
        free_node(number(head));
        return value;
      }
    }
  }

  bool empty() const noexcept {
    for (;;) {
      const word head = head_.load_acquire();                      // H2 <- H1
      const word next = at(number(head)).next.load_acquire();      // L2 <- L1, E1
      if (head == head_.load_relaxed()) return number(next) == 0;  // via: L2
    }
  }

 private:
  using word = uint64_t;  // tag << 32 | number; number 0 is none
  struct node {
    Atomic<word> next{0};
    Atomic<void*> value{nullptr};
  };
  static constexpr uint32_t chunks = 26;

  static std::size_t chunk_nodes(uint32_t k) noexcept { return std::size_t{first_chunk} << k; }
  static uint32_t number(word w) noexcept { return static_cast<uint32_t>(w); }
  static word retag(word old, uint32_t n) noexcept { return ((old >> 32) + 1) << 32 | n; }

  // Node n (from 1) is in chunk k at place i.
  struct place {
    uint32_t k, i;
  };
  static place place_of(uint32_t n) noexcept {
    const uint32_t scaled = (n - 1) / first_chunk + 1;
    const auto k = static_cast<uint32_t>(std::bit_width(scaled)) - 1;
    return {k, n - 1 - first_chunk * ((1u << k) - 1)};
  }

  node& at(uint32_t n) const noexcept {
    const place p = place_of(n);
    return chunk_[p.k].load_relaxed()[p.i];  // via: whichever word the number came from
  }

  // False: no memory.
  bool has_chunk(uint32_t k) noexcept {
    node* have = chunk_[k].load_acquire();  // C2 <- C1
    if (have != nullptr) return true;
    node* made = Memory::template make<node>(chunk_nodes(k));
    if (made == nullptr) return false;
    while (have == nullptr && !chunk_[k].cas_release(have, made))  // C1 -> C2
      have = chunk_[k].load_acquire();                             // C2 <- C1
    if (have != nullptr) Memory::drop(made, chunk_nodes(k));
    return true;
  }

  // A number is given once there is its node: who comes without memory takes none.
  uint32_t fresh_node() noexcept {
    uint32_t given = fresh_.load_relaxed();  // cas: below
    for (;;) {
      const uint32_t n = given + 1;
      if (n == 0) return 0;
      const place p = place_of(n);
      if (p.k >= chunks || !has_chunk(p.k)) return 0;
      if (fresh_.cas_relaxed(given, n)) return n;  // count: each number is given once
    }
  }

  uint32_t new_node() noexcept {
    word top = free_.load_acquire();  // F2 <- F1
    while (number(top) != 0) {
      const word below =
          at(number(top)).next.load_relaxed();  // cas: another life of it had another top
      if (free_.cas_relaxed(top, retag(top, number(below)))) return number(top);  // via: F2
      top = free_.load_acquire();                                                 // F2 <- F1
    }
    return fresh_node();
  }

  void free_node(uint32_t n) noexcept {
    node& x = at(n);
    word top = free_.load_relaxed();          // cas: only its value is used
    const word next = x.next.load_relaxed();  // own: it is in no list
    do {
      x.next.store_release(retag(next, number(top)));  // E1 -> L2
    } while (!free_.cas_release(top, retag(top, n)));  // F1 -> F2
  }

  alignas(64) Atomic<word> head_{0};
  alignas(64) Atomic<word> tail_{0};
  alignas(64) Atomic<word> free_{0};
  Atomic<uint32_t> fresh_{0};
  Atomic<node*> chunk_[chunks];
};

}  // namespace weft::qt
