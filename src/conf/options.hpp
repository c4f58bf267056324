// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of all options: name, type, range, default and one sentence for each.
//
// This is the only place where an option is declared. Parsing, messages, WEFT_INFO and
// docs/options.md (tools/options_table.py) are all made from it. To add one: a field in
// conf/values.hpp, an option_id and a row here, then run the tool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "conf/values.hpp"
#include "os/text.hpp"

namespace weft::rt::conf {

enum class option_id : unsigned {
  workers,
  stack_size,
  main,
  guard,
  guard_size,
  spin_us,
  membarrier,
  sticky,
  stack_cache,
  shepherd,
  bind,
  topology,
  follow_cpus,
  loop_schedule,
  info
};

enum class option_type : std::uint8_t {
  number,  // a whole number, decimal
  bytes,   // the same with an optional suffix k, m or g (powers of 1024, either case)
  choice,  // one of words; words[i] stands for the value least + i
  text     // any; the value is its address, and 0 if it is words[0]; words[1] says what is accepted
};

struct option {
  option_id id;
  option_type type;
  const char* name;
  std::uint64_t least;
  std::uint64_t most;
  std::uint64_t standard;    // the default; for WEFT_WORKERS 0: the usable CPUs
  const char* const* words;  // of a choice, most - least + 1 of them; of a text two
  const char* caller_field;  // its name in weft_config_t, or nullptr
  const char* sentence;      // what it does
  void (*set)(values& to, std::uint64_t value, source from) noexcept;
  std::uint64_t (*get)(const values& of, source& from) noexcept;
};

template <auto Field>
void set_field(values& to, std::uint64_t value, source from) noexcept {
  using value_type = decltype((to.*Field).value);
  if constexpr (std::is_pointer_v<value_type>) {
    (to.*Field) = {reinterpret_cast<value_type>(value), from};
  } else {
    (to.*Field) = {static_cast<value_type>(value), from};
  }
}

template <auto Field>
std::uint64_t get_field(const values& of, source& from) noexcept {
  from = (of.*Field).from;
  if constexpr (std::is_pointer_v<decltype((of.*Field).value)>) {
    return reinterpret_cast<std::uintptr_t>((of.*Field).value);
  } else {
    return static_cast<std::uint64_t>((of.*Field).value);
  }
}

inline constexpr const char* words_main[] = {"worker", "guest"};
inline constexpr const char* words_guard[] = {"auto", "madvise", "mprotect", "canary"};
inline constexpr const char* words_membarrier[] = {"auto", "off"};
inline constexpr const char* words_loop[] = {"adaptive", "balanced", "fixed", "guided", "factored"};
inline constexpr const char* words_switch[] = {"0", "1"};
inline constexpr const char* words_shepherd[] = {"auto", "core",   "l2",     "l3",
                                                 "numa", "socket", "machine"};
inline constexpr const char* words_bind[] = {"auto", "none", "shepherd", "worker"};
inline constexpr const char* words_topology[] = {
    "auto", "auto, hwloc, flat or a machine as hwloc describes it, such as pack:2 core:4 pu:2"};

inline constexpr std::uint64_t kib = 1024;
inline constexpr std::uint64_t mib = 1024 * kib;
inline constexpr std::uint64_t gib = 1024 * mib;

// In the order of option_id.
inline constexpr option options[] = {
    {option_id::workers, option_type::number, "WEFT_WORKERS", 1, 1024, 0, nullptr, "workers",
     "How many OS threads run tasks.", set_field<&values::workers>, get_field<&values::workers>},
    {option_id::stack_size, option_type::bytes, "WEFT_STACK_SIZE", 16 * kib, gib, 64 * kib, nullptr,
     "stack_bytes", "Stack promised to each task, rounded up to a page.",
     set_field<&values::stack_bytes>, get_field<&values::stack_bytes>},
    {option_id::main, option_type::choice, "WEFT_MAIN", 1, 2, 1, words_main, "main_mode",
     "How the thread that starts Weft takes part: as worker 0, or as a guest while all workers are "
     "threads of Weft's own.",
     set_field<&values::main>, get_field<&values::main>},
    {option_id::guard, option_type::choice, "WEFT_GUARD", 0, 3, 0, words_guard, nullptr,
     "What stands below each stack to catch an overflow: `madvise` (guard pages without a mapping "
     "of their own), `mprotect` (protected pages, two mappings a stack), `canary` (words that are "
     "checked), `auto` (for each stack the first of these that the system can do).",
     set_field<&values::guard>, get_field<&values::guard>},
    {option_id::guard_size, option_type::bytes, "WEFT_GUARD_SIZE", 4 * kib, mib, 64 * kib, nullptr,
     nullptr, "Size of that guard, rounded up to a page; a frame larger than it can jump over it.",
     set_field<&values::guard_bytes>, get_field<&values::guard_bytes>},
    {option_id::spin_us, option_type::number, "WEFT_SPIN_US", 0, 1000000, 50, nullptr, nullptr,
     "Microseconds that an idle worker watches for work before it sleeps. With more workers than "
     "usable CPUs it is 0 unless it is set.",
     set_field<&values::spin_us>, get_field<&values::spin_us>},
    {option_id::membarrier, option_type::choice, "WEFT_MEMBARRIER", 0, 1, 0, words_membarrier,
     nullptr,
     "How thieves reach an owner that does not call the runtime: by a process-wide memory barrier "
     "where the system has one (`auto`), or by a fence that each owner pays (`off`).",
     set_field<&values::membarrier>, get_field<&values::membarrier>},
    {option_id::sticky, option_type::choice, "WEFT_STICKY", 0, 1, 0, words_switch, nullptr,
     "1: a task that has started resumes only on the worker where it started.",
     set_field<&values::sticky>, get_field<&values::sticky>},
    {option_id::stack_cache, option_type::number, "WEFT_STACK_CACHE", 0, 4096, 64, nullptr, nullptr,
     "Unused stacks that each worker keeps for itself.", set_field<&values::stack_cache>,
     get_field<&values::stack_cache>},
    {option_id::shepherd, option_type::choice, "WEFT_SHEPHERD", 0, 6, 0, words_shepherd, nullptr,
     "What the workers of one shepherd share: a core, a cache, a memory, a socket, the machine. "
     "`auto`: where workers are bound, the first of `l3`, `numa` and `socket` of which there are "
     "several; "
     "else the machine.",
     set_field<&values::shepherd>, get_field<&values::shepherd>},
    {option_id::bind, option_type::choice, "WEFT_BIND", 0, 3, 0, words_bind, nullptr,
     "Where the OS threads of workers may run: anywhere (`none`), on the processors of their "
     "shepherd, "
     "on one of their own (`worker`). `auto`: on their shepherd's if there is a worker for each "
     "processor of a machine that suggests several shepherds; else anywhere.",
     set_field<&values::bind>, get_field<&values::bind>},
    {option_id::topology, option_type::text, "WEFT_TOPOLOGY", 0, UINT64_MAX, 0, words_topology,
     nullptr,
     "Who says which processors share what: the kernel (`auto`; hwloc where it says nothing), "
     "`hwloc`, nobody (`flat`: all "
     "are equally near), or a description of a machine that need not exist, for trying.",
     set_field<&values::topology>, get_field<&values::topology>},
    {option_id::follow_cpus, option_type::choice, "WEFT_FOLLOW_CPUS", 0, 1, 0, words_switch,
     nullptr,
     "1: while Weft runs, follow changes of the processors and of the CPU quota that the process "
     "may "
     "use, with a look every 100 ms: workers without a processor take no tasks or move, and come "
     "back when it does. 0: what was found at the start counts.",
     set_field<&values::follow_cpus>, get_field<&values::follow_cpus>},
    {option_id::loop_schedule, option_type::choice, "WEFT_LOOP_SCHEDULE", 1, 5, 1, words_loop,
     nullptr,
     "How parallel loops that ask for no schedule are divided: `adaptive` (blocks by measured "
     "time, "
     "the rest on demand), `balanced` (one part for each worker), `fixed` (blocks of the size that "
     "the loop says, else 1), `guided` (the rest by the number of workers), `factored` (batches of "
     "half the rest).",
     set_field<&values::loop_schedule>, get_field<&values::loop_schedule>},
    {option_id::info, option_type::choice, "WEFT_INFO", 0, 1, 0, words_switch, nullptr,
     "1: print what was chosen, and why, to standard error at the start.", set_field<&values::info>,
     get_field<&values::info>},
};

inline constexpr std::size_t option_count = sizeof options / sizeof options[0];

// How much of a foreign name or value a message shows.
inline constexpr std::size_t most_shown = 60;

// Adds a value as the environment would say it: 4, 64K, auto.
void add_value(os::text& to, const option& which, std::uint64_t value) noexcept;

// Adds what is accepted, as the end of "give ...": "a whole number from 1 to 1024".
void add_accepted(os::text& to, const option& which) noexcept;

}  // namespace weft::rt::conf
