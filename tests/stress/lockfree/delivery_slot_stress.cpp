// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Senders beside an owner that watches now and then: what was delivered arrives once, whole, and in
// its sender's order. The last sender's items come as their addresses, the others' by value.
#include <array>
#include <atomic>
#include <cstddef>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "lockfree/delivery_slot.hpp"
#include "threads.hpp"

namespace {

struct alignas(8) item {  // plain: a thread sanitizer checks that who has it may touch it
  unsigned from = 0;
  int rank = 0;
  int again = 0;
};

TEST(DeliverySlot, what_is_delivered_arrives_once_in_the_order_of_its_sender) {
  constexpr unsigned senders = 3;
  constexpr int count = 20'000;  // tries of each
  weft::rt::delivery_slot<item, const item> slot;
  weft::rt::delivery_turn turn;
  std::atomic<unsigned> over{0};
  std::array<int, senders> delivered{};
  std::vector<item> places(count);  // the last sender's
  std::vector<std::thread> threads;
  for (unsigned s = 0; s < senders; ++s)
    threads.emplace_back([&, s] {
      int sent = 0;
      for (int i = 0; i < count; ++i) {
        const item next{s, sent, sent};
        if (s + 1 == senders) {
          item& there = places.at(static_cast<std::size_t>(sent));
          there = next;
          if (slot.deliver(&there)) ++sent;
        } else {
          const bool arrives = slot.deliver(turn, [&](item& it) {
            it = next;
            return i % 5 != 0;
          });
          if (arrives) ++sent;
        }
        weft::test::pause(static_cast<unsigned>(i));
      }
      delivered[s] = sent;
      ++over;
    });
  std::array<int, senders> arrived{};
  weft::test::dice dice{1};
  for (unsigned spun = 0; over != senders; ++spun) {
    slot.open();
    for (unsigned rest = dice.roll(20); rest > 0 && !slot.is_full(); --rest)
      weft::test::pause(rest);
    if (slot.close()) {
      const item* const elsewhere = slot.elsewhere();
      const item& it = elsewhere != nullptr ? *elsewhere : slot.item();
      ASSERT_EQ(it.rank, it.again);
      ASSERT_EQ(it.rank, arrived.at(it.from));
      ++arrived.at(it.from);
    }
    weft::test::pause(spun);
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(arrived, delivered);
}

}  // namespace
