// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the calling OS thread's own stack lies.
#include "os/thread_bounds.hpp"

#include <pthread.h>

namespace weft::rt::os {

bounds thread_stack_bounds() noexcept {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {nullptr, nullptr};
  void* low = nullptr;
  std::size_t bytes = 0;
  const bool told = pthread_attr_getstack(&attributes, &low, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  if (!told) return {nullptr, nullptr};
  return {static_cast<std::byte*>(low), static_cast<std::byte*>(low) + bytes};
}

}  // namespace weft::rt::os
