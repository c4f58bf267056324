// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of GLT, which calls one of several libraries of threads: ULTs, or tasklets for those that
// never wait.
//
// As in its test/basic/basic.c and test/performance/main.c, linked to its shared library: the other
// form, all of its sources included, is C and does not compile as C++. glt_ult_free waits and
// frees, over every library.
#pragma once

#include <cstdlib>
#include <glt.h>
#include <string>

#include "adapters/queues.hpp"
#include "harness/report.hpp"

namespace weft::bench {

inline constexpr const char* how = "from the main thread";

template <class Body>
void in_runtime(uint32_t workers, queues /*kind*/, Body body) {
  setenv("GLT_NUM_THREADS", std::to_string(workers).c_str(), 1);
  glt_init(0, nullptr);
  if (glt_get_num_threads() != static_cast<int>(workers))
    die("GLT gives another number of threads");
  body();
  glt_finalize();
}

class unit {
 public:
  template <void (*Run)(void*)>
  void spawn(void* arg) {
    glt_ult_create(Run, arg, &self_);
  }

  template <void (*Run)(void*)>
  void spawn_on(uint32_t worker, void* arg) {
    glt_ult_create_to(Run, arg, &self_, static_cast<int>(worker));
  }

  void join() { glt_ult_free(&self_); }

 private:
  GLT_ult self_{};
};

class leaf {
 public:
  template <void (*Run)(void*)>
  void spawn_on(uint32_t worker, void* arg) {
    glt_tasklet_create_to(Run, arg, &self_, static_cast<int>(worker));
  }

  void join() { glt_tasklet_free(&self_); }

 private:
  GLT_tasklet self_{};
};

}  // namespace weft::bench

#include "adapters/units.hpp"
