// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers of fork(), registered once, by the first who needs them.
#pragma once

#include <atomic>
#include <mutex>
#include <pthread.h>

namespace weft::qt {

class fork_handlers {
 public:
  using handler = void();

  // As for pthread_atfork.
  constexpr fork_handlers(handler* before, handler* in_parent, handler* in_child) noexcept
      : before_(before), in_parent_(in_parent), in_child_(in_child) {}

  // False: there is no memory for them. Who asks later tries again.
  bool are_registered() noexcept {
    if (registered_.load(std::memory_order_acquire)) return true;
    const std::lock_guard held(lock_);
    if (registered_.load(std::memory_order_relaxed)) return true;
    const bool ok = pthread_atfork(before_, in_parent_, in_child_) == 0;
    registered_.store(ok, std::memory_order_release);
    return ok;
  }

 private:
  handler* const before_;
  handler* const in_parent_;
  handler* const in_child_;
  std::mutex lock_;
  std::atomic<bool> registered_{false};
};

}  // namespace weft::qt
