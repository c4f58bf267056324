// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which thread of the process this is.
#pragma once

#include <pthread.h>

namespace weft::rt::os {

using thread_id = pthread_t;

[[nodiscard]] thread_id this_thread() noexcept;
[[nodiscard]] bool same_thread(thread_id a, thread_id b) noexcept;
// Whether the calling thread is the one that the process began with.
[[nodiscard]] bool is_first_thread() noexcept;

}  // namespace weft::rt::os
