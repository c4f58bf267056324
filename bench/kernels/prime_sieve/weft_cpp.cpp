// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prime sieve with tasks and channels of weft.hpp.
#include "harness/weft_cpp.hpp"

#include <memory>
#include <optional>
#include <vector>

#include "timed.hpp"

using namespace weft::bench;

namespace {

using numbers = weft::channel<int64_t>;

int64_t sieve(int64_t limit) {
  std::vector<std::unique_ptr<numbers>> channels;
  std::vector<weft::task<void>> tasks;
  const auto add_channel = [&channels]() -> numbers& {
    return *channels.emplace_back(std::make_unique<numbers>());
  };
  numbers* in = &add_channel();
  tasks.push_back(weft::spawn([limit, &out = *in] {
    for (int64_t number = 2; number <= limit; ++number) out.send(number);
    out.close();
  }));
  int64_t sum = 0;
  while (const std::optional<int64_t> prime = in->receive()) {
    sum += *prime;
    numbers& next = add_channel();
    tasks.push_back(weft::spawn([from = in, &out = next, by = *prime] {
      for (const int64_t number : *from)
        if (number % by != 0) out.send(number);
      out.close();
    }));
    in = &next;
  }
  for (auto& t : tasks) t.join();
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "s");
  measure(out, timed(out, sieve));
  return out.finish();
}
