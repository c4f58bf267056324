// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The naive parallel quicksort of Chapel's examples: a pivot, a serial partition, a task for one of
// the two halves. It forks as deep as there would be work for 64 tasks and goes on alone below.
// Needs both(f, g) and measure of a runtime, which is included before this.
//
// The kernel's name ends with the logarithm of the number of elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int fork_depth = 6;

inline void quicksort(uint32_t* first, uint32_t* last, int forks) {
  while (last - first > 16) {
    // The middle one of three.
    uint32_t* const mid = first + (last - first) / 2;
    if (*mid < *first) std::swap(*mid, *first);
    if (last[-1] < *mid) std::swap(last[-1], *mid);
    if (*mid < *first) std::swap(*mid, *first);
    const uint32_t pivot = *mid;
    uint32_t* low = first;
    uint32_t* high = last - 1;
    while (low <= high) {
      while (*low < pivot) ++low;
      while (pivot < *high) --high;
      if (low <= high) std::swap(*low++, *high--);
    }
    if (forks > 0) {
      both([=] { quicksort(first, high + 1, forks - 1); },
           [=] { quicksort(low, last, forks - 1); });
      return;
    }
    quicksort(first, high + 1, 0);
    first = low;
  }
  for (uint32_t* i = first; i < last; ++i) {
    const uint32_t value = *i;
    uint32_t* at = i;
    for (; at > first && value < at[-1]; --at) *at = at[-1];
    *at = value;
  }
}

inline int quicksort_main(int argc, char** argv) {
  report out(argc, argv, "s");
  const int64_t n = int64_t{1} << out.number_in_name("quicksort_");
  std::vector<uint32_t> numbers(static_cast<size_t>(n));
  uint64_t x = 42;
  for (uint32_t& number : numbers) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    number = static_cast<uint32_t>(x >> 32);
  }
  std::vector<uint32_t> expected = numbers;
  std::sort(expected.begin(), expected.end());
  measure(out, [&] {
    std::vector<uint32_t> sorted = numbers;
    const stopwatch watch;
    quicksort(sorted.data(), sorted.data() + n, fork_depth);
    const double s = watch.seconds();
    out.check("sorted as std::sort does", sorted == expected, true);
    return s;
  });
  return out.finish();
}

}  // namespace weft::bench
