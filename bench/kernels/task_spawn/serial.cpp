// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The work of homogeneous task spawn, called one after the other.
#include "harness/serial.hpp"

#include "workload.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "us/op");
  spawn_loop loop(out);
  measure(out, [&] {
    return loop.sample(out, [&] {
      for (int64_t i = 0; i < loop.tasks(); ++i) loop.work(i);
    });
  });
  loop.note(out);
  return out.finish();
}
