// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables that Qthreads reads: QT_NAME, else QTHREAD_NAME; empty counts as unset.
#include "env.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <strings.h>

namespace weft::qt {

namespace {

// Whether each variable that is looked up and set is printed: INFO=2.
bool tells_each = false;

const char* lookup(const char* name) noexcept {
  char full[64];
  for (const char* prefix : {"QT_", "QTHREAD_"}) {
    std::snprintf(full, sizeof full, "%s%s", prefix, name);
    const char* value = std::getenv(full);
    if (value == nullptr || *value == '\0') continue;
    if (tells_each) std::printf("%s = %s\n", full, value);
    return value;
  }
  return nullptr;
}

// A number as strtoul reads it with base 0, but without a sign. What is none, or more than `most`,
// gives the default, and one line.
std::size_t number(const char* name, std::size_t standard, std::size_t most = SIZE_MAX) noexcept {
  const char* value = lookup(name);
  if (value == nullptr) return standard;
  char* end = nullptr;
  errno = 0;
  const unsigned long n = std::strtoul(value, &end, 0);
  const bool is_one = end != value && *end == '\0' && errno == 0 &&
                      std::strpbrk(value, "+-") == nullptr;  // it negates what has a minus
  if (is_one && n <= most) return n;
  std::fprintf(stderr, "QTHREADS: QT_%s=%s is %s; taking the default\n", name, value,
               is_one ? "too large" : "no number");
  return standard;
}

// yes, true, no, false, or their first letters, or a number.
bool truth(const char* name, bool standard) noexcept {
  const char* value = lookup(name);
  if (value == nullptr) return standard;
  switch (*value) {
    case 'y':
    case 'Y':
    case 't':
    case 'T':
      return true;
    case 'n':
    case 'N':
    case 'f':
    case 'F':
      return false;
    default:
      return number(name, standard ? 1 : 0) != 0;
  }
}

// What Weft calls the thing by which shepherds are drawn; null: by nothing in particular.
const char* boundary() noexcept {
  constexpr const char* names[][2] = {{"node", "numa"},  {"socket", "socket"}, {"cache", "l3"},
                                      {"L3cache", "l3"}, {"L2cache", "l2"},    {"L1cache", "core"},
                                      {"core", "core"},  {"pu", "core"}};
  const char* value = lookup("SHEPHERD_BOUNDARY");
  if (value == nullptr) return nullptr;
  for (const auto& name : names)
    if (strcasecmp(value, name[0]) == 0) return name[1];
  std::fprintf(
      stderr,
      "QTHREADS: QT_SHEPHERD_BOUNDARY=%s is not known; give node, socket, cache, L1cache, L2cache, "
      "L3cache, core or pu\n",
      value);
  return nullptr;
}

struct ignored {
  const char* name;
  const char* why;
};
constexpr ignored without_meaning[] = {
    {"GUARD_PAGES", "each stack has a guard"},
    {"ARGCOPY_SIZE", "arguments of any size are copied"},
    {"MAX_POOL_ALLOC_SIZE", "pools grow by 64 KiB"},
    {"STEAL_CHUNK", "a thief takes one task, and makes half of them visible"},
    {"CONDWAIT_BACKOFF", "SPINCOUNT says how long an idle worker watches"},
    {"WORKER_UNIT", "a worker gets a core as long as there are some, then a hardware thread"},
    {"CPUBIND", "taskset says where the program may run"},
    {"LAYOUT", "neighbouring processors come first"}};

}  // namespace

settings read_environment() noexcept {
  settings o;
  tells_each = false;
  o.info = number("INFO", 0);
  tells_each = o.info >= 2;
  o.shepherds = number("NUM_SHEPHERDS", 0);
  o.workers_per_shepherd = number("NUM_WORKERS_PER_SHEPHERD", 0);
  o.hwpar = number("HWPAR", 0);
  o.stack_bytes = number("STACK_SIZE", 0);
  const std::size_t local = number("TASKLOCAL_SIZE", 0, most_tasklocal_bytes);
  if (local != 0) o.tasklocal_bytes = local;
  o.io_workers = number("MAX_IO_WORKERS", o.io_workers);
  o.io_timeout_us = std::min(number("IO_TIMEOUT", o.io_timeout_us), longest_io_timeout_us);
  o.bound = truth("AFFINITY", true);
  o.spin_count = number("SPINCOUNT", o.spin_count);
  o.boundary = boundary();
  o.steals = number("STEAL_RATIO", 1) != 0;
  const char* spawn = lookup("SPAWN");
  o.round_robin = spawn != nullptr && std::strcmp(spawn, "roundrobin") == 0;
  if (spawn != nullptr && !o.round_robin)
    std::fprintf(stderr, "QTHREADS: QT_SPAWN=%s is not known; give roundrobin or nothing\n", spawn);
  if (o.info >= 1)
    for (const auto& [name, why] : without_meaning)
      if (const char* value = lookup(name))
        std::fprintf(stderr, "QTHREADS: QT_%s=%s changes nothing here: %s\n", name, value, why);
  return o;
}

}  // namespace weft::qt
