// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RandomAccess of HPC Challenge: updates of words of a table in the order of a random sequence, in
// pieces that begin where the sequence is known by squaring. Pieces may lose updates of each other:
// at most 1 %.
#include BENCH_LOOPS

#include <array>
#include <vector>

#include "loops/measure.hpp"

using namespace weft::bench;

namespace {

constexpr int log2_full = 22;  // 32 MiB
constexpr int log2_quick = 18;
constexpr int64_t updates_each = 4;  // of each word, on average
constexpr int64_t pieces = 256;

// The next of the sequence: times x, modulo the polynomial x^63 + x^2 + x + 1 over two elements.
uint64_t after(uint64_t v) { return v << 1 ^ ((v >> 63) != 0 ? 7u : 0u); }

// The n'th of the sequence that begins with 1.
uint64_t element(int64_t n) {
  std::array<uint64_t, 64> squares;  // x^(2 k)
  uint64_t t = 1;
  for (uint64_t& s : squares) {
    s = t;
    t = after(after(t));
  }
  uint64_t v = 1;
  if (n == 0) return v;
  v = 2;
  for (int bit = 62 - __builtin_clzll(static_cast<uint64_t>(n)); bit >= 0; --bit) {
    uint64_t squared = 0;
    for (size_t k = 0; k < 64; ++k)
      if ((v >> k & 1) != 0) squared ^= squares[k];
    v = squared;
    if ((n >> bit & 1) != 0) v = after(v);
  }
  return v;
}

class table {
 public:
  explicit table(const report& out)
      : words_(size_t{1} << (out.opt().quick ? log2_quick : log2_full)),
        updates_(updates_each * static_cast<int64_t>(words_.size())) {
    uint64_t v = 1;
    for (int64_t i = 0; i < 1000; ++i, v = after(v))
      if (element(i) != v) die("the sequence is wrong");
  }

  template <class Loops>
  double sample(report& out, Loops& by) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] = i;
    const stopwatch watch;
    by.each(pieces, [this](int64_t p) { update(p); });
    const double s = watch.seconds();
    // The same updates by one thread undo all that were not lost.
    for (int64_t p = 0; p < pieces; ++p) update(p);
    int64_t wrong = 0;
    for (size_t i = 0; i < words_.size(); ++i) wrong += words_[i] == i ? 0 : 1;
    out.check("at most 1 % of the words wrong", wrong * 100 <= static_cast<int64_t>(words_.size()),
              true);
    return s;
  }

 private:
  void update(int64_t piece) {
    const int64_t first = updates_ / pieces * piece;
    uint64_t v = element(first);
    uint64_t* const to = words_.data();
    const uint64_t mask = words_.size() - 1;
    for (int64_t n = updates_ / pieces; n != 0; --n) {
      v = after(v);
      uint64_t* const word = &to[v & mask];
      // Plain loads and stores, which others may come between.
      __atomic_store_n(word, __atomic_load_n(word, __ATOMIC_RELAXED) ^ v, __ATOMIC_RELAXED);
    }
  }

  std::vector<uint64_t> words_;
  int64_t updates_;
};

}  // namespace

int main(int argc, char** argv) {
  return loops_main<loops>(argc, argv, "s", [](report& out) { return table(out); });
}
