// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An intrusive stack that any thread pushes to and that is only ever taken whole, oldest first.
//
// Treiber (1986). Because no single item is popped, the head is never compared with a value that
// was read through an item: there is no ABA, items may be reused at once, and any thread may take.
//
// Words
//   head_  newest item, linked to older ones. Pushers CAS, takers exchange for nullptr.
//
// Orders
//   P1 -> T1   push publishes the items and the links of its chain to the taker
//   What an earlier push published stays published: a later push is an RMW and goes on with its
//   release sequence.
#pragma once

#include <cstddef>
#include <type_traits>

#include "base/atomic.hpp"
#include "base/attributes.hpp"

namespace weft::rt {

// How an inbox links its items: through a plain member, written before P1 and read after T1.
template <auto Member>
struct member_link {
  template <class T>
  static T* get(T* item) {
    return item->*Member;
  }
  template <class T>
  static void set(T* item, std::type_identity_t<T>* next) {
    item->*Member = next;
  }
};

// Link: as member_link<&item::next>. Alignment: of the head, which has a line of its own unless
// that says less.
template <class T, class Link, std::size_t Alignment = line_bytes>
class inbox {
 public:
  inbox() = default;
  inbox(const inbox&) = delete;
  inbox& operator=(const inbox&) = delete;

  // Any thread.
  void push(T* item) { push_chain(item, item); }

  // Any thread. `first` is the oldest, linked through Link on to `last`, the newest.
  void push_chain(T* first, T* last) {
    Link::set(last, nullptr);
    if (first != last) reverse(first);
    T* head = head_.load_relaxed();  // cas: P1 compares it
    do {
      Link::set(first, head);
    } while (!head_.cas_release(head, last));  // P1 -> T1
  }

  // Any thread. False: it is not empty, and the item is not in it.
  [[nodiscard]] bool push_alone(T* item) {
    Link::set(item, nullptr);
    T* head = nullptr;
    return head_.cas_release(head, item);  // P1 -> T1
  }

  // Any thread that knows the item to be taken out by itself alone: it was pushed alone, and
  // nothing after it.
  [[nodiscard]] bool holds_only(const T* item) const {
    return head_.load_relaxed() == item;  // hint: as empty()
  }

  // Any thread. All items, the oldest first, linked through Link to nullptr; or nullptr.
  [[nodiscard]] T* take_all() {
    if (empty()) return nullptr;
    T* const newest = head_.exchange_acquire(nullptr);  // T1 <- P1
    return newest != nullptr ? reverse(newest) : nullptr;
  }

  // Any thread. After a barrier that pairs with one after a push, false if that push is not yet
  // taken.
  [[nodiscard]] bool empty() const { return newest_hint() == nullptr; }
  // Null while it is empty, to be asked together with other words that are null as a rule.
  [[nodiscard]] const void* newest_hint() const {
    return head_.load_relaxed();  // hint: the exchange decides
  }

 private:
  // Turns a chain that ends in nullptr round; returns its new first.
  static T* reverse(T* first) {
    T* done = nullptr;
    while (first != nullptr) {
      T* const next = Link::get(first);
      Link::set(first, done);
      done = first;
      first = next;
    }
    return done;
  }

  alignas(Alignment) atomic<T*> head_{nullptr};
};

}  // namespace weft::rt
