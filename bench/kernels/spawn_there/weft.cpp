// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task is spawned to another worker, which waits for work, and its first store is seen by the
// spawner: a way there and a way back. The note has what a line takes there and back between the
// same two threads, measured in between.
#include "harness/weft.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

using namespace weft::bench;

namespace {

constexpr int64_t rounds = 200;  // in a slice; slices of both kinds alternate
constexpr int64_t slices_full = 200;
constexpr int64_t slices_quick = 40;
constexpr uint32_t there = 1;

struct alignas(128) line {
  std::atomic<int64_t> value{0};
};

void wait_for(const std::atomic<int64_t>& line, int64_t value) {
  while (line.load(std::memory_order_acquire) != value) {
  }
}

void* answer(void* arg) {
  static_cast<line*>(arg)->value.fetch_add(1, std::memory_order_release);
  return nullptr;
}

double spawn_slice(line& answers, const weft_spawn_t& how) {
  const int64_t before = answers.value.load(std::memory_order_relaxed);
  const stopwatch watch;
  for (int64_t i = 1; i <= rounds; ++i) {
    must(weft_task_spawn_with(answer, &answers, &how, nullptr), "weft_task_spawn_with");
    wait_for(answers.value, before + i);
  }
  return watch.ns() / static_cast<double>(rounds);
}

// Odd: here; even: there.
void* play_back(void* arg) {
  auto& turn = static_cast<line*>(arg)->value;
  for (int64_t i = 0; i < rounds; ++i) {
    wait_for(turn, 2 * i + 1);
    turn.store(2 * i + 2, std::memory_order_release);
  }
  return nullptr;
}

double line_slice(const weft_spawn_t& how) {
  line turn;
  weft_task_t partner = nullptr;
  must(weft_task_spawn_with(play_back, &turn, &how, &partner), "weft_task_spawn_with");
  turn.value.store(1, std::memory_order_release);
  wait_for(turn.value, 2);  // it has begun
  const stopwatch watch;
  for (int64_t i = 1; i < rounds; ++i) {
    turn.value.store(2 * i + 1, std::memory_order_release);
    wait_for(turn.value, 2 * i + 2);
  }
  const double ns = watch.ns() / static_cast<double>(rounds - 1);
  must(weft_task_join(partner, nullptr), "weft_task_join");
  return ns;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  if (out.opt().workers < 2) die("it takes two workers");
  const int64_t slices = out.opt().quick ? slices_quick : slices_full;
  start(out);
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.worker = there;
  how.flags = WEFT_SPAWN_STACKLESS;
  line answers;
  std::vector<double> pairs;
  std::vector<double> ratios;
  int64_t spawned = 0;
  while (out.more()) {
    std::vector<double> spawns;
    std::vector<double> lines;
    for (int64_t i = 0; i < slices; ++i) {
      lines.push_back(line_slice(how));
      spawns.push_back(spawn_slice(answers, how));
      spawned += rounds;
      ratios.push_back(spawns.back() / lines.back());
    }
    out.add(median(spawns));
    pairs.push_back(median(lines));
  }
  out.check("answers", answers.value.load(), spawned);
  out.note("a line there and back " + figure(median(pairs)) + " ns; ratio " +
           figure(median(ratios)));
  stop(out);
  return out.finish();
}
