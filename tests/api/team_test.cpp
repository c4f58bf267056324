// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams: ranks, barriers, claims, broadcasts, loops that several tasks share, teams in teams.
// WEFT_TEST_AT_WORKERS
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <weft/team.h>

#include "support.hpp"
#include "support/started.hpp"

namespace weft::test {
namespace {

template <class F>
int run_team(uint32_t size, F f) {
  return weft_team_run(
      size, [](weft_team_member_t* me, void* arg) { (*static_cast<F*>(arg))(me); }, &f);
}

TEST(team, gives_each_member_a_rank_of_its_own) {
  for (const uint32_t size : {1u, 2u, 5u, 200u}) {
    std::vector<std::atomic<int>> seen(size);
    EXPECT_EQ(run_team(size,
                       [&](weft_team_member_t* me) {
                         EXPECT_EQ(weft_team_size(me), size);
                         ++seen.at(weft_team_rank(me));
                       }),
              0);
    for (const auto& s : seen) EXPECT_EQ(s, 1);
  }
}

TEST(team, refuses_what_makes_no_sense) {
  const auto nothing = [](weft_team_member_t*, void*) {};
  EXPECT_EQ(weft_team_run(0, nothing, nullptr), -EINVAL);
  EXPECT_EQ(weft_team_run((1u << 20) + 1, nothing, nullptr), -EINVAL);
  EXPECT_EQ(weft_team_run(1, nullptr, nullptr), -EINVAL);
  weft_team_t* team = nullptr;
  EXPECT_EQ(weft_team_create(0, &team), -EINVAL);
  EXPECT_EQ(weft_team_create(1, nullptr), -EINVAL);
  EXPECT_EQ(weft_team_enter(nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_team_leave(nullptr), -EINVAL);
  EXPECT_EQ(run_team(1,
                     [](weft_team_member_t* me) {
                       int x = 7;
                       const auto block = [](int64_t, int64_t, void*) { ADD_FAILURE(); };
                       weft_loop_t each = WEFT_LOOP_INIT;
                       each.schedule = WEFT_LOOP_EACH;
                       EXPECT_EQ(weft_team_broadcast(me, 1, &x, sizeof x), -EINVAL);
                       EXPECT_EQ(weft_team_broadcast(me, 0, nullptr, 1), -EINVAL);
                       EXPECT_EQ(weft_team_loop(me, 0, 9, 0, block, nullptr, nullptr), -EINVAL);
                       EXPECT_EQ(weft_team_loop(me, 0, 9, 1, nullptr, nullptr, nullptr), -EINVAL);
                       EXPECT_EQ(weft_team_loop(me, 0, 9, 1, block, nullptr, &each), -EINVAL);
                       EXPECT_EQ(weft_team_loop(me, 9, 0, 1, block, nullptr, nullptr), 0);
                     }),
            0);
  auto stackless = [&] {
    EXPECT_EQ(weft_team_run(2, nothing, nullptr), -EPERM);
    EXPECT_EQ(weft_team_run(1, nothing, nullptr), 0);
  };
  join(spawn(stackless, with_flags(WEFT_SPAWN_STACKLESS)));
}

TEST(team, larger_than_the_number_of_workers_meets_at_barriers) {
  constexpr uint32_t size = 100;
  std::vector<int> at(size, 0);  // plain: the barriers order it
  EXPECT_EQ(run_team(size,
                     [&](weft_team_member_t* me) {
                       const uint32_t rank = weft_team_rank(me);
                       int last = 0;
                       for (int round = 1; round <= 20; ++round) {
                         at[rank] = round;
                         last += weft_team_wait(me);
                         EXPECT_EQ(at[(rank + 1) % size], round);
                         EXPECT_GE(weft_team_wait(me), 0);
                       }
                       at[rank] = last;
                     }),
            0);
  int sum = 0;
  for (const int last : at) sum += last;
  EXPECT_EQ(sum, 20);
}

TEST(team, lets_one_member_claim_each_round_and_waits_for_nobody) {
  constexpr int rounds = 200;
  for (const uint32_t size : {1, 5}) {
    std::vector<std::atomic<int>> claimed(rounds);
    EXPECT_EQ(run_team(size,
                       [&](weft_team_member_t* me) {
                         for (auto& c : claimed) c += weft_team_claim(me);
                       }),
              0);
    for (const auto& c : claimed) EXPECT_EQ(c, 1);
  }
}

TEST(team, broadcasts_from_any_member) {
  struct message {
    uint32_t from;
    char text[500];
  };
  for (const uint32_t size : {1, 6}) {
    EXPECT_EQ(run_team(size,
                       [size](weft_team_member_t* me) {
                         for (uint32_t round = 0; round < 60; ++round) {
                           const uint32_t root = round % size;
                           message m{};
                           if (weft_team_rank(me) == root) {
                             m.from = round;
                             m.text[499] = 'x';
                           }
                           EXPECT_EQ(weft_team_broadcast(me, root, &m, sizeof m), 0);
                           EXPECT_EQ(m.from, round);
                           EXPECT_EQ(m.text[499], 'x');
                           EXPECT_EQ(weft_team_broadcast(me, root, nullptr, 0), 0);
                         }
                       }),
              0);
  }
}

constexpr size_t length = 500;

struct counts {
  std::atomic<int> of[length] = {};
};

void count_block(int64_t begin, int64_t end, void* arg) {
  for (int64_t i = begin; i < end; ++i) ++static_cast<counts*>(arg)->of[i];
}

TEST(team, shares_any_number_of_loops_at_any_pace) {
  constexpr size_t loops = 30;
  for (uint32_t schedule = WEFT_LOOP_DEFAULT; schedule < WEFT_LOOP_EACH; ++schedule) {
    const auto all = std::make_unique<counts[]>(loops);
    std::atomic<uint32_t> through{0};
    EXPECT_EQ(run_team(4,
                       [&](weft_team_member_t* me) {
                         weft_loop_t how = WEFT_LOOP_INIT;
                         how.schedule = schedule;
                         how.block = 3;
                         // One comes when the others have been through all.
                         if (weft_team_rank(me) == 3) {
                           EXPECT_TRUE(yield_until([&] { return through == 3; }));
                         }
                         for (size_t n = 0; n < loops; ++n)
                           EXPECT_EQ(weft_team_loop(me, 0, length, 1, count_block, &all[n], &how),
                                     0);
                         ++through;
                       }),
              0);
    for (size_t n = 0; n < loops; ++n)
      for (const auto& c : all[n].of) ASSERT_EQ(c, 1) << "loop " << n << ", schedule " << schedule;
  }
}

TEST(team, shares_loops_beside_barriers_claims_and_broadcasts) {
  for (const uint32_t size : {1, 3}) {
    std::vector<uint64_t> cells(1000, 0);  // plain: the barriers order it
    EXPECT_EQ(run_team(size,
                       [&](weft_team_member_t* me) {
                         for (uint64_t round = 0; round < 20; ++round) {
                           uint64_t add = 0;
                           if (weft_team_rank(me) == round % size) add = round;
                           EXPECT_EQ(weft_team_broadcast(me, round % size, &add, sizeof add), 0);
                           struct part {
                             std::vector<uint64_t>* cells;
                             uint64_t add;
                           } mine{&cells, add};
                           const auto body = [](int64_t b, int64_t e, void* arg) {
                             const part& p = *static_cast<part*>(arg);
                             for (int64_t i = b; i > e; i -= 2)
                               p.cells->at(static_cast<size_t>(i)) += p.add;
                           };
                           EXPECT_EQ(weft_team_loop(me, 999, -1, -2, body, &mine, nullptr), 0);
                           EXPECT_GE(weft_team_wait(me), 0);
                           if (weft_team_claim(me) == 1) ++cells[0];
                           EXPECT_GE(weft_team_wait(me), 0);
                         }
                       }),
              0);
    EXPECT_EQ(cells[0], 20u);
    for (size_t i = 1; i < cells.size(); ++i) EXPECT_EQ(cells[i], i % 2 == 1 ? 190u : 0u);
  }
}

TEST(team, stops_a_shared_loop_for_all) {
  uint32_t cancel = 1;
  for (const uint32_t size : {1, 3})
    EXPECT_EQ(run_team(size,
                       [&](weft_team_member_t* me) {
                         weft_loop_t how = WEFT_LOOP_INIT;
                         how.cancel = &cancel;
                         const auto body = [](int64_t, int64_t, void*) { ADD_FAILURE(); };
                         EXPECT_EQ(weft_team_loop(me, 0, 1000, 1, body, nullptr, &how), -ECANCELED);
                       }),
              0);
}

TEST(team, of_threads_outside_shares_loops) {
  for (const uint32_t schedule : {WEFT_LOOP_ADAPTIVE, WEFT_LOOP_BALANCED, WEFT_LOOP_GUIDED}) {
    weft_team_t* team = nullptr;
    ASSERT_EQ(weft_team_create(2, &team), 0);
    std::atomic<int64_t> sum{0};
    auto member = [&] {
      weft_team_member_t* me = nullptr;
      ASSERT_EQ(weft_team_enter(team, &me), 0);
      weft_loop_t how = WEFT_LOOP_INIT;
      how.schedule = schedule;
      const auto body = [](int64_t first, int64_t last, void* arg) {
        for (; first < last; ++first) *static_cast<std::atomic<int64_t>*>(arg) += first;
      };
      for (int i = 0; i < 10; ++i) EXPECT_EQ(weft_team_loop(me, 0, 1000, 1, body, &sum, &how), 0);
      EXPECT_GE(weft_team_wait(me), 0);
      EXPECT_EQ(weft_team_leave(me), 0);
    };
    std::thread one(member);
    std::thread other(member);
    one.join();
    other.join();
    EXPECT_EQ(sum, 10 * 499'500);
  }
}

TEST(team, runs_in_another_team) {
  std::atomic<int> inner{0};
  EXPECT_EQ(run_team(4,
                     [&](weft_team_member_t* outer) {
                       EXPECT_EQ(run_team(5,
                                          [&](weft_team_member_t* me) {
                                            EXPECT_GE(weft_team_wait(me), 0);
                                            inner += weft_team_claim(me);
                                          }),
                                 0);
                       EXPECT_GE(weft_team_wait(outer), 0);
                       EXPECT_EQ(inner, 4);
                     }),
            0);
}

TEST(team, takes_tasks_that_run_already_and_no_more_than_it_has_room_for) {
  weft_team_t* team = nullptr;
  ASSERT_EQ(weft_team_create(3, &team), 0);
  counts seen;
  std::atomic<int> refused{0};
  auto body = [&] {
    weft_team_member_t* me = nullptr;
    const int result = weft_team_enter(team, &me);
    if (result == -EBUSY) {
      ++refused;
      return;
    }
    ASSERT_EQ(result, 0);
    EXPECT_EQ(weft_team_loop(me, 0, length, 1, count_block, &seen, nullptr), 0);
    EXPECT_TRUE(yield_until([&] { return refused == 1; }));  // the team is there as long
    EXPECT_EQ(weft_team_leave(me), 0);
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(spawn(body));
  for (const weft_task_t t : tasks) join(t);
  for (const auto& c : seen.of) ASSERT_EQ(c, 1);
}

}  // namespace
}  // namespace weft::test
