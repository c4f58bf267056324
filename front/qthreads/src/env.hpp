// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables that Qthreads reads: QT_NAME, else QTHREAD_NAME; empty counts as unset.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::qt {

inline constexpr std::size_t no_count = SIZE_MAX;

// Longer than a program runs; clocks can add it to any time.
inline constexpr std::size_t longest_io_timeout_us = 100'000'000'000'000;  // three years

// Each task may have so many, and they are counted in 32 bits.
inline constexpr std::size_t most_tasklocal_bytes = std::size_t{1} << 30;

struct settings {
  std::size_t info = 0;
  std::size_t shepherds = 0;             // 0: as many as there are workers
  std::size_t workers_per_shepherd = 0;  // 0: one
  std::size_t hwpar = 0;                 // workers wanted in all; 0: all there are
  std::size_t stack_bytes = 0;           // 0: Weft's default
  std::size_t tasklocal_bytes = 8;       // at most most_tasklocal_bytes
  std::size_t io_workers = 10;
  std::size_t io_timeout_us = 1000;   // at most longest_io_timeout_us
  bool bound = true;                  // workers to processors, where Weft would
  std::size_t spin_count = no_count;  // looks of an idle worker before it sleeps
  const char* boundary = nullptr;     // of shepherds, as WEFT_SHEPHERD names it
  bool steals = true;                 // false: a task stays with the worker that began it
  bool round_robin = false;           // where tasks without a shepherd go
};

// What the environment says. With info, writes a line for what no longer means anything.
settings read_environment() noexcept;

}  // namespace weft::qt
