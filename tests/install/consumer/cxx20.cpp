// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A C++20 program on an installed Weft: many tasks at once over a span of numbers.
#include <weft/weft.h>

#include <array>
#include <cstdio>
#include <numeric>
#include <span>

int main() {
  std::array<int, 10> numbers{};
  std::iota(numbers.begin(), numbers.end(), 1);
  const std::span<int> all(numbers);
  constexpr auto square = [](void* arg) -> void* {
    int& number = *static_cast<int*>(arg);
    number *= number;
    return nullptr;
  };
  std::array<weft_task_t, 10> tasks{};
  if (weft_task_spawn_many(+square, all.data(), sizeof(int), all.size(), tasks.data()) != 0 ||
      weft_task_join_many(tasks.data(), tasks.size(), nullptr) != 0)
    return 1;
  std::printf("%d\n", std::reduce(all.begin(), all.end()));
  return weft_stop() != 0;
}
