// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One unit for each worker, by any runtime whose adapter offers units.
#include BENCH_ADAPTER

#include "config.hpp"

using namespace weft::bench;

namespace {

struct work {
  mark* at;
  int64_t round;
  leaf self;
};

void run(void* arg) {
  const work& mine = *static_cast<const work*>(arg);
  mine.at->round = mine.round;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "us");
  std::vector<work> all(out.opt().workers);
  const auto sample = [&] {
    return sample_rounds(out, out.opt().quick ? rounds_quick : rounds_full,
                         [&](std::vector<mark>& marks, int64_t round) {
                           for (size_t i = 0; i < all.size(); ++i) {
                             all[i].at = &marks[i];
                             all[i].round = round;
                           }
                           const stopwatch watch;
                           for (size_t i = 0; i < all.size(); ++i)
                             all[i].self.spawn_on<run>(static_cast<uint32_t>(i), &all[i]);
                           const double made_ns = watch.ns();
                           for (work& w : all) w.self.join();
                           return shown_us(made_ns, watch.ns());
                         });
  };
  measure(out, sample, queues::own);
  return out.finish();
}
