// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranking integer keys with the sizes, the keys and the verification of the benchmark IS of the NAS
// Parallel Benchmarks (Bailey and others, RNR-94-007, section 2.4.6; classes W to B as in its later
// reports).
//
// Keys are dealt out to buckets by their upper bits, each bucket is ranked by counting: the pieces
// that count and deal, and the buckets, are the iterations of three loops. Their bodies are not
// inlined: so all programs run the same code, and what is compared is how it is divided. What they
// need of the object they keep in locals.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/placed_array.hpp"
#include "harness/report.hpp"

namespace weft::bench {

struct is_class {
  char name;
  int keys_log2;
  int values_log2;
  // Which keys are looked at in each ranking, and their ranks, but for the number of the ranking,
  // which is added to some and taken from the others.
  std::array<int64_t, 5> index;
  std::array<int64_t, 5> rank;
  std::array<int, 5> sign;
  int offset;  // added to the number of the ranking
};

// clang-format off
inline constexpr is_class is_classes[] = {
    {'s', 16, 11, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463},
     {1, 1, 1, -1, -1}, 0},
    {'w', 20, 16, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018},
     {1, 1, -1, -1, -1}, 0},
    {'a', 23, 19, {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264},
     {1, 1, 1, -1, -1}, -1},
    {'b', 25, 21, {41869, 812306, 5102857, 18232239, 26860214}, {33422937, 10244, 59149, 33135281, 99},
     {-1, 1, 1, -1, 1}, 0}};
// clang-format on

// The generator of the benchmarks: x = 5^13 x mod 2^46, as a number in (0, 1).
class nas_random {
 public:
  double next() {
    state_ = state_ * 1220703125u & ((uint64_t{1} << 46) - 1);
    return static_cast<double>(state_) / static_cast<double>(uint64_t{1} << 46);
  }

 private:
  uint64_t state_ = 314159265;
};

class ranking {
 public:
  static constexpr int rankings = 10;

  explicit ranking(const report& out)
      : of_(find(out.kernel().back())),
        n_(int64_t{1} << of_.keys_log2),
        values_(int64_t{1} << of_.values_log2),
        shift_(of_.values_log2 - buckets_log2),
        times_(out.opt().quick ? 2 : rankings),
        pieces_(std::max<int64_t>(1, n_ >> 16) * 4),
        keys_(static_cast<size_t>(n_), 0, 0),
        first_(keys_.size(), 1, 0),
        dealt_(keys_.size(), 2, 0),
        below_(static_cast<size_t>(values_), 3, 0),
        counts_(static_cast<size_t>(pieces_) * buckets, 4, 0) {
    nas_random random;
    for (uint32_t& k : first_) {
      double sum = random.next();
      for (int i = 0; i < 3; ++i) sum += random.next();
      k = static_cast<uint32_t>(static_cast<double>(values_ / 4) * sum);
    }
  }

  // Seconds of so many rankings.
  template <class Loops>
  double sample(report& out, Loops& by) {
    std::copy(first_.begin(), first_.end(), keys_.begin());
    rank(by);  // one that does not count, as the benchmark has it
    int64_t wrong = 0;
    double seconds = 0;
    for (int64_t t = 1; t <= times_; ++t) {
      keys_[static_cast<size_t>(t)] = static_cast<uint32_t>(t);
      keys_[static_cast<size_t>(t + rankings)] = static_cast<uint32_t>(values_ - t);
      const stopwatch watch;
      rank(by);
      seconds += watch.seconds();
      for (size_t i = 0; i < of_.index.size(); ++i) {
        const int64_t key = keys_[static_cast<size_t>(of_.index[i])];
        const int64_t due = of_.rank[i] + of_.sign[i] * (t + w_shift(i));
        if (key > 0 && below_[static_cast<size_t>(key)] != due) ++wrong;
      }
    }
    out.check("wrong ranks", wrong, int64_t{0});
    out.check("keys out of order", out_of_order(), int64_t{0});
    return seconds;
  }

 private:
  static constexpr int buckets_log2 = 10;
  static constexpr size_t buckets = size_t{1} << buckets_log2;

  static const is_class& find(char name) {
    for (const is_class& c : is_classes)
      if (c.name == name) return c;
    die("no class of this name");
  }

  // Of class W the keys that are added to are two rankings late; of class A all are one late.
  int64_t w_shift(size_t i) const { return of_.name == 'w' && of_.sign[i] > 0 ? -2 : of_.offset; }

  // below_[k]: how many keys are less than k.
  template <class Loops>
  void rank(Loops& by) {
    by.each(pieces_, [this](int64_t piece) { count_piece(piece); });
    int64_t sum = 0;
    for (size_t b = 0; b < buckets; ++b) {
      starts_[b] = sum;
      for (int64_t piece = 0; piece < pieces_; ++piece) {
        int64_t& count = counts_[static_cast<size_t>(piece) * buckets + b];
        const int64_t here = count;
        count = sum;
        sum += here;
      }
    }
    starts_[buckets] = sum;
    by.each(pieces_, [this](int64_t piece) { deal_piece(piece); });
    by.each(static_cast<int64_t>(buckets), [this](int64_t b) { rank_bucket(b); });
  }

  [[gnu::noinline]] void count_piece(int64_t piece) {
    int64_t* const mine = &counts_[static_cast<size_t>(piece) * buckets];
    std::fill_n(mine, buckets, 0);
    const int64_t last = n_ * (piece + 1) / pieces_;
    const int shift = shift_;
    for (int64_t i = n_ * piece / pieces_; i < last; ++i)
      ++mine[keys_[static_cast<size_t>(i)] >> shift];
  }

  [[gnu::noinline]] void deal_piece(int64_t piece) {
    int64_t* const mine = &counts_[static_cast<size_t>(piece) * buckets];
    const int64_t last = n_ * (piece + 1) / pieces_;
    const int shift = shift_;
    for (int64_t i = n_ * piece / pieces_; i < last; ++i) {
      const uint32_t key = keys_[static_cast<size_t>(i)];
      dealt_[static_cast<size_t>(mine[key >> shift]++)] = key;
    }
  }

  [[gnu::noinline]] void rank_bucket(int64_t b) {
    const int64_t width = values_ / static_cast<int64_t>(buckets);
    int64_t* const mine = &below_[static_cast<size_t>(b * width)];
    std::fill_n(mine, width, 0);
    const int64_t first = starts_[static_cast<size_t>(b)];
    const int64_t last = starts_[static_cast<size_t>(b) + 1];
    for (int64_t i = first; i < last; ++i) ++mine[dealt_[static_cast<size_t>(i)] - b * width];
    int64_t sum = first;
    for (int64_t k = 0; k < width; ++k) {
      const int64_t here = mine[k];
      mine[k] = sum;
      sum += here;
    }
  }

  // The full verification: puts each key where its rank says, and looks at neighbours.
  int64_t out_of_order() const {
    std::vector<int64_t> next(below_.begin(), below_.end());
    std::vector<uint32_t> sorted(keys_.size());
    for (const uint32_t key : keys_) sorted[static_cast<size_t>(next[key]++)] = key;
    int64_t wrong = 0;
    for (size_t i = 1; i < sorted.size(); ++i) wrong += sorted[i - 1] > sorted[i] ? 1 : 0;
    return wrong;
  }

  const is_class& of_;
  const int64_t n_;
  const int64_t values_;
  const int shift_;  // of a key: its bucket
  const int64_t times_;
  const int64_t pieces_;
  placed_array<uint32_t> keys_;
  placed_array<uint32_t> first_;
  placed_array<uint32_t> dealt_;
  placed_array<int64_t> below_;
  placed_array<int64_t> counts_;
  std::array<int64_t, buckets + 1> starts_{};
};

}  // namespace weft::bench
