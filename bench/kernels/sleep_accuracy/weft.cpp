// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Weft task that sleeps again and again.
#include "harness/weft.hpp"

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "us");
  const int64_t sleeps = out.opt().quick ? sleeps_quick : sleeps_full;
  measure(out, [&] {
    return lateness_us(
        out, sleeps, [] { return weft_time_now_ns(); },
        [](int64_t deadline_ns) {
          must(weft_task_sleep_until(deadline_ns), "weft_task_sleep_until");
        });
  });
  return out.finish();
}
