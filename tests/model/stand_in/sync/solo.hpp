// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What models have for src/sync/solo.hpp: a suite with a solo_world has restartable stores; in
// others no word is solo.
//
// A solo give() is a light fence, a look and a store; restart_others() is a heavy fence for which
// it waits until nobody is in one, and while which nobody begins one. What it makes visible of a
// store is not needed: an exchange follows. A thread is interrupted when the model likes.
#pragma once

#include <cstdint>

#include "model.hpp"

namespace weft::rt {

class solo_world {
 public:
  solo_world() { current = this; }
  ~solo_world() { current = nullptr; }
  solo_world(const solo_world&) = delete;
  solo_world& operator=(const solo_world&) = delete;

  inline static solo_world* current = nullptr;
  // Not the model's: they change between two of its steps.
  bool ending = false;
  bool restarting = false;
  int inside = 0;
  bool wavers = false;  // whether words that are locked anew may be solo changes all the time

 private:
  asymmetric_fences fences_;
};

class solo {
 public:
  static uint64_t forbidden() {
    const solo_world* const here = solo_world::current;
    return here == nullptr || (here->wavers && rl::rand(2) != 0) ? ~uint64_t{0} : 0;
  }
  static bool give(atomic<uint64_t>& word, uint64_t seen, uint64_t wanted) {
    solo_world& here = *solo_world::current;
    while (here.restarting) model::pause(0);
    ++here.inside;
    fence_light();
    const bool gives = word.load_relaxed() == seen && rl::rand(4) != 0;
    if (gives) word.store_release(wanted);
    --here.inside;
    return gives;
  }
};

class solo_end {
 public:
  solo_end() {
    while (world() != nullptr && world()->ending) model::pause(0);
    if (world() != nullptr) world()->ending = true;
  }
  ~solo_end() {
    if (world() != nullptr) world()->ending = false;
  }
  solo_end(const solo_end&) = delete;
  solo_end& operator=(const solo_end&) = delete;

  void restart_others() const {
    world()->restarting = true;
    while (world()->inside != 0) model::pause(0);
    fence_heavy();
    world()->restarting = false;
  }

 private:
  static solo_world* world() { return solo_world::current; }
};

}  // namespace weft::rt
