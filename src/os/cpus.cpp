// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CPUs by sched_getaffinity and by the CPU quotas of control groups, versions 1 and 2.
//
// Where a quota may stand
//   /proc/self/cgroup says which group this process is in, one line for each hierarchy:
//   "0::/a/b" (version 2), "4:cpu,cpuacct:/a/b" (version 1). /proc/self/mountinfo says where each
//   hierarchy is mounted and which of its groups the mount shows ("root"). In a container it
//   is usually "/" (a namespace of its own) or the container's group (then both paths begin alike).
//   Every group from the process's own up to the mount may have a quota; the least one counts.
#include "os/cpus.hpp"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <unistd.h>

#include "os/affinity.hpp"
#include "os/errno_kept.hpp"
#include "os/line_reader.hpp"
#include "os/memory.hpp"
#include "os/text.hpp"

namespace weft::rt::os {

namespace {

// Cuts the word before the next separator off *rest; nullptr when nothing is left.
char* cut(char** rest, char separator) noexcept {
  char* const word = *rest;
  if (word == nullptr) return nullptr;
  char* const end = std::strchr(word, separator);
  if (end != nullptr) *end = '\0';
  *rest = end == nullptr ? nullptr : end + 1;
  return word;
}

bool in_list(const char* list, const char* name) noexcept {
  const std::size_t length = std::strlen(name);
  for (const char* p = list; p != nullptr; p = std::strchr(p, ',')) {
    if (*p == ',') ++p;
    if (std::strncmp(p, name, length) == 0 && (p[length] == ',' || p[length] == '\0')) return true;
  }
  return false;
}

// mountinfo writes blanks and backslashes in paths as \ooo.
void unescape(char* s) noexcept {
  auto octal = [](char c) { return c >= '0' && c <= '7'; };
  char* to = s;
  while (*s != '\0') {
    if (s[0] == '\\' && octal(s[1]) && octal(s[2]) && octal(s[3])) {
      *to++ = static_cast<char>((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
      s += 4;
    } else {
      *to++ = *s++;
    }
  }
  *to = '\0';
}

bool copy(char (&to)[PATH_MAX], const char* from) noexcept {
  const std::size_t length = std::strlen(from);
  if (length >= PATH_MAX) return false;
  std::memcpy(to, from, length + 1);
  return true;
}

enum class version { one, two };

struct quota {
  std::int64_t time_us = 0;  // CPU time allowed in each period; 0: no limit
  std::int64_t period_us = 1;
  char group[64] = {};  // the directory whose limit it is, as far as it fits

  bool set() const noexcept { return time_us > 0; }
  unsigned cpus() const noexcept {
    const std::int64_t whole = (time_us - 1) / period_us + 1;
    return whole < UINT_MAX ? static_cast<unsigned>(whole) : UINT_MAX;
  }
};

// A positive number at the start of s, else 0 ("max", "-1", nothing).
std::int64_t positive(const char* s) noexcept {
  if (s == nullptr) return 0;
  const long long n = std::strtoll(s, nullptr, 10);
  return n > 0 && n < LLONG_MAX ? n : 0;
}

// The number in a file of one; 0 as above, or when there is no such file.
std::int64_t number_in(const char* root, const char* directory, const char* name) noexcept {
  line_reader file(root, directory, name);
  return positive(file.next());
}

// The limit of one group, if it has one.
bool read_quota(const char* root, const char* directory, version v, quota& out) noexcept {
  if (v == version::one) {
    out.time_us = number_in(root, directory, "/cpu.cfs_quota_us");
    out.period_us = number_in(root, directory, "/cpu.cfs_period_us");
  } else {
    line_reader file(root, directory, "/cpu.max");
    char* rest = file.next();
    out.time_us = positive(cut(&rest, ' '));
    out.period_us = positive(rest);
  }
  return out.time_us > 0 && out.period_us > 0;
}

// Whether a path leads out of where it begins (the process's group lies outside its namespace).
bool leads_out(const char* path) noexcept {
  return std::strncmp(path, "/..", 3) == 0 && (path[3] == '/' || path[3] == '\0');
}

// What is too large for the stack of any thread that may start Weft.
struct room {
  char group[PATH_MAX];
  char directory[PATH_MAX];
  std::optional<line_reader> file;
};

// Lowers best to the least limit of the groups from `group` up to the mount.
void climb(const char* root, const char* mount, const char* shown, const char* group, version v,
           char (&directory)[PATH_MAX], quota& best) noexcept {
  const std::size_t mount_length = std::strcmp(mount, "/") == 0 ? 0 : std::strlen(mount);
  std::memcpy(directory, mount, mount_length);
  // The part of the group's path below what the mount shows. A group outside of that is out of
  // sight (so is one that leads out): the mount itself is all that can be read.
  const std::size_t shown_length = std::strcmp(shown, "/") == 0 ? 0 : std::strlen(shown);
  const char* below = group + shown_length;
  const bool inside = std::strncmp(group, shown, shown_length) == 0 &&
                      (*below == '/' || *below == '\0') && !leads_out(below);
  const std::size_t below_length = inside && std::strcmp(below, "/") != 0 ? std::strlen(below) : 0;
  if (mount_length + below_length >= sizeof directory) return;
  std::memcpy(directory + mount_length, below, below_length);
  directory[mount_length + below_length] = '\0';
  for (;;) {
    quota here;
    if (read_quota(root, directory, v, here) && (!best.set() || here.cpus() < best.cpus())) {
      best.time_us = here.time_us;
      best.period_us = here.period_us;
      // Its end is what tells groups apart.
      const std::size_t length = std::strlen(directory);
      const std::size_t most = sizeof best.group - 1;
      const std::size_t hidden = length > most ? length - most : 0;
      std::memcpy(best.group, directory + hidden, length - hidden + 1);
    }
    char* const last = std::strrchr(directory + mount_length, '/');
    if (last == nullptr) return;
    *last = '\0';
  }
}

// This process's group in the hierarchy of that version that counts CPU time.
bool find_group(const char* root, version v, room& at) noexcept {
  line_reader& file = at.file.emplace(root, "/proc/self", "/cgroup");
  for (char* rest = file.next(); rest != nullptr; rest = file.next()) {
    const char* const hierarchy = cut(&rest, ':');
    const char* const controllers = cut(&rest, ':');
    if (rest == nullptr) continue;
    const bool two = std::strcmp(hierarchy, "0") == 0 && controllers[0] == '\0';
    if (v == version::two ? two : in_list(controllers, "cpu")) return copy(at.group, rest);
  }
  return false;
}

// Every mount of that hierarchy. A line is: id parent device root mount-point options [tags] - type
// source super-options.
void search_mounts(const char* root, version v, room& at, quota& best) noexcept {
  line_reader& file = at.file.emplace(root, "/proc/self", "/mountinfo");
  for (char* rest = file.next(); rest != nullptr; rest = file.next()) {
    for (int skipped = 0; skipped < 3; ++skipped) (void)cut(&rest, ' ');
    char* const shown = cut(&rest, ' ');
    char* const mount = cut(&rest, ' ');
    if (rest == nullptr) continue;
    char* tail = std::strstr(rest, " - ");
    if (tail == nullptr) continue;
    tail += 3;
    const char* const type = cut(&tail, ' ');
    (void)cut(&tail, ' ');
    const bool fits = v == version::two ? std::strcmp(type, "cgroup2") == 0
                                        : std::strcmp(type, "cgroup") == 0 && tail != nullptr &&
                                              in_list(tail, "cpu");
    unescape(shown);
    unescape(mount);
    if (fits && std::strlen(mount) < PATH_MAX)
      climb(root, mount, shown, at.group, v, at.directory, best);
  }
}

// Without memory for it: none.
quota least_quota(const char* root) noexcept {
  quota best;
  const std::size_t bytes = (sizeof(room) + page_bytes() - 1) / page_bytes() * page_bytes();
  void* const memory = reserve(bytes);
  if (memory == nullptr) return best;
  room* const at = ::new (memory) room;
  for (const version v : {version::two, version::one})
    if (find_group(root, v, *at)) search_mounts(root, v, *at, best);
  std::destroy_at(at);
  (void)release(memory, bytes);
  return best;
}

// count CPUs, of which `of` says how they were counted, limited by the least quota.
cpu_count limited(const char* root, unsigned count, const char* of) noexcept {
  const errno_kept keep;
  const quota best = least_quota(root);
  cpu_count out{count > 0 ? count : 1, {}};
  text sentence;
  sentence.decimal(out.count).add(out.count == 1 ? " CPU " : " CPUs ").add(of).add(", ");
  if (!best.set()) {
    sentence.add("no CPU quota");
  } else if (best.cpus() >= out.count) {
    sentence.add("the CPU quota allows ").decimal(best.cpus());
  } else {
    out.count = best.cpus();
    sentence.add("limited to ").decimal(out.count).add(" by the CPU quota ");
    sentence.decimal(static_cast<std::uint64_t>(best.time_us)).add("/");
    sentence.decimal(static_cast<std::uint64_t>(best.period_us)).add(" us of ");
    sentence.printable(best.group, sizeof best.group);
  }
  constexpr std::size_t room = sizeof out.why - 1;
  const std::size_t length = sentence.length() < room ? sentence.length() : room;
  std::memcpy(out.why, sentence.c_str(), length);
  return out;
}

}  // namespace

cpu_count usable_cpus_from(const char* root, unsigned affinity_count) noexcept {
  return limited(root, affinity_count, "in the affinity mask");
}

cpu_count usable_cpus() noexcept {
  cpu_set mask;
  if (get_affinity(mask)) return usable_cpus_from("", mask.count());
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  return limited("", online > 0 ? static_cast<unsigned>(online) : 1,
                 "online (the affinity mask cannot be read)");
}

}  // namespace weft::rt::os
