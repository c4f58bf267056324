// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter under a mutex of the C library, by threads of the operating system.
#include <pthread.h>
#include <vector>

#include "config.hpp"
#include "harness/small_stacks.hpp"

using namespace weft::bench;

namespace {

struct counter {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int64_t per_thread = 0;
  int64_t count = 0;
};

void* count(void* arg) {
  counter& c = *static_cast<counter*>(arg);
  for (int64_t i = 0; i < c.per_thread; ++i) {
    pthread_mutex_lock(&c.mutex);
    c.count = c.count + 1;
    pthread_mutex_unlock(&c.mutex);
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t total = out.opt().quick ? locks_quick : locks_full;
  use_small_stacks();
  while (out.more()) {
    counter c;
    c.per_thread = total / threads;
    std::vector<pthread_t> all(threads);
    const stopwatch watch;
    for (pthread_t& t : all)
      if (pthread_create(&t, nullptr, count, &c) != 0) die("pthread_create failed");
    for (const pthread_t t : all) pthread_join(t, nullptr);
    out.add(watch.ns() / static_cast<double>(total));
    out.check("count", c.count, total);
  }
  out.note("the system schedules them on the processors allowed");
  return out.finish();
}
