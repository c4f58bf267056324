// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that poll by yielding, and what may wait for them, while qthread_finalize stops Weft.
//
// A stop of Weft waits for no task that waits, but would for ever for one that polls. So a task
// that yields waits at a syncvar meanwhile, and is left behind there like any that waits. But the
// stop does wait for calls that can only block and for blocking actions, and these may wait for
// what a task does that polls: as long as one is in progress, such tasks go on.
//
// That would not end where tasks that poll have calls themselves, or fork tasks that do, each while
// another's is in progress. So the calls of a task that has yielded since the stop began do not
// count, nor do those of the tasks that it forks from then on.
#pragma once

#include <cstdint>

#include "record.hpp"

namespace weft::qt {

// By who stops. False: no memory, and nothing has changed.
bool begin_stop() noexcept;
// The stop is over, or was refused: then all go on.
void end_stop(bool refused) noexcept;

// By a task that yields while Weft stops, and is no member of a team.
void stay_behind(record& me) noexcept;

// In a child of fork() nobody stops Weft.
void begin_child_polling() noexcept;

// A call or an action while it lives: unless it does not count, tasks that poll go on until then.
// of: whose it is, or null.
class awaited {
 public:
  explicit awaited(const record* of) noexcept : counts_(begin(of)) {}
  ~awaited() {
    if (counts_) end();
  }
  awaited(const awaited&) = delete;
  awaited& operator=(const awaited&) = delete;

  // The same in two steps. False: it does not count, and is not ended.
  [[nodiscard]] static bool begin(const record* of) noexcept;
  static void end() noexcept;

 private:
  const bool counts_;
};

// While a task that holds its worker in an action waits as tasks do, the action does not count: the
// stop leaves the task behind like any that waits, and those that poll shall not go on until then.
class action_waits {
 public:
  explicit action_waits(record* of) noexcept
      : of_(of != nullptr && of->is_awaited && !of->is_away ? of : nullptr) {
    if (of_ != nullptr) [[unlikely]]
      awaited::end();
  }
  ~action_waits() {
    if (of_ != nullptr) [[unlikely]]
      of_->is_awaited = awaited::begin(of_);
  }
  action_waits(const action_waits&) = delete;
  action_waits& operator=(const action_waits&) = delete;

 private:
  record* const of_;
};

}  // namespace weft::qt
