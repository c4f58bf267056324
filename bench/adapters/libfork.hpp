// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libfork around its tasks, which are coroutines: each kernel has a source of its own.
#pragma once

#include <libfork.hpp>

#include "harness/report.hpp"

namespace weft::bench {

inline lf::lazy_pool* pool = nullptr;

// body runs outside: it enters by lf::sync_wait(*pool, task, ...).
template <class Body>
void measure(report& out, Body body) {
  lf::lazy_pool mine(out.opt().workers);
  pool = &mine;
  body();
  while (out.more()) out.add(body());
  out.note("entered from a thread outside");
}

}  // namespace weft::bench
