// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A channel's state and what a send, a receive and a close do to it: no waiting, no waking.
//
// Values are copied from flow to flow where one waits already, else through the buffer. All
// functions ending in _holding want the lock held, and give the waiter that the caller wakes once
// it is open. A template, so that the model runs this code over a `wait` of its own.
//
// Invariants, of waiters whose wait can still be claimed (a select that was served elsewhere may
// stand here until somebody passes over it or it leaves)
//   I1  receivers wait only while the buffer is empty and no sender waits.
//   I2  senders wait only while the buffer is full.
//   I3  nobody waits once the channel is closed.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/attributes.hpp"
#include "sched/spin_lock.hpp"
#include "sync/wait_queue.hpp"
#include "sync/wake_chain.hpp"

namespace weft::rt {

struct channel_waiter : waiter {
  channel_waiter(wait& w, void* at) noexcept : waiter(w), place(at) {}
  void* const place;  // a sender's value, only read; where a receiver wants it, or null
  int result = 0;     // -EPIPE: the channel was closed
};

template <class Wait>
class channel_core {
 public:
  // buffer: capacity elements, the caller's.
  channel_core(std::size_t element_bytes, std::size_t capacity, std::byte* buffer) noexcept
      : element_bytes_(element_bytes), capacity_(capacity), buffer_(buffer) {}
  channel_core(const channel_core&) = delete;
  channel_core& operator=(const channel_core&) = delete;

  spin_lock& lock() noexcept { return lock_; }
  std::size_t element_bytes() const noexcept { return element_bytes_; }
  std::size_t capacity() const noexcept { return capacity_; }
  std::size_t length_holding() const noexcept { return length_; }
  wait_queue& senders() noexcept { return senders_; }
  wait_queue& receivers() noexcept { return receivers_; }

  // 0, -EPIPE (closed), -EBUSY (it would wait).
  WEFT_ALWAYS_INLINE int send_holding(const void* value, waiter*& woken) noexcept {
    if (closed_) [[unlikely]]
      return -EPIPE;
    if (waiter* receiver = take_first<Wait>(receivers_)) {
      copy(static_cast<channel_waiter*>(receiver)->place, value);
      woken = receiver;
      return 0;
    }
    if (length_ == capacity_) return -EBUSY;
    append(value);
    return 0;
  }

  // 0, -EPIPE (closed and empty), -EBUSY (it would wait). value may be null: the element is
  // dropped.
  WEFT_ALWAYS_INLINE int receive_holding(void* value, waiter*& woken) noexcept {
    if (length_ != 0) {
      copy(value, slot(first_));
      first_ = next(first_);
      --length_;
      if (waiter* sender = take_first<Wait>(senders_)) {
        append(static_cast<channel_waiter*>(sender)->place);
        woken = sender;
      }
      return 0;
    }
    if (waiter* sender = take_first<Wait>(senders_)) {
      copy(value, static_cast<channel_waiter*>(sender)->place);
      woken = sender;
      return 0;
    }
    return closed_ ? -EPIPE : -EBUSY;
  }

  // False: it was closed. Else all who waited, linked by next, are to be woken.
  bool close_holding(wake_chain& woken) noexcept {
    if (closed_) return false;
    closed_ = true;
    woken.add_from<Wait>(senders_);
    woken.add_from<Wait>(receivers_);
    woken.for_each([](waiter& n) noexcept { static_cast<channel_waiter&>(n).result = -EPIPE; });
    return true;
  }

 private:
  WEFT_ALWAYS_INLINE void copy(void* to, const void* from) const noexcept {
    if (element_bytes_ == sizeof(uint64_t) && to != nullptr) [[likely]] {
      std::memcpy(to, from, sizeof(uint64_t));
    } else if (element_bytes_ != 0 && to != nullptr) {
      std::memcpy(to, from, element_bytes_);
    }
  }
  std::byte* slot(std::size_t at) const noexcept { return buffer_ + at * element_bytes_; }
  std::size_t next(std::size_t at) const noexcept { return at + 1 == capacity_ ? 0 : at + 1; }
  void append(const void* value) noexcept {
    const std::size_t room = capacity_ - first_;
    copy(slot(length_ < room ? first_ + length_ : length_ - room), value);
    ++length_;
  }

  spin_lock lock_;
  bool closed_ = false;
  const std::size_t element_bytes_;
  const std::size_t capacity_;
  std::byte* const buffer_;
  std::size_t first_ = 0;  // of the oldest value
  std::size_t length_ = 0;
  wait_queue senders_;
  wait_queue receivers_;
};

}  // namespace weft::rt
