// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Affinity masks by system calls of our own, which take masks of any size.
#include "os/affinity.hpp"

#include <cstdlib>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/errno_kept.hpp"

namespace weft::rt::os {

bool get_affinity(cpu_set& out) noexcept { return get_affinity_of(0, out); }

bool get_affinity_of(std::int64_t thread, cpu_set& out) noexcept {
  const errno_kept keep;
  // The kernel refuses a mask smaller than its own.
  cpu_set seen;
  if (::syscall(SYS_sched_getaffinity, thread, sizeof seen.words_, seen.words_) <= 0) return false;
  out = seen;
  return true;
}

bool set_affinity(const cpu_set& to) noexcept {
  const errno_kept keep;
  return ::syscall(SYS_sched_setaffinity, 0, sizeof to.words_, to.words_) == 0;
}

std::uint32_t current_processor() noexcept {
  const errno_kept keep;
  const int cpu = ::sched_getcpu();
  return cpu >= 0 ? static_cast<std::uint32_t>(cpu) : cpu_set::most;
}

bool step_to(std::uint32_t cpu, const cpu_set& mask) noexcept {
  cpu_set only;
  only.add(cpu);
  if (!set_affinity(only)) return false;
  end_step(only, mask);
  return true;
}

void end_step(const cpu_set& only, const cpu_set& mask) noexcept {
  cpu_set now;
  if (!get_affinity(now) || !(now == only)) return;  // another was set meanwhile
  // A mask that nobody has set is all that the cpuset allows, and grows with it; the one that is
  // set to all does so, too. Where that is more than before the mask was set, to this.
  now.fill();
  if (set_affinity(now) && get_affinity(now) && now == mask) return;
  (void)set_affinity(mask);
}

bool add_cpu_list(const char* list, cpu_set& to) noexcept {
  const errno_kept keep;
  while (*list >= '0' && *list <= '9') {
    char* end = nullptr;
    const unsigned long first = std::strtoul(list, &end, 10);
    unsigned long last = first;
    if (*end == '-') last = std::strtoul(end + 1, &end, 10);
    if (last < first || last >= cpu_set::most) return false;
    for (unsigned long cpu = first; cpu <= last; ++cpu) to.add(static_cast<std::uint32_t>(cpu));
    if (*end != ',') return *end == '\0' || *end == '\n';
    list = end + 1;
  }
  return *list == '\0' || *list == '\n';
}

}  // namespace weft::rt::os
