// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many spawns, then as many joins in the order of the spawns, of threads of the operating system.
#include <pthread.h>

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
  const int64_t total = out.opt().quick ? os_total_quick : os_total_full;
  answers results;
  std::vector<work> args;
  for (int64_t i = 0; i < batch; ++i) args.push_back({results.slot(i), i + 1});
  std::vector<pthread_t> threads(args.size());
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  while (out.more()) {
    out.add(sample_batches(out, results, total, [&] {
      for (size_t i = 0; i < args.size(); ++i) {
        if (pthread_create(&threads[i], &attributes, run, &args[i]) != 0)
          die("pthread_create failed");
      }
      for (const pthread_t thread : threads) pthread_join(thread, nullptr);
    }));
  }
  pthread_attr_destroy(&attributes);
  out.note("the system schedules them on the processors allowed");
  return out.finish();
}
