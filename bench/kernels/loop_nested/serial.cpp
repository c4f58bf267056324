// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop in a loop, by one thread.
#include "harness/serial.hpp"

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "s");
  grid g(out);
  measure(out, [&] {
    return g.sample(out, [](int64_t rows, int64_t* cells) {
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < columns; ++k) ++cells[i * columns + k];
    });
  });
  return out.finish();
}
