// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A growable first-in first-out ring, used under a lock (a biased_lock, where a worker owns it).
//
// Everything but size_hint needs the lock. The ring never shrinks before dispose.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/atomic.hpp"
#include "lockfree/caller.hpp"

namespace weft::rt {

template <class T>
class ready_ring {
  static_assert(std::is_pointer_v<T>, "nullptr says that there was nothing");

 public:
  // `first_capacity`: a power of two; memory is taken at the first push.
  explicit ready_ring(const memory_source& memory, std::uint64_t first_capacity = 64)
      : memory_(memory), first_capacity_(first_capacity) {}
  ready_ring(const ready_ring&) = delete;
  ready_ring& operator=(const ready_ring&) = delete;
  ~ready_ring() { dispose(); }

  // False: no memory to grow, and nothing changed.
  [[nodiscard]] bool push(T item) {
    if (tail_ - head_ == capacity_ && !grow()) return false;
    slot(tail_++) = item;
    publish_size();
    return true;
  }

  // The oldest item, or nullptr.
  [[nodiscard]] T pop() {
    if (head_ == tail_) return nullptr;
    T const item = slot(head_++);
    publish_size();
    return item;
  }

  // False: x is not there. The order of the others stays.
  [[nodiscard]] bool remove(T x) {
    std::uint64_t i = head_;
    while (i != tail_ && slot(i) != x) ++i;
    if (i == tail_) return false;
    for (; i != head_; --i) slot(i) = slot(i - 1);
    ++head_;
    publish_size();
    return true;
  }

  // Moves the older half of the items, rounded up, but at most `most`, to `out`, the oldest first.
  std::size_t take_half(T* out, std::size_t most) {
    const std::size_t n = std::min<std::size_t>((tail_ - head_ + 1) / 2, most);
    for (std::size_t i = 0; i < n; ++i) out[i] = slot(head_++);
    publish_size();
    return n;
  }

  // Any thread, without the lock.
  [[nodiscard]] std::size_t size_hint() const {
    return size_.load_relaxed();  // hint: exact only under the lock
  }

  // Gives the memory back. The ring is empty then.
  void dispose() {
    if (slots_ != nullptr) memory_.give(memory_.context, slots_, bytes(capacity_));
    slots_ = nullptr;
    capacity_ = head_ = tail_ = 0;
    publish_size();
  }

 private:
  static std::size_t bytes(std::uint64_t capacity) { return capacity * sizeof(T); }
  T& slot(std::uint64_t i) { return slots_[i & (capacity_ - 1)]; }
  void publish_size() {
    size_.store_relaxed(tail_ - head_);  // hint: for size_hint
  }

  bool grow() {
    const std::uint64_t wider = capacity_ == 0 ? first_capacity_ : 2 * capacity_;
    T* const slots = static_cast<T*>(memory_.take(memory_.context, bytes(wider)));
    if (slots == nullptr) return false;
    for (std::uint64_t i = head_; i != tail_; ++i) slots[i & (wider - 1)] = slot(i);
    if (slots_ != nullptr) memory_.give(memory_.context, slots_, bytes(capacity_));
    slots_ = slots;
    capacity_ = wider;
    return true;
  }

  T* slots_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint64_t head_ = 0;  // index of the oldest item
  std::uint64_t tail_ = 0;  // index of the next push
  atomic<std::size_t> size_{0};
  const memory_source memory_;
  const std::uint64_t first_capacity_;
};

}  // namespace weft::rt
