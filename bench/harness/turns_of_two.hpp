// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads that take turns: each waits at its own gate, takes its turn, and posts the other's.
#pragma once

#include <cstdint>

namespace weft::bench {

// Gate: wait() and post(). Turns: take(me), by the one whose turn it is.
template <class Gate, class Turns>
struct pair_of {
  Gate gates[2];
  Turns shared;
  int64_t each = 0;
};

template <class Pair>
struct player_of {
  Pair* both;
  int64_t me;

  void play() const {
    for (int64_t i = 0; i < both->each; ++i) {
      both->gates[me].wait();
      both->shared.take(me);
      both->gates[1 - me].post();
    }
  }
  // The same as a thread's function.
  static void* run(void* player) {
    static_cast<const player_of*>(player)->play();
    return nullptr;
  }
};

}  // namespace weft::bench
