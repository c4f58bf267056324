// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OS threads by pthreads.
#include "os/thread.hpp"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.hpp"
#include "os/memory.hpp"

namespace weft::rt::os {

namespace {

std::size_t least_stack_bytes() noexcept {
  const long least = ::sysconf(_SC_THREAD_STACK_MIN);
  return static_cast<std::size_t>(least > 0 ? least : PTHREAD_STACK_MIN);
}

// glibc takes the program's thread-local variables out of a thread's stack, and tells how much of
// it is gone by a function that is not declared. Elsewhere 0.
std::size_t taken_stack_bytes(const pthread_attr_t& attributes) noexcept {
  using least_fn = std::size_t (*)(const pthread_attr_t*);
  const auto told = reinterpret_cast<least_fn>(::dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
  const std::size_t least = told != nullptr ? told(&attributes) : 0;
  return least > least_stack_bytes() ? least - least_stack_bytes() : 0;
}

}  // namespace

std::int64_t thread_number() noexcept { return ::syscall(SYS_gettid); }

os_thread::~os_thread() noexcept { WEFT_CHECK(!started_, "an OS thread was never joined"); }

int os_thread::start(void (*fn)(void*), void* arg, const char* name,
                     std::size_t stack_bytes) noexcept {
  WEFT_ASSERT(!started_ && fn != nullptr);
  fn_ = fn;
  arg_ = arg;
  name_[0] = '\0';
  if (name != nullptr) {
    const std::size_t length = std::min(std::strlen(name), sizeof name_ - 1);
    std::memcpy(name_, name, length);
    name_[length] = '\0';
  }
  pthread_attr_t attributes;
  if (const int error = ::pthread_attr_init(&attributes); error != 0) return -error;
  int error = 0;
  if (stack_bytes != 0) {
    const std::size_t least = least_stack_bytes();
    const std::size_t page = page_bytes();
    if (stack_bytes < least) stack_bytes = least;
    stack_bytes += taken_stack_bytes(attributes);
    error = ::pthread_attr_setstacksize(&attributes, (stack_bytes + page - 1) / page * page);
  }
  if (error == 0) error = ::pthread_create(&handle_, &attributes, run, this);
  (void)::pthread_attr_destroy(&attributes);
  started_ = error == 0;
  return -error;
}

void* os_thread::run(void* self) noexcept {
  auto* const me = static_cast<os_thread*>(self);
  // By the thread itself: from outside it would take a write to a file below /proc.
  if (me->name_[0] != '\0') (void)::prctl(PR_SET_NAME, me->name_, 0, 0, 0);
  me->fn_(me->arg_);
  return nullptr;
}

void os_thread::join() noexcept {
  if (!started_) return;  // there is none to wait for
  WEFT_CHECK(::pthread_join(handle_, nullptr) == 0, "an OS thread cannot be joined");
  started_ = false;
}

}  // namespace weft::rt::os
