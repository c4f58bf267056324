// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The futex calls, private to this process.
#include "os/futex.hpp"

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.hpp"
#include "base/check.hpp"
#include "os/errno_kept.hpp"

namespace weft::rt::os {

static_assert(sizeof(long) == 8, "SYS_futex takes a timespec of 64-bit fields only here");

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

// 0 or the errno of the call. EAGAIN (the word differs), EINTR and ETIMEDOUT are everyday answers;
// anything else means that the address or the arguments are wrong, and the caller would spin.
int wait(atomic<std::uint32_t>& word, std::uint32_t expected, const timespec* timeout,
         int operation = FUTEX_WAIT_PRIVATE) noexcept {
  const errno_kept keep;
  if (::syscall(SYS_futex, word.address(), operation, expected, timeout, nullptr,
                FUTEX_BITSET_MATCH_ANY) == 0) {
    return 0;
  }
  const int why = last_error();
  WEFT_CHECK(why == EAGAIN || why == EINTR || why == ETIMEDOUT, "the kernel refused a futex wait");
  return why;
}

}  // namespace

void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  (void)wait(word, expected, nullptr);
}

bool futex_wait_until(atomic<std::uint32_t>& word, std::uint32_t expected,
                      std::int64_t deadline_ns) noexcept {
  if (deadline_ns < 0) deadline_ns = 0;
  const timespec deadline{deadline_ns / second_ns, deadline_ns % second_ns};
  return wait(word, expected, &deadline, FUTEX_WAIT_BITSET_PRIVATE) != ETIMEDOUT;
}

bool futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::int64_t timeout_ns) noexcept {
  if (timeout_ns < 0) timeout_ns = 0;
  const timespec timeout{timeout_ns / second_ns, timeout_ns % second_ns};
  return wait(word, expected, &timeout) != ETIMEDOUT;
}

void futex_wake(atomic<std::uint32_t>& word, int count) noexcept {
  const errno_kept keep;
  // An error is no news: the only one is EFAULT, when the memory of the word has been unmapped
  // since.
  (void)::syscall(SYS_futex, word.address(), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

}  // namespace weft::rt::os
