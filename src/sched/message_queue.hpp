// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages that wait at one worker, the most urgent first: Converse's scheduler queue.
//
// What has no priority lies in a list between two heaps: of what is more urgent, and of what is the
// same or less. So most messages cost no comparison. Whoever calls sees to it that nobody else
// does.
// Kalé, Bhandarkar, Jagathesan, Krishnan, Yelon: Converse (IPPS 1996).
#pragma once

#include <algorithm>
#include <cstdint>

#include <weft/types.h>

#include "sched/pairing_heap.hpp"

namespace weft::rt {

// What a weft_message_t holds.
struct message {
  weft_message_fn_t fn = nullptr;
  message* next = nullptr;  // in an inbox or a list
  message* child = nullptr;
  message* sibling = nullptr;
  int64_t rank = 0;                 // among equal ones
  const uint32_t* words = nullptr;  // of the priority, all but the first
  uint32_t first = 0;               // word of the priority
  uint32_t bits = 0;                // of the priority; no_priority: it has none
  static constexpr uint32_t no_priority = UINT32_MAX;
};

class message_queue {
 public:
  void push(message* m) noexcept {
    const bool newest_first = m->rank != 0;  // as who sent it says
    m->rank = newest_first ? --newest_ : ++oldest_;
    if (m->bits != message::no_priority) {
      (m->first < middle ? urgent_ : rest_).push(m);
    } else if (first_ == nullptr) {
      m->next = nullptr;
      first_ = last_ = m;
    } else if (newest_first) {
      m->next = first_;
      first_ = m;
    } else {
      m->next = nullptr;
      last_->next = m;
      last_ = m;
    }
  }
  // The most urgent; null: none.
  message* pop() noexcept {
    if (message* m = urgent_.pop()) return m;
    if (message* m = first_) {
      first_ = m->next;
      return m;
    }
    return rest_.pop();
  }

 private:
  static constexpr uint32_t middle = 1u << 31;  // the first word of integer 0

  struct links {
    static message*& child(message& m) noexcept { return m.child; }
    static message*& sibling(message& m) noexcept { return m.sibling; }
    static uint32_t words(const message& m) noexcept { return m.bits / 32 + (m.bits % 32 != 0); }
    static uint32_t word(const message& m, uint32_t i) noexcept {
      if (i >= words(m)) return 0;
      const uint32_t past = (i + 1) * 32 > m.bits ? (i + 1) * 32 - m.bits : 0;
      return m.words[i] >> past << past;
    }
    static bool goes_first(const message& a, const message& b) noexcept {
      if (a.first != b.first) return a.first < b.first;
      const uint32_t count = std::max(words(a), words(b));
      for (uint32_t i = 1; i < count; ++i) {
        const uint32_t x = word(a, i);
        const uint32_t y = word(b, i);
        if (x != y) return x < y;
      }
      return a.rank < b.rank;
    }
  };

  pairing_heap<message, links> urgent_;
  pairing_heap<message, links> rest_;
  message* first_ = nullptr;
  message* last_ = nullptr;
  int64_t oldest_ = 0;
  int64_t newest_ = 0;
};

}  // namespace weft::rt
