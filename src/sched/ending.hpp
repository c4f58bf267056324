// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a stop and those who are no workers must not do at the same time.
//
// A stop finds that nothing is runnable and says that Weft does not run any more: both under
// `ending_lock`. A thread that is no worker and makes tasks runnable, where Weft answers for that,
// holds the lock meanwhile and asks running() first. So what it has made runnable is found, or
// there is nothing that it may do any more.
//
// A thread that is no worker and uses what a stop gives back, such as a task's descriptor, makes a
// `stay`. A stop that begins meanwhile waits for its end, and tells it until then that Weft does
// not run any more: what it waits for may never come.
#pragma once

#include <mutex>

namespace weft::rt {

// Held for a moment, by nobody who parks. Taken after the lock of takers.hpp, if that is held too.
extern std::mutex ending_lock;

class stay {
 public:
  // Under the lock, by a stop, perhaps several times.
  using tell_fn = void(stay& me) noexcept;
  explicit stay(tell_fn* told = nullptr) noexcept : tell_(told) {}
  ~stay() { leave(); }
  stay(const stay&) = delete;
  stay& operator=(const stay&) = delete;

  // False: Weft does not run.
  [[nodiscard]] bool enter() noexcept;
  // The same under the lock, where Weft runs.
  void enter_holding() noexcept;
  void leave() noexcept;
  void leave_holding() noexcept;

 private:
  friend void await_stays() noexcept;

  tell_fn* const tell_;
  bool is_in_ = false;
  stay* next_ = nullptr;
  stay* prev_ = nullptr;
};

// By who stops, when Weft does not run any more.
void await_stays() noexcept;

// In a process just forked: whoever held the lock, or stayed, is not here.
void forget_stays() noexcept;

}  // namespace weft::rt
