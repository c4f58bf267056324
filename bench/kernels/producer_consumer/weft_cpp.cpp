// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Producers and consumers that are tasks of weft.hpp, with a channel of one place between them.
#include "harness/weft_cpp.hpp"

#include <array>

#include "config.hpp"

using namespace weft::bench;

namespace {

struct alignas(64) pair {
  weft::channel<int64_t> cell{1};
  int64_t sum = 0;
};

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t items = out.opt().quick ? items_quick : items_full;
  measure(out, [&] {
    std::array<pair, pairs> all;
    const stopwatch watch;
    {
      weft::group tasks;
      for (pair& p : all) {
        tasks.spawn([&p, items] {
          for (int64_t i = 1; i <= items; ++i) p.cell.send(i);
          p.cell.close();
        });
        tasks.spawn([&p] {
          for (const int64_t item : p.cell) p.sum += item;
        });
      }
      tasks.wait();
    }
    const double sample = watch.ns() / static_cast<double>(items * pairs);
    for (const pair& p : all) out.check("sum", p.sum, items * (items + 1) / 2);
    return sample;
  });
  return out.finish();
}
