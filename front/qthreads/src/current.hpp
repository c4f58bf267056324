// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The caller's worker, and what its task keeps for us: read in place where that can be, else asked
// for.
#pragma once

#include <cstdint>

#include <weft/cpp/fork_abi.hpp>
#include <weft/cpp/sanitizer.hpp>
#include <weft/embed.h>
#include <weft/runtime.h>

namespace weft::qt {

using worker_words = weft::detail::abi::worker;

// Null: the library must be asked. A thread sanitizer takes each task for a thread, and knows from
// the library alone what is ordered.
inline worker_words* readable_self() noexcept {
  return weft::detail::thread_sanitizer ? nullptr : weft::detail::abi::self();
}

// WEFT_ANYWHERE outside workers.
inline uint32_t worker_index() noexcept {
  const auto* w = readable_self();
  return w != nullptr ? w->index : weft_worker_index();
}

// Below, w is readable_self() of the same moment: who needs several things asks once.

// As weft_task_origin, in a task.
struct task_origin {
  void* what;
  void* object;
};
inline task_origin origin(const worker_words* w) noexcept {
  if (w != nullptr) [[likely]]
    return {weft::detail::abi::origin(*w->current), weft::detail::abi::object(*w->current)};
  task_origin from{};
  from.what = weft_task_origin(&from.object);
  return from;
}

// As weft_task_record.
inline void* task_record(const worker_words* w) noexcept {
  return w != nullptr ? weft::detail::abi::record(*w) : weft_task_record();
}
inline void* task_record() noexcept { return task_record(readable_self()); }

// As weft_task_set_record, in a task.
inline void set_task_record(worker_words* w, void* record) noexcept {
  if (w != nullptr) [[likely]]
    return weft::detail::abi::set_record(*w, record);
  weft_task_set_record(record);
}
inline void set_task_record(void* record) noexcept { set_task_record(readable_self(), record); }

}  // namespace weft::qt
