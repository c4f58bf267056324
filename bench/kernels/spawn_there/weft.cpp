// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task is spawned to another worker, which waits for work, and its first store is seen by the
// spawner: a way there and a way back. The note has what two bare exchanges take between the same
// two threads, measured in between: one line there and back, and a line there while another one
// comes back. The second is what no spawn can do without, for each side watches a line of its own;
// who is handed the line that it answers with has it for writing already, which makes the first so
// cheap.
#include "harness/weft.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
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

// Where the question stands, and where the answer: on one line, or on two.
struct exchange {
  std::atomic<int64_t>& there;
  std::atomic<int64_t>& back;
};

// Odd: a question; even: its answer.
void* play_back(void* arg) {
  const auto& e = *static_cast<exchange*>(arg);
  for (int64_t i = 0; i < rounds; ++i) {
    wait_for(e.there, 2 * i + 1);
    e.back.store(2 * i + 2, std::memory_order_release);
  }
  return nullptr;
}

double exchange_slice(exchange e, const weft_spawn_t& how) {
  weft_task_t partner = nullptr;
  must(weft_task_spawn_with(play_back, &e, &how, &partner), "weft_task_spawn_with");
  e.there.store(1, std::memory_order_release);
  wait_for(e.back, 2);  // it has begun
  const stopwatch watch;
  for (int64_t i = 1; i < rounds; ++i) {
    e.there.store(2 * i + 1, std::memory_order_release);
    wait_for(e.back, 2 * i + 2);
  }
  const double ns = watch.ns() / static_cast<double>(rounds - 1);
  must(weft_task_join(partner, nullptr), "weft_task_join");
  return ns;
}

// What bare exchanges take, and how many times that the spawns beside each took.
struct bare {
  std::vector<double> ns;
  std::vector<double> ratios;

  void add(double exchange_ns, double spawn_ns) {
    ns.push_back(exchange_ns);
    ratios.push_back(spawn_ns / exchange_ns);
  }
  std::string text() const { return figure(median(ns)) + " ns; ratio " + figure(median(ratios)); }
};

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
  bare one_line;
  bare two_lines;
  int64_t spawned = 0;
  while (out.more()) {
    std::vector<double> spawns;
    for (int64_t i = 0; i < slices; ++i) {
      line there;
      line back;
      const double one = exchange_slice({there.value, there.value}, how);
      there.value.store(0, std::memory_order_relaxed);
      const double two = exchange_slice({there.value, back.value}, how);
      spawns.push_back(spawn_slice(answers, how));
      spawned += rounds;
      one_line.add(one, spawns.back());
      two_lines.add(two, spawns.back());
    }
    out.add(median(spawns));
  }
  out.check("answers", answers.value.load(), spawned);
  out.note("a line there and back " + one_line.text() + "; one there, another back " +
           two_lines.text());
  stop(out);
  return out.finish();
}
