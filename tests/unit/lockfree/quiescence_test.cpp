// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a double collect says of each state, and of what changes between its two looks; the races
// live in tests/model.
#include "lockfree/quiescence.hpp"

#include <gtest/gtest.h>

namespace {

struct workers {
  bool rest = true;
  bool empty = true;
  weft::rt::nap_count naps;
  weft::rt::rise_count risen;
  void (*between)(workers&) = nullptr;  // after the first look at the queues

  std::uint64_t rises() const { return risen.read(); }
  bool at_rest() const { return rest; }
  bool nap() const { return naps.any(); }
  bool holds_none() {
    const bool was_empty = empty;
    if (between != nullptr) between(*this);
    return was_empty;
  }
};

TEST(Quiescence, workers_at_rest_with_empty_queues_are) {
  EXPECT_TRUE(weft::rt::is_quiescent(workers()));
}

TEST(Quiescence, who_is_at_work_is_not) {
  workers w;
  w.rest = false;
  EXPECT_FALSE(weft::rt::is_quiescent(w));
}

TEST(Quiescence, a_queue_that_holds_something_is_not) {
  workers w;
  w.empty = false;
  EXPECT_FALSE(weft::rt::is_quiescent(w));
}

TEST(Quiescence, who_naps_is_not) {
  workers w;
  w.naps.begin();
  EXPECT_FALSE(weft::rt::is_quiescent(w));
  w.naps.end();
  EXPECT_TRUE(weft::rt::is_quiescent(w));
}

TEST(Quiescence, who_has_risen_and_rests_again_was_not) {
  workers w;
  w.between = [](workers& me) { me.risen.raise(); };
  EXPECT_FALSE(weft::rt::is_quiescent(w));
}

TEST(Quiescence, who_naps_by_the_second_look_is_not) {
  workers w;
  w.between = [](workers& me) { me.naps.begin(); };
  EXPECT_FALSE(weft::rt::is_quiescent(w));
}

TEST(Quiescence, who_goes_to_work_by_the_second_look_is_not) {
  workers w;
  w.between = [](workers& me) { me.rest = false; };
  EXPECT_FALSE(weft::rt::is_quiescent(w));
}

}  // namespace
