// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of qloop.h: a task for each iteration, or an even part for each worker.
#include "loop.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <qthread/qloop.h>

namespace weft::qt {

namespace {

// A range of which each iteration gets a task: whoever runs gives the upper half away until one is
// left.
struct spread {
  qt_loop_f func;
  void* arg;
  task_group* group;
  std::size_t from, to;

  static aligned_t run(void* given) {
    spread s = *static_cast<spread*>(given);
    s.go_on();
    return 0;
  }

  void go_on() noexcept {
    while (to - from > 1) {
      spread upper = *this;
      upper.from = from + (to - from) / 2;
      if (!group->fork(run, upper)) break;
      to = upper.from;
    }
    for (; from < to; ++from) func(from, from + 1, arg);  // one, or what could not be forked
  }
};

void each_in_a_task(std::size_t start, std::size_t stop, qt_loop_f func, void* arg) noexcept {
  if (start >= stop) return;
  {
    const stays_on here;
    task_group group;
    spread all{func, arg, &group, start, stop};
    if (!group.fork(spread::run, all)) all.go_on();
    group.wait();
  }
  end_where_team_is_over();
}

void balanced(std::size_t start, std::size_t stop, qt_loop_f func, void* arg) noexcept {
  if (start >= stop) return;
  for_parts(start, stop, parts_of(stop - start),
            [&](std::size_t, std::size_t from, std::size_t to) { func(from, to, arg); });
  end_where_team_is_over();
}

// begin_as_out: what each part's value is before func gets it is what the caller put into out, else
// undefined.
void accumulate_parts(std::size_t start, std::size_t stop, std::size_t size, void* out,
                      qt_loopr_f func, void* arg, qt_accum_f acc, bool begin_as_out) noexcept {
  if (start == stop) return func(start, stop, arg, out);  // which says what the value of none is
  if (start > stop) return;
  std::size_t parts = parts_of(stop - start);
  const std::size_t stride = (size + 63) / 64 * 64;
  std::unique_ptr<std::byte[]> values;
  if (parts > 1) values.reset(new (std::nothrow) std::byte[(stride + 1) * (parts - 1)]);
  if (values == nullptr) parts = 1;  // the caller does it alone
  const auto value_of = [&](std::size_t part) -> void* {
    return part == 0 ? out : &values[stride * (part - 1)];
  };
  // Whether func has returned: a eureka ends parts.
  const auto is_made = [&](std::size_t part) -> std::byte& {
    return values[stride * (parts - 1) + part - 1];
  };
  const stays_on here;  // with the values
  for (std::size_t i = 1; i < parts; ++i) is_made(i) = std::byte{0};
  for (std::size_t i = 1; begin_as_out && i < parts; ++i) std::memcpy(value_of(i), out, size);
  for_parts(start, stop, parts, [&](std::size_t part, std::size_t from, std::size_t to) {
    func(from, to, arg, value_of(part));
    if (part != 0) is_made(part) = std::byte{1};
  });
  for (std::size_t i = 1; i < parts; ++i)
    if (is_made(i) != std::byte{0}) acc(out, value_of(i));
}

void accumulated(std::size_t start, std::size_t stop, std::size_t size, void* out, qt_loopr_f func,
                 void* arg, qt_accum_f acc) noexcept {
  accumulate_parts(start, stop, size, out, func, arg, acc, false);
  end_where_team_is_over();
}

}  // namespace

}  // namespace weft::qt

namespace qt = weft::qt;

void qt_loop(size_t start, size_t stop, qt_loop_f func, void* argptr) {
  qt::each_in_a_task(start, stop, func, argptr);
}

void qt_loop_simple(size_t start, size_t stop, qt_loop_f func, void* argptr) {
  qt::each_in_a_task(start, stop, func, argptr);
}

void qt_loop_sv(size_t start, size_t stop, qt_loop_f func, void* argptr) {
  qt::each_in_a_task(start, stop, func, argptr);
}

void qt_loop_dc(size_t start, size_t stop, qt_loop_f func, void* argptr) {
  qt::each_in_a_task(start, stop, func, argptr);
}

void qt_loop_aligned(size_t start, size_t stop, qt_loop_f func, void* argptr) {
  qt::each_in_a_task(start, stop, func, argptr);
}

void qt_loop_sinc(size_t start, size_t stop, qt_loop_f func, void* argptr) {
  qt::each_in_a_task(start, stop, func, argptr);
}

void qt_loop_future(size_t start, size_t stop, qt_loop_f func, void* argptr) {
  qt::each_in_a_task(start, stop, func, argptr);
}

void qt_loop_step(size_t start, size_t stop, size_t stride, qt_loop_step_f func, void* argptr) {
  if (start >= stop || stride == 0) return;
  struct call {
    qt_loop_step_f func;
    void* arg;
  } what{func, argptr};
  const auto once = [](size_t, size_t, void* arg) {
    const auto* c = static_cast<call*>(arg);
    c->func(c->arg);
  };
  qt::each_in_a_task(0, (stop - start - 1) / stride + 1, once, &what);
}

void qt_loop_balance(size_t const start, size_t const stop, qt_loop_f const func, void* argptr) {
  qt::balanced(start, stop, func, argptr);
}

void qt_loop_balance_simple(size_t const start, size_t const stop, qt_loop_f const func,
                            void* argptr) {
  qt::balanced(start, stop, func, argptr);
}

void qt_loop_balance_sv(size_t const start, size_t const stop, qt_loop_f const func, void* argptr) {
  qt::balanced(start, stop, func, argptr);
}

void qt_loop_balance_dc(size_t const start, size_t const stop, qt_loop_f const func, void* argptr) {
  qt::balanced(start, stop, func, argptr);
}

void qt_loop_balance_aligned(size_t const start, size_t const stop, qt_loop_f const func,
                             void* argptr) {
  qt::balanced(start, stop, func, argptr);
}

void qt_loop_balance_sinc(size_t const start, size_t const stop, qt_loop_f const func,
                          void* argptr) {
  qt::balanced(start, stop, func, argptr);
}

void qt_loop_balance_future(size_t const start, size_t const stop, qt_loop_f const func,
                            void* argptr) {
  qt::balanced(start, stop, func, argptr);
}

void qt_loopaccum_balance(size_t const start, size_t const stop, size_t const size, void* out,
                          qt_loopr_f const func, void* argptr, qt_accum_f const acc) {
  qt::accumulated(start, stop, size, out, func, argptr, acc);
}

void qt_loopaccum_balance_sv(size_t const start, size_t const stop, size_t const size, void* out,
                             qt_loopr_f const func, void* argptr, qt_accum_f const acc) {
  qt::accumulated(start, stop, size, out, func, argptr, acc);
}

void qt_loopaccum_balance_dc(size_t const start, size_t const stop, size_t const size, void* out,
                             qt_loopr_f const func, void* argptr, qt_accum_f const acc) {
  qt::accumulated(start, stop, size, out, func, argptr, acc);
}

void qt_loopaccum_balance_sinc(size_t const start, size_t const stop, size_t const size, void* out,
                               qt_loopr_f const func, void* argptr, qt_accum_f const acc) {
  qt::accumulate_parts(start, stop, size, out, func, argptr, acc, true);
  qt::end_where_team_is_over();
}

void qt_parallel(qt_loop_f const func, unsigned int const threads, void* argptr) {
  const std::size_t n = threads != 0 ? threads : qt::parts_of(SIZE_MAX);
  qt::each_in_a_task(0, n, func, argptr);
}

void qt_parallel_for(qt_loop_f const func, size_t const iterations, void* argptr) {
  qt::balanced(0, iterations, func, argptr);
}
