// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two pushers, two takers that send a part back: every item arrives, in its pusher's order.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "lockfree/inbox.hpp"
#include "threads.hpp"

namespace {

struct letter {
  int from = 0;
  int number = 0;
  int hops = 0;  // plain: a thread sanitizer checks that the taker may touch it
  letter* next = nullptr;
};

using box_of_letters = weft::rt::inbox<letter, weft::rt::member_link<&letter::next>>;

TEST(Inbox, every_letter_arrives_after_its_hops) {
  constexpr int each = 30'000;
  constexpr int hops = 3;
  box_of_letters box;
  std::vector<letter> letters[2] = {std::vector<letter>(each), std::vector<letter>(each)};
  std::atomic<int> arrived{0};

  const auto push_all = [&](int who) {
    weft::test::dice dice{static_cast<std::uint64_t>(who) + 1};
    for (int i = 0; i < each;) {
      const int last = std::min<int>(each - 1, i + static_cast<int>(dice.roll(3)));
      for (int k = i; k < last; ++k) letters[who][k].next = &letters[who][k + 1];
      for (int k = i; k <= last; ++k) letters[who][k].number = k;
      box.push_chain(&letters[who][i], &letters[who][last]);
      i = last + 1;
    }
  };
  const auto take_all = [&] {
    while (arrived.load(std::memory_order_relaxed) < 2 * each) {
      letter* next = nullptr;
      for (letter* l = box.take_all(); l != nullptr; l = next) {
        next = l->next;
        if (++l->hops < hops) {
          box.push(l);
        } else {
          arrived.fetch_add(1, std::memory_order_relaxed);
        }
      }
      std::this_thread::yield();
    }
  };
  std::thread threads[] = {std::thread(push_all, 0), std::thread(push_all, 1),
                           std::thread(take_all), std::thread(take_all)};
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(arrived.load(), 2 * each);
  EXPECT_TRUE(box.empty());
  for (const auto& by_one : letters)
    for (const letter& l : by_one) ASSERT_EQ(l.hops, hops);
}

TEST(Inbox, one_taker_sees_each_pusher_in_order) {
  constexpr int each = 60'000;
  box_of_letters box;
  std::vector<letter> letters[2] = {std::vector<letter>(each), std::vector<letter>(each)};
  const auto push_all = [&](int who) {
    for (int i = 0; i < each; ++i) {
      letters[who][i].from = who;
      letters[who][i].number = i;
      box.push(&letters[who][i]);
    }
  };
  std::thread a(push_all, 0);
  std::thread b(push_all, 1);
  int expected[2] = {0, 0};
  bool in_order = true;
  while (expected[0] + expected[1] < 2 * each)
    for (letter* l = box.take_all(); l != nullptr; l = l->next)
      in_order = in_order && l->number == expected[l->from]++;
  a.join();
  b.join();
  EXPECT_TRUE(in_order);
}

}  // namespace
