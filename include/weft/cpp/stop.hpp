// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A std::stop_callback that thread sanitizers do not misread.
//
// The standard library tells whether a callback's own thread destroys it by the OS thread. Where
// requester and waiter are tasks that ran on one thread, one after the other, it reads without
// synchronisation what the other wrote: right, because a callback must not park, but a race to a
// sanitizer that takes each task for a thread.
#pragma once

#include <memory>
#include <stop_token>
#include <utility>

#include "weft/cpp/sanitizer.hpp"

namespace weft::detail {

// f must not park.
template <class F>
class stop_callback {
 public:
  stop_callback(const std::stop_token& stop, F f) : callback_(stop, std::move(f)) {}
  stop_callback(const stop_callback&) = delete;
  stop_callback& operator=(const stop_callback&) = delete;
  ~stop_callback() {
    if constexpr (thread_sanitizer) AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    std::destroy_at(&callback_);
    if constexpr (thread_sanitizer) AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }

 private:
  union {  // its end is bracketed above
    std::stop_callback<F> callback_;
  };
};

}  // namespace weft::detail
