// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread of the operating system for each worker.
#include <pthread.h>

#include "config.hpp"
#include "harness/small_stacks.hpp"

using namespace weft::bench;

namespace {

struct work {
  mark* at;
  int64_t round;
  pthread_t self;
};

void* run(void* arg) {
  const work& mine = *static_cast<const work*>(arg);
  mine.at->round = mine.round;
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "us");
  std::vector<work> all(out.opt().workers);
  const auto round = [&](std::vector<mark>& marks, int64_t n) {
    for (size_t i = 0; i < all.size(); ++i) all[i] = {&marks[i], n, {}};
    const stopwatch watch;
    for (work& w : all)
      if (pthread_create(&w.self, nullptr, run, &w) != 0) die("pthread_create failed");
    const double made_ns = watch.ns();
    for (const work& w : all) pthread_join(w.self, nullptr);
    return shown_us(made_ns, watch.ns());
  };
  use_small_stacks();
  while (out.more())
    out.add(sample_rounds(out, out.opt().quick ? os_rounds_quick : os_rounds_full, round));
  out.note("the system schedules them on the processors allowed");
  return out.finish();
}
