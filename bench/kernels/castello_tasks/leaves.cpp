// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task for each of 1,000 elements, by any runtime whose adapter offers units.
#include BENCH_ADAPTER

#include "config.hpp"

using namespace weft::bench;

namespace {

struct element {
  double* at;
  double a;
  leaf self;
};

void scale(void* arg) {
  const element& mine = *static_cast<const element*>(arg);
  *mine.at *= mine.a;
}

struct maker {
  element* first;
  element* last;
  uint32_t worker;
  unit self;
};

void make(void* arg) {
  const maker& mine = *static_cast<const maker*>(arg);
  for (element* e = mine.first; e != mine.last; ++e) e->self.spawn_on<scale>(mine.worker, e);
  for (element* e = mine.first; e != mine.last; ++e) e->self.join();
}

// Makes all itself, and deals them out.
void make_all(std::vector<element>& all, uint32_t workers) {
  uint32_t worker = 0;
  for (element& e : all) {
    e.self.spawn_on<scale>(worker, &e);
    if (++worker == workers) worker = 0;
  }
  for (element& e : all) e.self.join();
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "us");
  const uint32_t workers = out.opt().workers;
  std::vector<element> all(static_cast<size_t>(elements));
  std::vector<maker> makers(workers);
  for (uint32_t w = 0; w < workers; ++w) {
    makers[w].first = all.data() + share_begin(w, workers);
    makers[w].last = all.data() + share_begin(w + 1, workers);
    makers[w].worker = w;
  }
  const auto sample = [&] {
    return sample_scal(out, out.opt().quick ? rounds_quick : rounds_full, [&](double* x, double a) {
      for (element& e : all) {
        e.at = x++;
        e.a = a;
      }
      if (one_maker) return make_all(all, workers);
      for (maker& m : makers) m.self.spawn_on<make>(m.worker, &m);
      for (maker& m : makers) m.self.join();
    });
  };
  measure(out, sample, queues::own);
  return out.finish();
}
