// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a cache line takes from one processor to another: line_distance CPU_A CPU_B.
//
// Cores of a shared machine may be near or far from each other for whole periods, which moves every
// figure of two workers; the distance is printed in ns one way, as JSON.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

namespace {

constexpr int rounds = 2000;
constexpr int batches = 15;

alignas(128) std::atomic<int> turn{0};

void stay_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0) {
    std::fprintf(stderr, "bench_line_distance: processor %d cannot be used\n", cpu);
    std::exit(1);
  }
}

// Waits for my turn and hands it over; the line travels twice in a round.
void play(int me, int count) {
  for (int i = 0; i < count; ++i) {
    while (turn.load(std::memory_order_acquire) != me) {
    }
    turn.store(1 - me, std::memory_order_release);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_line_distance CPU_A CPU_B\n");
    return 2;
  }
  const int cpus[2] = {std::atoi(argv[1]), std::atoi(argv[2])};
  std::thread other([&] {
    stay_on(cpus[1]);
    play(1, rounds * (batches + 1));
  });
  stay_on(cpus[0]);
  play(0, rounds);  // warm-up
  std::vector<double> ns;
  for (int batch = 0; batch < batches; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    play(0, rounds);
    const auto end = std::chrono::steady_clock::now();
    ns.push_back(std::chrono::duration<double, std::nano>(end - start).count() / (2.0 * rounds));
  }
  other.join();
  std::sort(ns.begin(), ns.end());
  std::printf("{\"one_way_ns\": %.1f}\n", ns[ns.size() / 2]);
  return 0;
}
