// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of the operating system for each of 1,000 elements.
#include <pthread.h>

#include "config.hpp"

using namespace weft::bench;

namespace {

struct element {
  double* at;
  double a;
  pthread_t self;
};

void* scale(void* arg) {
  const element& mine = *static_cast<const element*>(arg);
  *mine.at *= mine.a;
  return nullptr;
}

struct maker {
  element* first;
  element* last;
  pthread_t self;
};

pthread_attr_t small_stack;

void spawn(pthread_t& out, void* (*run)(void*), void* arg) {
  if (pthread_create(&out, &small_stack, run, arg) != 0) die("pthread_create failed");
}

void* make(void* arg) {
  const maker& mine = *static_cast<const maker*>(arg);
  for (element* e = mine.first; e != mine.last; ++e) spawn(e->self, scale, e);
  for (element* e = mine.first; e != mine.last; ++e) pthread_join(e->self, nullptr);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "us");
  pthread_attr_init(&small_stack);
  pthread_attr_setstacksize(&small_stack, 64 * 1024);
  const int64_t workers = one_maker ? 1 : out.opt().workers;
  std::vector<element> all(static_cast<size_t>(elements));
  std::vector<maker> makers(static_cast<size_t>(workers));
  for (int64_t w = 0; w < workers; ++w) {
    maker& mine = makers[static_cast<size_t>(w)];
    mine.first = all.data() + share_begin(w, workers);
    mine.last = all.data() + share_begin(w + 1, workers);
  }
  const auto round = [&](double* x, double a) {
    for (element& e : all) {
      e.at = x++;
      e.a = a;
    }
    if (one_maker) {
      make(&makers[0]);
    } else {
      for (maker& m : makers) spawn(m.self, make, &m);
      for (const maker& m : makers) pthread_join(m.self, nullptr);
    }
  };
  while (out.more())
    out.add(sample_scal(out, out.opt().quick ? os_rounds_quick : os_rounds_full, round));
  pthread_attr_destroy(&small_stack);
  out.note("the system schedules them on the processors allowed");
  return out.finish();
}
