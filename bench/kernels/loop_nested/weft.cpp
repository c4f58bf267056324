// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop in a loop, by weft::par::loop.
#include "harness/weft.hpp"

#include <weft/par.hpp>

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "s");
  grid g(out);
  measure(out, [&] {
    return g.sample(out, [](int64_t rows, int64_t* cells) {
      weft::par::loop(int64_t{0}, rows, [=](int64_t i) {
        weft::par::loop(int64_t{0}, columns, [=](int64_t k) { ++cells[i * columns + k]; });
      });
    });
  });
  return out.finish();
}
