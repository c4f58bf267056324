// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A range of leaves, and the main program around every runtime's way to add them up.
#pragma once

#include "config.hpp"
#include "harness/report.hpp"

namespace weft::bench {

struct range {
  int64_t first;
  int64_t leaves;

  range child(int64_t i) const {
    const int64_t part = leaves / children;
    return {first + i * part, part};
  }
};

// add_up(range) gives the sum. The harness of the runtime comes before this file.
template <class AddUp>
int skynet_main(int argc, char** argv, AddUp add_up) {
  report out(argc, argv, "s");
  const int64_t leaves = out.opt().quick ? leaves_quick : leaves_full;
  measure(out, [&] {
    const stopwatch watch;
    const int64_t sum = add_up(range{0, leaves});
    const double sample = watch.seconds();
    out.check("sum", sum, leaves * (leaves - 1) / 2);
    return sample;
  });
  return out.finish();
}

}  // namespace weft::bench
