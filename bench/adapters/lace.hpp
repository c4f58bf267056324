// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lace around its tasks, which are functions made by its macros: each kernel has a source of its
// own.
#pragma once

#include <lace.h>

#include "harness/report.hpp"

namespace weft::bench {

// body runs outside: it enters by RUN.
template <class Body>
void measure(report& out, Body body) {
  lace_start(out.opt().workers, 0);
  body();
  while (out.more()) out.add(body());
  lace_stop();
  out.note("entered from a thread outside");
}

}  // namespace weft::bench
