// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kind of build and machine a test runs on; base/build.hpp asks the same, but not all tests
// see src/.
#pragma once

#include <weft/cpp/sanitizer.hpp>

namespace weft::test {

inline constexpr bool tsan = detail::thread_sanitizer;

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool asan = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool asan = true;
#else
inline constexpr bool asan = false;
#endif
#else
inline constexpr bool asan = false;
#endif

// The tests run on x86-64; other code runs in an emulator.
#if defined(__x86_64__)
inline constexpr bool emulated = false;
#else
inline constexpr bool emulated = true;
#endif

inline constexpr bool sanitized = tsan || asan;

}  // namespace weft::test
