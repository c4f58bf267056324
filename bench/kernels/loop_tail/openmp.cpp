// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The unbalanced loop, by OpenMP's parallel for: the schedule that is best in trials counts. The
// trials do not.
#include <omp.h>

#include "config.hpp"

using namespace weft::bench;

namespace {

struct tried {
  const char* name;
  omp_sched_t kind;
  int chunk;
  std::vector<double> samples{};
};

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "s");
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(out.opt().workers));
  tail_loop loop(out);
  tried all[] = {{"static", omp_sched_static, 0},
                 {"dynamic", omp_sched_dynamic, 1},
                 {"dynamic 16", omp_sched_dynamic, 16},
                 {"guided", omp_sched_guided, 1}};
  const auto sample = [&](const tried& t) {
    omp_set_schedule(t.kind, t.chunk);
    return loop.sample(out, [](int64_t n, uint64_t* results) {
#pragma omp parallel for schedule(runtime)
      for (int64_t i = 0; i < n; ++i) results[i] = iterate(i, n);
    });
  };
  sample(all[0]);
  // As loops/measure.hpp has it: the trials have a clock of their own, and so have the samples.
  repeat_in_time((out.opt().runs + 1) / 2, [&] {
    for (tried& t : all) t.samples.push_back(sample(t));
  });
  const tried* best = &all[0];
  for (const tried& t : all) {
    out.note(std::string(t.name) + " " + figure(median(t.samples)));
    if (median(t.samples) < median(best->samples)) best = &t;
  }
  out.note(std::string(best->name) + ", the best of these trials");
  repeat_in_time(out.opt().runs, [&] { out.add(sample(*best)); });
  return out.finish();
}
