// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processors of threads that are no workers: where who initialised might run then. A thread has
// those of its maker otherwise, and a worker may be bound to one.
#pragma once

#include <cstring>
#include <pthread.h>
#include <sched.h>

namespace weft::qt {

class processors {
 public:
  // Those of the calling thread.
  static processors of_caller() noexcept {
    processors p;
    p.known_ = pthread_getaffinity_np(pthread_self(), sizeof p.mask_, p.mask_) == 0;
    return p;
  }

  // To the calling thread, if it has others: one that was never told follows the process's cpuset.
  void give_to_caller() const noexcept {
    if (!known_) return;
    const processors now = of_caller();
    if (now.known_ && std::memcmp(now.mask_, mask_, sizeof mask_) != 0)
      (void)pthread_setaffinity_np(pthread_self(), sizeof mask_, mask_);
  }

 private:
  bool known_ = false;
  cpu_set_t mask_[8] = {};  // the kernel refuses a mask smaller than its own
};

}  // namespace weft::qt
