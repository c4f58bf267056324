// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running the body of a benchmark without any runtime: what the work alone costs.
#pragma once

#include "harness/report.hpp"

namespace weft::bench {

template <class Body>
void measure(report& out, Body body) {
  if (out.opt().workers != 1) die("serial runs with one worker");
  body();
  while (out.more()) out.add(body());
}

template <class F, class G>
void both(F f, G g) {
  f();
  g();
}

}  // namespace weft::bench
