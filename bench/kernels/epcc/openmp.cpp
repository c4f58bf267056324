// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constructs of OpenMP, each alone.
#include "harness/openmp.hpp"

#include <omp.h>

#include "config.hpp"

using namespace weft::bench;

namespace {

uint32_t me() { return static_cast<uint32_t>(omp_get_thread_num()); }

void parallel(work& w) {
  for (int64_t i = 0; i < w.constructs(); ++i) {
#pragma omp parallel default(none) shared(w)
    w.add(me());
  }
}

void loop(work& w) {
#pragma omp parallel default(none) shared(w)
  for (int64_t i = 0; i < w.constructs(); ++i) {
#pragma omp for
    for (uint32_t k = 0; k < w.workers(); ++k) w.add(me());
  }
}

void barrier(work& w) {
#pragma omp parallel default(none) shared(w)
  for (int64_t i = 0; i < w.constructs(); ++i) {
    w.add(me());
#pragma omp barrier
  }
}

void single(work& w) {
#pragma omp parallel default(none) shared(w)
  for (int64_t i = 0; i < w.constructs(); ++i) {
#pragma omp single
    w.add(me());
  }
}

void critical(work& w) {
#pragma omp parallel default(none) shared(w)
  for (int64_t i = 0; i < w.share(); ++i) {
#pragma omp critical
    w.add(0);
  }
}

void reduction(work& w) {
  for (int64_t i = 0; i < w.constructs(); ++i) {
    int64_t sum = 0;
#pragma omp parallel default(none) shared(w) reduction(+ : sum)
    {
      w.add(me());
      sum += 1;
    }
    w.add_sum(sum);
  }
}

void task(work& w) {
#pragma omp parallel default(none) shared(w)
  for (int64_t i = 0; i < w.constructs(); ++i) {
#pragma omp task default(none) shared(w)
    w.add(me());
  }
}

void taskwait(work& w) {
#pragma omp parallel default(none) shared(w)
  for (int64_t i = 0; i < w.constructs(); ++i) {
#pragma omp task default(none) shared(w)
    w.add(me());
#pragma omp taskwait
  }
}

void nested(work& w) {
  for (int64_t i = 0; i < w.constructs(); ++i) {
#pragma omp parallel default(none) shared(w)
    {
      const uint32_t outer = me();
#pragma omp parallel default(none) shared(w) firstprivate(outer)
      w.add(outer, me());
    }
  }
}

constexpr construct all[] = {
    {"parallel", parallel}, {"for", loop},          {"barrier", barrier},
    {"single", single},     {"critical", critical}, {"reduction", reduction},
    {"task", task},         {"taskwait", taskwait}, {"nested", nested}};

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  if (work::is("nested")) allow_nesting();
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(out.opt().workers));
  work w(out);
  const auto run = chosen(all);
  w.fit(out, run);
  while (out.more()) out.add(w.sample(out, run));
  return out.finish();
}
