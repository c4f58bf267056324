// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philosophers that are tasks of weft.hpp, forks that are its mutexes under the guards of std.
#include "harness/weft_cpp.hpp"

#include <mutex>
#include <vector>

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick ? meals_quick : meals_full;
  measure(out, [&] {
    const int64_t meals = total / philosophers;
    table shared;
    std::vector<weft::mutex> forks(static_cast<size_t>(philosophers));
    std::vector<weft::task<void>> all;
    const stopwatch watch;
    for (int64_t who = 0; who < philosophers; ++who)
      all.push_back(weft::spawn([&, who] {
        weft::mutex& first = forks[static_cast<size_t>(table::lower(who))];
        weft::mutex& second = forks[static_cast<size_t>(table::upper(who))];
        for (int64_t i = 0; i < meals; ++i) {
          {
            const std::lock_guard has_first(first);
            const std::lock_guard has_second(second);
            shared.eat(who);
          }
          weft::this_task::yield();
        }
      }));
    for (auto& philosopher : all) philosopher.join();
    const double sample = watch.ns() / static_cast<double>(meals * philosophers);
    shared.check(out, meals);
    return sample;
  });
  return out.finish();
}
