// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kind of build this is, as constants, so that code can say `if constexpr (build::tsan)`.
#pragma once

namespace weft::rt::build {

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

#if defined(NDEBUG)
inline constexpr bool checked = false;
#else
inline constexpr bool checked = true;
#endif

#if defined(WEFT_MODEL)
inline constexpr bool model = true;
#else
inline constexpr bool model = false;
#endif

}  // namespace weft::rt::build
