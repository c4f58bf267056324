// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables that Qthreads reads: QT_NAME, else QTHREAD_NAME; empty counts as unset.
#include "env.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace weft::qt {

namespace {

const char* lookup(const char* name) noexcept {
  char full[64];
  for (const char* prefix : {"QT_", "QTHREAD_"}) {
    std::snprintf(full, sizeof full, "%s%s", prefix, name);
    const char* value = std::getenv(full);
    if (value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

// A number as strtoul reads it with base 0. What is none gives the default, and one line.
std::size_t number(const char* name, std::size_t standard) noexcept {
  const char* value = lookup(name);
  if (value == nullptr) return standard;
  char* end = nullptr;
  errno = 0;
  const unsigned long n = std::strtoul(value, &end, 0);
  if (end != value && *end == '\0' && errno == 0) return n;
  std::fprintf(stderr, "QTHREADS: QT_%s=%s is no number; taking %zu\n", name, value, standard);
  return standard;
}

constexpr const char* without_meaning[] = {
    "GUARD_PAGES",  // stacks always have guards
    "ARGCOPY_SIZE", "AFFINITY",         "MAX_POOL_ALLOC_SIZE", "SPINCOUNT",   "STEAL_CHUNK",
    "STEAL_RATIO",  "CONDWAIT_BACKOFF", "SHEPHERD_BOUNDARY",   "WORKER_UNIT", "CPUBIND",
    "LAYOUT"};

}  // namespace

settings read_environment() noexcept {
  settings o;
  o.info = number("INFO", 0);
  o.shepherds = number("NUM_SHEPHERDS", 0);
  o.workers_per_shepherd = number("NUM_WORKERS_PER_SHEPHERD", 0);
  o.hwpar = number("HWPAR", 0);
  o.stack_bytes = number("STACK_SIZE", 0);
  const std::size_t local = number("TASKLOCAL_SIZE", 0);
  if (local != 0) o.tasklocal_bytes = local;
  o.io_workers = number("MAX_IO_WORKERS", o.io_workers);
  o.io_timeout_us = number("IO_TIMEOUT", o.io_timeout_us);
  const char* spawn = lookup("SPAWN");
  o.round_robin = spawn != nullptr && std::strcmp(spawn, "roundrobin") == 0;
  if (spawn != nullptr && !o.round_robin)
    std::fprintf(stderr, "QTHREADS: QT_SPAWN=%s is not known; give roundrobin or nothing\n", spawn);
  if (o.info >= 1)
    for (const char* name : without_meaning)
      if (const char* value = lookup(name))
        std::fprintf(stderr, "QTHREADS: QT_%s=%s changes nothing here\n", name, value);
  return o;
}

}  // namespace weft::qt
