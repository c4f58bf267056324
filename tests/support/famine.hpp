// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address space that runs out for real, for tests that run in a child: its limits are its own.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/child.hpp"

namespace weft::test {

inline std::size_t address_space() {
  std::FILE* f = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (f == nullptr || std::fscanf(f, "%lu", &pages) != 1) std::abort();
  std::fclose(f);
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// While it lives this process gets so many bytes of address space and no more; its heap may have
// some left.
class famine {
 public:
  explicit famine(std::size_t left = 0) {
    EXPECT_EQ(getrlimit(RLIMIT_AS, &before_), 0);
    rlimit now = before_;
    now.rlim_cur = address_space() + left;
    EXPECT_EQ(setrlimit(RLIMIT_AS, &now), 0);
  }
  famine(const famine&) = delete;
  famine& operator=(const famine&) = delete;
  ~famine() { end(); }
  void end() { EXPECT_EQ(setrlimit(RLIMIT_AS, &before_), 0); }

 private:
  rlimit before_{};
};

inline bool famine_works() {
  const outcome o = in_child([] {
    const famine f;
    void* more = mmap(nullptr, std::size_t{1} << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    _exit(more == MAP_FAILED ? 0 : 1);
  });
  return o.exited_with(0);
}

}  // namespace weft::test
