// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel merge sort over any runtime whose harness offers both(f, g) and measure, which is
// included before this, and the main program around it.
#pragma once

#include <charconv>
#include <fstream>
#include <iterator>
#include <vector>

#include "config.hpp"
#include "harness/report.hpp"

namespace weft::bench {

// Merges x and y into out: the middle of the longer one splits the shorter one.
inline void merge(const uint32_t* x, int64_t nx, const uint32_t* y, int64_t ny, uint32_t* out) {
  if (nx + ny <= merge_cutoff) {
    std::merge(x, x + nx, y, y + ny, out);
    return;
  }
  if (nx < ny) {
    std::swap(x, y);
    std::swap(nx, ny);
  }
  const int64_t mx = nx / 2;
  const int64_t my = std::lower_bound(y, y + ny, x[mx]) - y;
  both([=] { merge(x, mx, y, my, out); },
       [=] { merge(x + mx, nx - mx, y + my, ny - my, out + mx + my); });
}

// Sorts a; the result is in b if into_b, else in a. Both have n places.
inline void merge_sort(uint32_t* a, uint32_t* b, int64_t n, bool into_b) {
  if (n <= sort_cutoff) {
    std::sort(a, a + n);
    if (into_b) std::copy(a, a + n, b);
    return;
  }
  const int64_t half = n / 2;
  both([=] { merge_sort(a, b, half, !into_b); },
       [=] { merge_sort(a + half, b + half, n - half, !into_b); });
  const uint32_t* const from = into_b ? a : b;
  merge(from, half, from + half, n - half, into_b ? b : a);
}

inline std::vector<uint32_t> read_numbers(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) die("cannot read '" + path + "': give --data a file of bench_make_numbers");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<uint32_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    uint32_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || next == end || *next != '\n')
      die(path + ": a line is not a number");
    numbers.push_back(value);
    at = next + 1;
  }
  return numbers;
}

inline int sort_main(int argc, char** argv) {
  report out(argc, argv, "s");
  const stopwatch reading;
  const std::vector<uint32_t> numbers = read_numbers(out.opt().data);
  out.note("reading took " + figure(reading.seconds()) + " s");
  const int64_t count = out.opt().quick ? numbers_quick : numbers_full;
  out.check("numbers in the file", static_cast<int64_t>(numbers.size()), count);
  std::vector<uint32_t> expected = numbers;
  std::sort(expected.begin(), expected.end());
  measure(out, [&] {
    std::vector<uint32_t> sorted = numbers;
    std::vector<uint32_t> scratch(sorted.size());
    const stopwatch watch;
    merge_sort(sorted.data(), scratch.data(), static_cast<int64_t>(sorted.size()), false);
    const double sample = watch.seconds();
    out.check("sorted as std::sort does", sorted == expected, true);
    return sample;
  });
  return out.finish();
}

}  // namespace weft::bench
