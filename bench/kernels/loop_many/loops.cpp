// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hundred million iterations of about a nanosecond: what a schedule costs where it cannot look at
// each block. An iteration leaves a byte, so that the loop does not measure the memory.
#include BENCH_LOOPS

#include <algorithm>
#include <vector>

#include "loops/measure.hpp"

using namespace weft::bench;

namespace {

constexpr int64_t iterations_full = 100'000'000;
constexpr int64_t iterations_quick = 10'000'000;

// The upper byte of a multiplicative hash of i.
uint8_t byte_of(int64_t i) {
  return static_cast<uint8_t>((static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u) >> 56);
}

class many {
 public:
  explicit many(const report& out)
      : n_(out.opt().quick ? iterations_quick : iterations_full), bytes_(static_cast<size_t>(n_)) {}

  template <class Loops>
  double sample(report& out, Loops& by) {
    std::fill(bytes_.begin(), bytes_.end(), uint8_t{0});
    uint8_t* const to = bytes_.data();
    const stopwatch watch;
    by.each(n_, [to](int64_t i) {
      uint8_t byte = byte_of(i);
      asm("" : "+r"(byte));  // one at a time: a compiler would do many by one instruction
      to[i] = byte;
    });
    const double s = watch.seconds();
    int64_t wrong = 0;
    for (int64_t i = 0; i < n_; ++i) wrong += bytes_[static_cast<size_t>(i)] == byte_of(i) ? 0 : 1;
    out.check("wrong bytes", wrong, int64_t{0});
    return s;
  }

 private:
  int64_t n_;
  std::vector<uint8_t> bytes_;
};

}  // namespace

int main(int argc, char** argv) {
  return loops_main<loops>(argc, argv, "s", [](report& out) { return many(out); });
}
