// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The unbalanced loop, by one thread.
#include "harness/serial.hpp"

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "s");
  tail_loop loop(out);
  measure(out, [&] {
    return loop.sample(out, [](int64_t n, uint64_t* results) {
      for (int64_t i = 0; i < n; ++i) results[i] = iterate(i, n);
    });
  });
  return out.finish();
}
