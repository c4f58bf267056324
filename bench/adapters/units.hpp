// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of tasks need, made of the units of a runtime: threads that are started and joined.
//
// An adapter, bench/adapters/<runtime>.hpp, gives these in weft::bench and includes this file at
// its end:
//   in_runtime(workers, queues, body)   starts the runtime, runs body in it, stops it
//   unit      spawn<Run>(arg) lets Run(arg) run where the runtime likes; spawn_on<Run>(worker, arg)
//             hands it to one of the workers, where the runtime can; join() waits for it and frees
//             it
//   leaf      a unit that never waits, if the runtime has a cheaper one for that
//   yield(), unit_mutex { lock, unlock }, unit_semaphore { wait, post }: what units may call
//   how       one line for the report
// README.md here says what is asked of an adapter.
#pragma once

#include <memory>

#include "harness/report.hpp"

namespace weft::bench {

// Takes the samples inside the runtime, after one that is not counted.
template <class Body>
void measure(report& out, Body body, queues kind = queues::stolen) {
  in_runtime(out.opt().workers, kind, [&] {
    body();
    while (out.more()) out.add(body());
  });
  out.note(how);
}

template <class F>
void call(void* f) {
  (*static_cast<F*>(f))();
}

// Runs f() as a unit beside g().
template <class F, class G>
void both(F f, G g) {
  unit beside;
  beside.template spawn<call<F>>(&f);
  g();
  beside.join();
}

// Runs f(i) for each i below count as a unit, and waits for all.
template <class F>
void all(uint32_t count, F f) {
  struct indexed {
    void operator()() { (*f)(i); }
    F* f;
    uint32_t i;
    unit self;
  };
  static constexpr uint32_t few = 16;
  indexed here[few];
  const std::unique_ptr<indexed[]> many(count > few ? new indexed[count] : nullptr);
  indexed* const calls = count > few ? many.get() : here;
  for (uint32_t i = 0; i < count; ++i) {
    calls[i].f = &f;
    calls[i].i = i;
    calls[i].self.template spawn<call<indexed>>(&calls[i]);
  }
  for (uint32_t i = count; i-- > 0;) calls[i].self.join();
}

}  // namespace weft::bench
