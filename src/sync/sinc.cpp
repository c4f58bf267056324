// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counted completion with a reduction.
#include "sync/sinc.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>

#include "mem/raw.hpp"
#include "sched/scheduler.hpp"
#include "sync/flow.hpp"
#include "sync/passage.hpp"
#include "sync/wait.hpp"
#include "sync/wake_chain.hpp"

namespace weft::rt {

namespace {

// More slots than this spare little and cost the last submission more.
constexpr uint32_t most_slots = 16;
// Of a sinc that is made outside, where the number of workers is not known.
constexpr uint32_t slots_outside = 4;

}  // namespace

sinc::slot& sinc::slot_at(uint32_t i) const noexcept {
  std::byte* first = block_ + 2 * std::size_t{stride_};
  return *std::launder(reinterpret_cast<slot*>(first + i * (sizeof(slot) + stride_)));
}

sinc::slot& sinc::my_slot() const noexcept {
  const worker* w = self();
  const uintptr_t mine = w != nullptr ? w->index : this_flow() / 4096;
  return slot_at(static_cast<uint32_t>(mine % slots_));
}

std::size_t sinc::block_bytes() const noexcept {
  return (2 + std::size_t{slots_}) * stride_ + slots_ * sizeof(slot);
}

int sinc::begin(const void* initial, std::size_t value_bytes, reduction reduce,
                uint64_t expected) noexcept {
  new (this) sinc;
  if (value_bytes != 0) {
    value_bytes_ = static_cast<uint32_t>(value_bytes);
    stride_ = static_cast<uint32_t>((value_bytes + line_bytes - 1) / line_bytes * line_bytes);
    slots_ = self() != nullptr ? std::min(the().count, most_slots) : slots_outside;
    reduce_ = reduce;
    block_ = static_cast<std::byte*>(raw_alloc(block_bytes()));
    if (block_ == nullptr) return -ENOMEM;
    std::memcpy(block_, initial, value_bytes_);
    for (uint32_t i = 0; i < slots_; ++i) new (&slot_at(i)) slot;
  }
  reset(expected);
  return 0;
}

void sinc::end() noexcept {
  if (block_ == nullptr) return;
  for (uint32_t i = 0; i < slots_; ++i)
    std::destroy_at(&slot_at(i));  // models look for what is left
  raw_free(block_, block_bytes());
  block_ = nullptr;
}

void sinc::reset(uint64_t expected) noexcept {
  closed_queue queue(word_);
  if (value_bytes_ != 0) std::memcpy(block_ + stride_, block_, value_bytes_);
  for (uint32_t i = 0; i < slots_; ++i) slot_at(i).used = false;
  queue.word = expected * one;
  queue.unlock();
}

int sinc::expect(uint64_t more) noexcept { return word_.count_up(more, most); }

void sinc::reduce_slots() noexcept {
  for (uint32_t i = 0; i < slots_; ++i) {
    slot& s = slot_at(i);
    if (s.used) reduce_(block_ + stride_, s.value());
    s.used = false;
  }
}

int sinc::submit(const void* value) noexcept {
  if (is_complete()) return -EINVAL;
  if (value_bytes_ != 0 && value != nullptr) {
    slot& mine = my_slot();
    mine.lock.lock();
    if (mine.used) {
      reduce_(mine.value(), value);
    } else {
      std::memcpy(mine.value(), value, value_bytes_);
    }
    mine.used = true;
    mine.lock.unlock();
  }
  uint64_t seen = word_.guess();
  while (seen / one > 1 && (seen & queue_word::closed) == 0)
    if (word_.give(seen, seen - one)) return 0;
  closed_queue queue(word_);
  wake_chain all;
  int failed = 0;
  if (queue.word < one) {
    failed = -EINVAL;
  } else {
    queue.word -= one;
  }
  if (failed == 0 && queue.word < one) {
    reduce_slots();
    all.add_from(queue_);
    queue.word = 0;
  }
  queue.unlock();  // last use of *this
  all.wake();
  return failed;
}

void sinc::read(void* into) const noexcept {
  if (into != nullptr && value_bytes_ != 0) std::memcpy(into, block_ + stride_, value_bytes_);
}

int sinc::wait_slow(int64_t deadline_ns, void* site) noexcept {
  wait w("sinc", this, site);
  return wait_to_pass(word_, queue_, w, deadline_ns, [](uint64_t word) { return word < one; });
}

}  // namespace weft::rt
