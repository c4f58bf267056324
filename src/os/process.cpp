// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which thread of the process this is.
#include "os/process.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace weft::rt::os {

thread_id this_thread() noexcept { return pthread_self(); }
bool same_thread(thread_id a, thread_id b) noexcept { return pthread_equal(a, b) != 0; }
bool is_first_thread() noexcept { return syscall(SYS_gettid) == getpid(); }

}  // namespace weft::rt::os
