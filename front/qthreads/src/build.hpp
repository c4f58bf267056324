// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this build is: which sanitizer watches.
#pragma once

namespace weft::qt::build {

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

}  // namespace weft::qt::build
