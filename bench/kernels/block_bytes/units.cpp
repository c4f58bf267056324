// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a blocked thread on a stack of 64 KiB, by any runtime whose adapter offers units. Each
// waits for a semaphore of its own, which was made before and is not counted.
#include BENCH_ADAPTER

#include <atomic>

#include "config.hpp"
#include "harness/memory.hpp"

using namespace weft::bench;

namespace {

std::atomic<size_t> blocking{0};
std::atomic<size_t> woken{0};
const memory_guard guard;

struct sleeper {
  unit_semaphore wake;
  unit self;
};

template <bool Deep>
void run(void* arg) {
  if (Deep) go_deep();
  guard.look(blocking.fetch_add(1));
  static_cast<sleeper*>(arg)->wake.wait();
  if (Deep) go_deep();
  guard.look(woken.fetch_add(1));
}

// Lets every unit block, gives the memory that is held then, and wakes and joins them.
template <bool Deep>
int64_t bytes_while_blocked(report& out, std::vector<sleeper>& all) {
  blocking = 0;
  woken = 0;
  uint32_t worker = 0;
  for (sleeper& s : all) {
    s.self.spawn_on<run<Deep>>(worker, &s);
    if (++worker == out.opt().workers) worker = 0;
  }
  while (blocking.load() < all.size()) yield();
  const int64_t bytes = resident_bytes();
  out.check("units woken too early", woken.load(), size_t{0});
  for (sleeper& s : all) s.wake.post();
  for (sleeper& s : all) s.self.join();
  out.check("units woken", woken.load(), all.size());
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "bytes/task");
  const int64_t count = units_at_once(out.opt().quick ? threads / quick_divisor : threads);
  unit_stack_bytes = block_stack_bytes;
  in_runtime(out.opt().workers, queues::own, [&] {
    std::vector<sleeper> all(static_cast<size_t>(count));
    const int64_t before = resident_bytes();
    if (warm) bytes_while_blocked<true>(out, all);
    const int64_t blocked = bytes_while_blocked<false>(out, all);
    out.add(static_cast<double>(blocked - before) / static_cast<double>(count));
  });
  out.note(std::string(how) + "; " + std::to_string(count) + " blocked at once");
  return out.finish();
}
