// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers of fork(), registered by the first who needs them.
//
// Another thread may fork while they are being registered. In its child nobody goes on with that,
// and nothing tells whether it was done: so there is no lock around it, and first users at the same
// time, or a child, may register them once more. A fork calls each once all the same.
//
// A limit: of two forks at the same time, one begun before and one after such a second
// registration, the second takes this lock before those of handlers that stand between, the first
// after them; so each may wait for the other for ever. One lock over all would have to be over
// those of other libraries, too.
#pragma once

#include <atomic>
#include <pthread.h>

namespace weft::qt {

using fork_handler = void();

// As for pthread_atfork. Hold takes a lock that the other two give up. Or it is null, as InParent:
// then a fork may call InChild several times.
template <fork_handler* Hold, fork_handler* InParent, fork_handler* InChild>
class fork_handlers {
 public:
  // False: there is no memory for them. Who asks later tries again.
  bool are_registered() noexcept {
    if (registered_.load(std::memory_order_acquire)) return true;
    bool ok = false;
    if constexpr (Hold == nullptr) {
      static_assert(InParent == nullptr);
      ok = pthread_atfork(nullptr, nullptr, InChild) == 0;
    } else {
      ok = pthread_atfork(hold, let_go<InParent>, let_go<InChild>) == 0;
    }
    if (ok) registered_.store(true, std::memory_order_release);
    return ok;
  }

 private:
  static void hold() noexcept {
    if (forks_.load(std::memory_order_relaxed) == pthread_self()) {  // nobody else writes that
      ++held_;
      return;
    }
    Hold();
    forks_.store(pthread_self(), std::memory_order_relaxed);
    held_ = 1;
  }
  template <fork_handler* LetGo>
  static void let_go() noexcept {
    if (--held_ != 0) return;
    forks_.store(pthread_t{}, std::memory_order_relaxed);
    LetGo();
  }

  // Who holds, and how many times over. Written under what Hold takes.
  static inline std::atomic<pthread_t> forks_{};
  static inline unsigned held_ = 0;

  std::atomic<bool> registered_{false};
};

}  // namespace weft::qt
