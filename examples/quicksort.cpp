// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel quicksort: a task sorts one side of each partition while its spawner goes on with the
// other.
//
//   quicksort < numbers        one number in each line; prints them in ascending order
//
// No task waits for the one that spawned it. A side is spawned when it is large enough to be worth
// taking away, and a call joins its tasks before it returns: no count of what is still to do is
// kept anywhere. A join throws what its task threw. Tasks that an exception leaves unjoined are
// joined by their destructors, which drop what those threw.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <weft/weft.hpp>

namespace {

constexpr std::size_t few = 2048;  // sorted by one task: some 100 us

// Three parts: less than the pivot, equal to it, more.
struct parts {
  std::span<std::int64_t> less, more;
};

parts partition(std::span<std::int64_t> numbers) {
  // The median of three, so that sorted input is cut in the middle.
  const std::int64_t a = numbers.front(), b = numbers[numbers.size() / 2], c = numbers.back();
  const std::int64_t pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
  const auto equal =
      std::partition(numbers.begin(), numbers.end(), [pivot](std::int64_t n) { return n < pivot; });
  const auto more =
      std::partition(equal, numbers.end(), [pivot](std::int64_t n) { return n == pivot; });
  return {{numbers.begin(), equal}, {more, numbers.end()}};
}

void quicksort(std::span<std::int64_t> numbers) {
  std::vector<weft::task<void>> tasks;
  while (numbers.size() > few) {
    const auto [less, more] = partition(numbers);
    const bool left_is_smaller = less.size() < more.size();
    // The smaller side is spawned, so there are at most as many tasks here as the size has bits.
    tasks.push_back(weft::spawn(quicksort, left_is_smaller ? less : more));
    numbers = left_is_smaller ? more : less;
  }
  std::sort(numbers.begin(), numbers.end());
  for (weft::task<void>& t : tasks) t.join();
}

std::vector<std::int64_t> read_numbers() {
  std::vector<std::int64_t> numbers;
  for (std::string line; std::getline(std::cin, line);) {
    std::int64_t number = 0;
    const char* end = line.data() + line.size();
    const auto [at, error] = std::from_chars(line.data(), end, number);
    if (error != std::errc() || at != end)
      throw std::system_error(std::make_error_code(std::errc::invalid_argument),
                              "line " + std::to_string(numbers.size() + 1));
    numbers.push_back(number);
  }
  // std::cin takes an error of the stdin below it for the end.
  if (std::ferror(stdin) != 0) throw std::runtime_error("cannot read the numbers");
  return numbers;
}

}  // namespace

int main() try {
  std::vector<std::int64_t> numbers = read_numbers();
  quicksort(numbers);
  for (const std::int64_t n : numbers) std::cout << n << '\n';
  if (!std::cout.flush()) throw std::runtime_error("cannot write the numbers");
  return weft_worker_count() != 0 && weft_stop() != 0;
} catch (const std::exception& e) {
  std::cerr << "quicksort: " << e.what() << '\n';
  return 1;
}
