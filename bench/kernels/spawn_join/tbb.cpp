// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many spawns, then one wait for all, of oneTBB tasks.
#include "harness/tbb.hpp"

#include <tbb/task_group.h>

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick ? total_quick : total_full;
  answers results;
  measure(out, [&] {
    return sample_batches(out, results, total, [&] {
      tbb::task_group group;
      for (int64_t i = 0; i < batch; ++i) {
        int64_t* const slot = results.slot(i);
        group.run([slot, i] { *slot = i + 1; });
      }
      group.wait();
    });
  });
  return out.finish();
}
