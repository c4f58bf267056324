// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of a select that are no channels: ends of tasks, futures, semaphores, mutexes, words.
//
// object: a task (into: void**), a future (into: void**), a semaphore, a mutex (argument: 0), an
// aligned word (into: uint64_t*; written: argument).
#pragma once

#include "sync/select.hpp"

namespace weft::rt {

extern const select_ops join_case;
extern const select_ops future_case;
extern const select_ops semaphore_case;
extern const select_ops mutex_case;
extern const select_ops read_ff_case;
extern const select_ops read_fe_case;
extern const select_ops write_ef_case;

}  // namespace weft::rt
