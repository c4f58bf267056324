// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Homogeneous task spawn by any runtime whose adapter offers leaves.
#include BENCH_ADAPTER

#include "workload.hpp"

using namespace weft::bench;

namespace {

struct job {
  spawn_loop* of;
  int64_t i;

  static void run(void* arg) {
    const job& mine = *static_cast<const job*>(arg);
    mine.of->work(mine.i);
  }
};

std::vector<job> jobs_of(spawn_loop& loop) {
  std::vector<job> jobs;
  for (int64_t i = 0; i < loop.tasks(); ++i) jobs.push_back({&loop, i});
  return jobs;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "us/op");
  spawn_loop loop(out);
  std::vector<job> jobs = jobs_of(loop);
  std::vector<leaf> leaves(jobs.size());
  const auto sample = [&] {
    return loop.sample(out, [&] {
      uint32_t worker = 0;
      for (size_t i = 0; i < jobs.size(); ++i) {
        leaves[i].spawn_on<job::run>(worker, &jobs[i]);
        if (++worker == out.opt().workers) worker = 0;
      }
      for (leaf& l : leaves) l.join();
    });
  };
  measure(out, sample, queues::own);
  loop.note(out);
  return out.finish();
}
