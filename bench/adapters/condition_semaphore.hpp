// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A semaphore of one place made of a mutex and a condition, for runtimes that have none of their
// own.
#pragma once

namespace weft::bench {

// Condition has wait(Mutex&), which a waiter calls with the mutex held, and notify_one().
template <class Mutex, class Condition>
class condition_semaphore {
 public:
  void wait() {
    mutex_.lock();
    while (!full_) posted_.wait(mutex_);
    full_ = false;
    mutex_.unlock();
  }

  void post() {
    mutex_.lock();
    full_ = true;
    mutex_.unlock();
    posted_.notify_one();
  }

 private:
  Mutex mutex_;
  Condition posted_;
  bool full_ = false;
};

}  // namespace weft::bench
