// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dining philosophers: each takes the fork of the lower number first, then the other, and eats.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t philosophers = 101;
inline constexpr int64_t meals_full = 2'000'000;  // of all together
inline constexpr int64_t meals_quick = 200'000;

// Who eats with each fork, and how often somebody did; under the fork's lock.
class table {
 public:
  static int64_t lower(int64_t who) { return who + 1 < philosophers ? who : 0; }
  static int64_t upper(int64_t who) { return who + 1 < philosophers ? who + 1 : who; }

  // Between the two locks and the two unlocks.
  void eat(int64_t who) {
    for (const int64_t f : {lower(who), upper(who)}) {
      fork& mine = forks_[static_cast<size_t>(f)];
      mine.used += mine.user == -1;
      mine.user = who;
    }
    for (const int64_t f : {lower(who), upper(who)}) {
      fork& mine = forks_[static_cast<size_t>(f)];
      if (mine.user != who) mine.used = -1;
      mine.user = -1;
    }
  }

  void check(report& out, int64_t meals_each) const {
    for (const fork& f : forks_) out.check("meals with a fork", f.used, 2 * meals_each);
  }

 private:
  struct fork {
    int64_t user = -1;
    int64_t used = 0;
  };
  std::vector<fork> forks_ = std::vector<fork>(static_cast<size_t>(philosophers));
};

}  // namespace weft::bench
