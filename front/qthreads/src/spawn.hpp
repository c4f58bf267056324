// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forking a task, with everything that can be said about it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record.hpp"

namespace weft::qt {

struct fork_request {
  qthread_f f = nullptr;
  const void* arg = nullptr;
  std::size_t copy_bytes = 0;  // 0: arg is passed as it is
  ret_kind ret_is = ret_kind::none;
  void* ret = nullptr;
  uint32_t shepherd = NO_SHEPHERD;
  uint32_t worker = WEFT_ANYWHERE;    // or where the shepherd says
  aligned_t* const* words = nullptr;  // that must be full first
  std::size_t word_count = 0;
  task_group* group = nullptr;  // is held for the task, whose end drops it
  uint32_t part = 0;            // that it is of a loop: as record::part
  bool new_team = false;
  bool new_subteam = false;
};

// QTHREAD_SUCCESS, or why not; then at most the place of the value has become empty.
int fork_task(const fork_request& what) noexcept;

// Of a task of Weft's that has not begun: its record, if it is one of ours that has one by then;
// else null.
record* unbegun_record(weft_fn_t fn, void* arg) noexcept;

}  // namespace weft::qt
