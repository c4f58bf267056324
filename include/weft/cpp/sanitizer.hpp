// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether this is compiled for the thread sanitizer, as a constant.
#pragma once

namespace weft::detail {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool thread_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif
#else
inline constexpr bool thread_sanitizer = false;
#endif

}  // namespace weft::detail

// Of the sanitizer; only called in builds for it.
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
}
