// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop in a loop by units: each worker gets one with its part of the rows, which for each of
// its rows makes as many for the columns as there are workers.
#include BENCH_ADAPTER

#include "config.hpp"

using namespace weft::bench;

namespace {

struct block {
  int64_t* cells;
  int64_t begin;
  int64_t end;
  leaf self;
};

void count(void* arg) {
  const block& b = *static_cast<const block*>(arg);
  for (int64_t k = b.begin; k < b.end; ++k) ++b.cells[k];
}

struct part {
  int64_t* cells;
  int64_t begin;
  int64_t end;
  uint32_t worker;
  std::vector<block>* inner;
  unit self;
};

void run(void* arg) {
  const part& p = *static_cast<const part*>(arg);
  std::vector<block>& inner = *p.inner;
  const int64_t blocks = static_cast<int64_t>(inner.size());
  for (int64_t i = p.begin; i < p.end; ++i) {
    for (int64_t w = 0; w < blocks; ++w) {
      block& b = inner[static_cast<size_t>(w)];
      b.cells = p.cells + i * columns;
      b.begin = columns * w / blocks;
      b.end = columns * (w + 1) / blocks;
      b.self.spawn_on<count>(p.worker, &b);
    }
    for (block& b : inner) b.self.join();
  }
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "s");
  const int64_t workers = out.opt().workers;
  grid g(out);
  std::vector<part> parts(static_cast<size_t>(workers));
  std::vector<std::vector<block>> inner(parts.size());
  for (std::vector<block>& blocks : inner) blocks.resize(parts.size());
  const auto sample = [&] {
    return g.sample(out, [&](int64_t rows, int64_t* cells) {
      for (int64_t w = 0; w < workers; ++w) {
        part& p = parts[static_cast<size_t>(w)];
        p.cells = cells;
        p.begin = rows * w / workers;
        p.end = rows * (w + 1) / workers;
        p.worker = static_cast<uint32_t>(w);
        p.inner = &inner[static_cast<size_t>(w)];
        p.self.spawn_on<run>(p.worker, &p);
      }
      for (part& p : parts) p.self.join();
    });
  };
  measure(out, sample, queues::own);
  return out.finish();
}
