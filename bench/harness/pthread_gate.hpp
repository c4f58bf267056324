// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A semaphore of the C library, as kernels want one.
#pragma once

#include <semaphore.h>

namespace weft::bench {

class pthread_gate {
 public:
  explicit pthread_gate(unsigned count = 0) { sem_init(&self_, 0, count); }
  ~pthread_gate() { sem_destroy(&self_); }
  pthread_gate(const pthread_gate&) = delete;
  pthread_gate& operator=(const pthread_gate&) = delete;
  void wait() {
    while (sem_wait(&self_) != 0) {
    }
  }
  void post() { sem_post(&self_); }

 private:
  sem_t self_;
};

}  // namespace weft::bench
