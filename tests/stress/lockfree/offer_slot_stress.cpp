// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An owner that puts and takes beside two that only take: every item comes out once.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "lockfree/offer_slot.hpp"
#include "threads.hpp"

namespace {

struct item {
  int out = 0;  // plain: a thread sanitizer checks that who has it may touch it
};

TEST(OfferSlot, every_item_comes_out_once) {
  constexpr int count = 100'000;
  weft::rt::offer_slot<item> slot;
  std::vector<item> items(count);
  std::atomic<bool> over{false};
  const auto came_out = [](item* it) {
    if (it != nullptr) ++it->out;
  };
  const auto take = [&] {
    for (unsigned spun = 0; !over.load(std::memory_order_relaxed); ++spun) {
      came_out(slot.take());
      weft::test::pause(spun);
    }
  };
  std::thread takers[] = {std::thread(take), std::thread(take)};
  weft::test::dice dice{1};
  for (item& it : items) {
    came_out(slot.put(&it));
    if (dice.roll(3) == 0) came_out(slot.take());
  }
  over.store(true, std::memory_order_relaxed);
  for (std::thread& t : takers) t.join();
  came_out(slot.take());
  for (const item& it : items) ASSERT_EQ(it.out, 1);
}

}  // namespace
