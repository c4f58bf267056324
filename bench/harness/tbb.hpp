// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running the body of a benchmark inside a oneTBB arena of the wanted size.
#pragma once

#include <tbb/global_control.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#include "harness/report.hpp"

namespace weft::bench {

// More threads than processors must be allowed by both, the arena and the global limit.
class arena_of {
 public:
  explicit arena_of(uint32_t workers)
      : limit_(tbb::global_control::max_allowed_parallelism, workers),
        arena_(static_cast<int>(workers)) {}

  template <class Body>
  void execute(Body body) {
    arena_.execute(body);
  }

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};

template <class Body>
void in_arena(uint32_t workers, Body body) {
  arena_of(workers).execute(body);
}

template <class Body>
void measure(report& out, Body body) {
  in_arena(out.opt().workers, [&] {
    body();  // the first tasks bring the workers
    while (out.more()) out.add(body());
  });
  out.note("in an arena");
}

// Runs f() as a task beside g().
template <class F, class G>
void both(F f, G g) {
  tbb::parallel_invoke(f, g);
}

}  // namespace weft::bench
