// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a process costs: its resident memory with its page tables, and its processor time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <sys/resource.h>

#include "harness/report.hpp"

namespace weft::bench {

// The sum of the named lines of a file of /proc, in bytes.
inline int64_t proc_bytes(const char* path, std::initializer_list<std::string_view> names) {
  std::ifstream file(path);
  int64_t kib = 0;
  size_t found = 0;
  for (std::string word; file >> word;) {
    if (std::find(names.begin(), names.end(), word) == names.end()) continue;
    int64_t value = 0;
    file >> value;
    kib += value;
    ++found;
  }
  if (found != names.size()) die(std::string(path) + " does not give the figures wanted");
  return kib * 1024;
}

// The page tables of a million stacks are a visible part of their price.
inline int64_t resident_bytes() { return proc_bytes("/proc/self/status", {"VmRSS:", "VmPTE:"}); }

inline int64_t available_bytes() { return proc_bytes("/proc/meminfo", {"MemAvailable:"}); }

// Ends the program before it takes the machine down: a fifth of what was available at the start is
// left alone.
class memory_guard {
 public:
  // Called for each thread, whose number is count; looks at the memory now and then.
  void look(size_t count) const {
    if (count % look_every == 0 && resident_bytes() > limit_) die("memory is running short");
  }

 private:
  static constexpr size_t look_every = 4'096;
  int64_t limit_ = available_bytes() / 5 * 4;
};

inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

}  // namespace weft::bench
