// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many spawns, then as many joins in the order of the spawns, of units that never wait, dealt out
// to the workers.
#include BENCH_ADAPTER

#include "config.hpp"

using namespace weft::bench;

namespace {

struct work {
  int64_t* slot;
  int64_t value;
};

void run(void* arg) {
  const work& mine = *static_cast<const work*>(arg);
  *mine.slot = mine.value;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick ? total_quick : total_full;
  const uint32_t workers = out.opt().workers;
  answers results;
  std::vector<work> args;
  for (int64_t i = 0; i < batch; ++i) args.push_back({results.slot(i), i + 1});
  std::vector<leaf> units(args.size());
  const auto sample = [&] {
    return sample_batches(out, results, total, [&] {
      uint32_t worker = 0;
      for (size_t i = 0; i < args.size(); ++i) {
        units[i].spawn_on<run>(worker, &args[i]);
        if (++worker == workers) worker = 0;
      }
      for (leaf& u : units) u.join();
    });
  };
  measure(out, sample, queues::own);
  return out.finish();
}
