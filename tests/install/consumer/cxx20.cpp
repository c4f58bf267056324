// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A C++20 program on an installed Weft: lambdas as tasks, their values, and a lock that std knows.
#include <cstdio>
#include <mutex>
#include <vector>

#include <weft/weft.hpp>

int main() {
  weft::mutex mutex;
  int sum = 0;
  {
    std::vector<weft::task<int>> tasks;
    for (int n = 1; n <= 9; ++n)
      tasks.push_back(weft::spawn([&mutex, &sum, n] {
        const std::lock_guard lock(mutex);
        sum += n * n;
        return n;
      }));
    const int last = tasks.back().join() + 1;
    const std::lock_guard lock(mutex);
    sum += last * last;
  }  // the others are joined here
  std::printf("%d\n", sum);
  return weft_stop() != 0;
}
