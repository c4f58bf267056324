// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The future: a value, or an error, that is given once and may be read by many.
//
// Zero is a future without a value. The word's state: given. What is given is written with the
// queue closed and never again, so whoever has seen `given` reads it without more ado.
#pragma once

#include <cstdint>

#include "base/attributes.hpp"
#include "sync/queue_word.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

class future {
 public:
  bool is_given() const noexcept { return (word_.look() & given) != 0; }

  // Once is_given(): 0 and the value, or the error.
  WEFT_ALWAYS_INLINE int read(void** value) const noexcept {
    if (error_ == 0 && value != nullptr) *value = value_;
    return error_;
  }

  // 0 or -EALREADY.
  int give(void* value, int error) noexcept;

  // Waits; it was not given. 0, -ETIMEDOUT, -ENOMEM, -EPERM (a stackless task).
  WEFT_COLD int wait_slow(int64_t deadline_ns, void* site) noexcept;

  // For select. False: it is given, and n stands nowhere.
  bool stand(waiter& n) noexcept;
  void leave(waiter& n) noexcept;

 private:
  static constexpr uint64_t given = uint64_t{1} << queue_word::state_shift;
  static bool is_set(uint64_t word) noexcept { return (word & given) != 0; }

  queue_word word_;
  wait_queue queue_;
  void* value_ = nullptr;
  int error_ = 0;
};

}  // namespace weft::rt
