// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kind of build and machine a test runs on; base/build.hpp asks the same, but not all tests see src/.
#pragma once

namespace weft::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool tsan = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool tsan = true;
#else
inline constexpr bool tsan = false;
#endif
#else
inline constexpr bool tsan = false;
#endif

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
