// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest loop by units: each worker gets one with its part of the loop.
#include BENCH_ADAPTER

#include "config.hpp"

using namespace weft::bench;

namespace {

struct part {
  double* y;
  const double* x;
  double a;
  int64_t begin;
  int64_t end;
  leaf self;
};

void run(void* arg) {
  const part& p = *static_cast<const part*>(arg);
  for (int64_t i = p.begin; i < p.end; ++i) p.y[i] = p.a * p.x[i];
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t workers = out.opt().workers;
  std::vector<part> parts(static_cast<size_t>(workers));
  const auto sample = [&] {
    return sample_scal(out, [&](double* y, const double* x, double a, int64_t n) {
      for (int64_t w = 0; w < workers; ++w) {
        part& p = parts[static_cast<size_t>(w)];
        p.y = y;
        p.x = x;
        p.a = a;
        p.begin = n * w / workers;
        p.end = n * (w + 1) / workers;
        p.self.spawn_on<run>(static_cast<uint32_t>(w), &p);
      }
      for (part& p : parts) p.self.join();
    });
  };
  measure(out, sample, queues::own);
  return out.finish();
}
