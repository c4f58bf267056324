// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of every option of one start, and where each came from.
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/cpus.hpp"

namespace weft::rt::conf {

enum class source : std::uint8_t { built_in, environment, caller };

template <class T>
struct setting {
  T value{};
  source from = source::built_in;
};

enum class main_mode : std::uint32_t { worker = 1, guest = 2 };  // as weft_main_mode_t
enum class guard_mode : std::uint32_t { automatic, madvise, mprotect, canary };
enum class membarrier_mode : std::uint32_t { automatic, off };
enum class shepherd_boundary : std::uint32_t { automatic, core, l2, l3, numa, socket, machine };
enum class bind_mode : std::uint32_t { automatic, none, shepherd, worker };

// Plain data: boot/ copies each field into the option struct of the part that uses it. The table in
// conf/options.hpp says what each means, its range and its default.
struct values {
  setting<std::uint32_t> workers;
  setting<std::size_t> stack_bytes;
  setting<main_mode> main;
  setting<guard_mode> guard;
  setting<std::size_t> guard_bytes;
  setting<std::uint32_t> spin_us;
  setting<membarrier_mode> membarrier;
  setting<bool> sticky;
  setting<std::uint32_t> stack_cache;
  setting<shepherd_boundary> shepherd;
  setting<bind_mode> bind;
  setting<const char*> topology;  // null: automatic; as long as the environment lives
  setting<bool> follow_cpus;
  setting<std::uint32_t> loop_schedule;  // as weft_loop_schedule_t
  setting<bool> info;
  os::cpu_count cpus;  // why WEFT_WORKERS has its default
};

}  // namespace weft::rt::conf
