// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of the operating system that runs one function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pthread.h>

namespace weft::rt::os {

// The number that the kernel gave the calling thread, as debuggers and /proc show it.
[[nodiscard]] std::int64_t thread_number() noexcept;

// Neither copied nor moved: the new thread reads its start from here. Joined before it is
// destroyed.
class os_thread {
 public:
  os_thread() noexcept = default;
  ~os_thread() noexcept;
  os_thread(const os_thread&) = delete;
  os_thread& operator=(const os_thread&) = delete;

  // Runs fn(arg) on a new thread; 0 or -errno (-EAGAIN: no more threads). name is cut to 15 bytes;
  // NULL keeps the program's. stack_bytes is rounded up to a page and to the least that the system
  // accepts; 0 takes the system's default. The signal mask is the caller's, as pthread_create has
  // it.
  [[nodiscard]] int start(void (*fn)(void*), void* arg, const char* name,
                          std::size_t stack_bytes) noexcept;

  // Waits until fn has returned; then start() may be called again.
  void join() noexcept;

 private:
  static void* run(void* self) noexcept;

  void (*fn_)(void*) = nullptr;
  void* arg_ = nullptr;
  pthread_t handle_{};
  bool started_ = false;
  char name_[16] = {};
};

}  // namespace weft::rt::os
