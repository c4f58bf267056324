// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a stop and those who are no workers must not do at the same time.
//
// A stop finds that nothing is runnable and says that Weft does not run any more: both under
// `ending_lock`. A thread that is no worker and makes tasks runnable, where Weft answers for that,
// holds the lock meanwhile and asks running() first. So what it has made runnable is found, or
// there is nothing that it may do any more.
#pragma once

#include <mutex>

namespace weft::rt {

// Held for a moment, by nobody who parks. Taken after the lock of takers.hpp, if that is held too.
extern std::mutex ending_lock;
// In a process just forked: whoever held it is not here.
void forget_ending_lock() noexcept;

}  // namespace weft::rt
