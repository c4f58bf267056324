// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Homogeneous task spawn by tbb::task_group.
#include "harness/tbb.hpp"

#include <tbb/task_group.h>

#include "workload.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "us/op");
  spawn_loop loop(out);
  measure(out, [&] {
    return loop.sample(out, [&] {
      tbb::task_group group;
      for (int64_t i = 0; i < loop.tasks(); ++i) group.run([&loop, i] { loop.work(i); });
      group.wait();
    });
  });
  loop.note(out);
  return out.finish();
}
