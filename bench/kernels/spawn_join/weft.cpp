// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many spawns, then as many joins in the order of the spawns, of Weft tasks.
#include "harness/weft.hpp"

#include "config.hpp"

using namespace weft::bench;

namespace {

struct work {
  int64_t* slot;
  int64_t value;
};

void* run(void* arg) {
  const work& mine = *static_cast<const work*>(arg);
  *mine.slot = mine.value;
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick ? total_quick : total_full;
  answers results;
  std::vector<work> args;
  for (int64_t i = 0; i < batch; ++i) args.push_back({results.slot(i), i + 1});
  std::vector<weft_task_t> tasks(args.size());
  measure_both(out, [&] {
    return sample_batches(out, results, total, [&] {
      for (size_t i = 0; i < args.size(); ++i) {
        must(weft_task_spawn(run, &args[i], &tasks[i]), "weft_task_spawn");
      }
      for (const weft_task_t task : tasks) must(weft_task_join(task, nullptr), "weft_task_join");
    });
  });
  return out.finish();
}
