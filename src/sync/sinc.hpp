// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sinc: so many submissions are expected; the last one reduces what all brought and wakes who
// waits.
//
// The word's state is how many submissions are still to come. A submission first reduces its value
// into one of several slots, chosen by worker so that workers do not meet, under that slot's lock;
// then it counts itself. The last one reduces the slots into the result with the queue closed: it
// sees the word at 1, so all others have counted, and their slots are written.
//
// One block of memory: the initial value, the result, then the slots. A slot that was reduced into
// the result is empty again, so that more may be expected later. A slot begins with the first value
// that comes to it, so the initial value counts once, in the result.
// The idea and the names are those of Qthreads' qt_sinc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/attributes.hpp"
#include "sched/spin_lock.hpp"
#include "sync/queue_word.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

class sinc {
 public:
  using reduction = void (*)(void* into, const void* value);
  static constexpr uint64_t most = UINT32_MAX;

  // value_bytes 0: it only counts. 0 or -ENOMEM.
  int begin(const void* initial, std::size_t value_bytes, reduction reduce,
            uint64_t expected) noexcept;
  void end() noexcept;
  // Nobody waits or submits. As after begin().
  void reset(uint64_t expected) noexcept;

  // 0 or -EOVERFLOW.
  int expect(uint64_t more) noexcept;
  // value may be null: it only counts. 0, or -EINVAL: nothing is expected.
  int submit(const void* value) noexcept;

  bool is_complete() const noexcept { return word_.look() < one; }
  // Once is_complete(), while nothing more is expected.
  void read(void* into) const noexcept;
  // Waits; it was not complete. 0, -ETIMEDOUT, -ENOMEM, -EPERM (a stackless task).
  WEFT_COLD int wait_slow(int64_t deadline_ns, void* site) noexcept;

 private:
  static constexpr uint64_t one = uint64_t{1} << queue_word::state_shift;

  struct alignas(line_bytes) slot {
    spin_lock lock;
    bool used = false;
    std::byte* value() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  };

  slot& slot_at(uint32_t i) const noexcept;
  slot& my_slot() const noexcept;
  std::size_t block_bytes() const noexcept;
  void reduce_slots() noexcept;

  queue_word word_;
  wait_queue queue_;
  reduction reduce_ = nullptr;
  std::byte* block_ = nullptr;
  uint32_t value_bytes_ = 0;
  uint32_t stride_ = 0;  // of a value in the block
  uint32_t slots_ = 0;
};

}  // namespace weft::rt
