// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running the body of a benchmark inside an OpenMP parallel region, by one thread of the team; and
// regions in regions.
#pragma once

#include <cstdlib>
#include <omp.h>

#include "harness/report.hpp"

namespace weft::bench {

template <class Body>
void in_team(uint32_t workers, Body body) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  body();
}

// The first region makes the threads: one call of body that does not count.
template <class Body>
void measure(report& out, Body body) {
  omp_set_dynamic(0);
  in_team(out.opt().workers, body);
  while (out.more()) {
    in_team(out.opt().workers, [&] { out.add(body()); });
  }
  out.note("in a parallel region, single");
}

// Before any call of OpenMP's: a region may begin within another. LLVM's and Intel's runtimes,
// which ask for this as they start, keep the threads of inner teams from one region to the next
// only if they are told so.
inline void allow_nesting() {
  setenv("KMP_HOT_TEAMS_MAX_LEVEL", "2", 1);
  omp_set_max_active_levels(2);
}

// Runs f() as a task beside g().
template <class F, class G>
void both(F f, G g) {
#pragma omp task default(none) shared(f)
  f();
  g();
#pragma omp taskwait
}

}  // namespace weft::bench
