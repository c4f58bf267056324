// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Publish after the switch: whoever sees a parked task finds it with its registers saved.
// WEFT_TEST_AT_WORKERS
#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

using hazard_publish_after_the_switch = at_workers;

// Values that a compiler keeps in registers and in the frame across a park.
class frame {
 public:
  explicit frame(uint64_t seed) {
    for (auto& w : words_) w = seed = seed * 6364136223846793005u + 1442695040888963407u;
    sum_ = sum();
  }
  bool intact() const { return sum() == sum_; }

 private:
  uint64_t sum() const {
    uint64_t s = 0;
    for (uint64_t w : words_) s = s * 31 + w;
    return s;
  }
  std::array<uint64_t, 24> words_{};
  uint64_t sum_ = 0;
};

TEST_F(hazard_publish_after_the_switch, a_resume_at_once_finds_the_whole_task) {
  // Each task resumes its partner and suspends: on two workers the partner's resume comes while the
  // task is on its way out.
  constexpr int pairs = 4;
  const int rounds = scaled(20'000);
  struct side {
    std::atomic<weft_task_t> partner{nullptr};
    std::atomic<int>* finished = nullptr;
    int rounds = 0;
    int broken = 0;
  };
  std::atomic<int> finished{0};
  std::array<side, 2 * pairs> sides;
  std::vector<weft_task_t> tasks;
  for (auto& s : sides) {
    s.finished = &finished;
    s.rounds = rounds;
    weft_task_t t = nullptr;
    ASSERT_EQ(weft_task_spawn(
                  [](void* arg) -> void* {
                    auto* me = static_cast<side*>(arg);
                    while (me->partner.load() == nullptr) weft_task_yield();
                    for (int i = 0; i < me->rounds; ++i) {
                      const frame mine(reinterpret_cast<uintptr_t>(me) + static_cast<unsigned>(i));
                      weft_task_resume(me->partner.load());
                      weft_task_suspend();
                      if (!mine.intact()) ++me->broken;
                    }
                    weft_task_resume(me->partner.load());
                    ++*me->finished;
                    return nullptr;
                  },
                  &s, &t),
              0);
    tasks.push_back(t);
  }
  for (std::size_t i = 0; i < sides.size(); ++i) sides[i].partner = tasks[i ^ 1];
  // A handle may be resumed until it is released.
  EXPECT_TRUE(yield_until([&] { return finished == 2 * pairs; }));
  EXPECT_EQ(weft_task_join_many(tasks.data(), tasks.size(), nullptr), 0);
  for (const auto& s : sides) EXPECT_EQ(s.broken, 0);
}

TEST_F(hazard_publish_after_the_switch, a_foreign_thread_may_resume_a_task_as_it_leaves) {
  const int rounds = scaled(20'000);
  std::atomic<int> turn{0};
  int broken = 0;
  auto body = [&] {
    for (int i = 0; i < rounds; ++i) {
      const frame mine(static_cast<uint64_t>(i));
      turn.store(i + 1);
      weft_task_suspend();
      if (!mine.intact()) ++broken;
    }
  };
  weft_task_t t = spawn(body);
  std::thread foreign([&] {
    for (int i = 1; i <= rounds; ++i) {
      while (turn.load() < i) std::this_thread::yield();
      EXPECT_EQ(weft_task_resume(t), 0);
    }
  });
  while (turn.load() < rounds) weft_task_yield();
  foreign.join();
  join(t);
  EXPECT_EQ(broken, 0);
}

TEST_F(hazard_publish_after_the_switch, a_child_may_end_while_its_joiner_leaves) {
  const int rounds = scaled(20'000);
  uint64_t sum = 0;
  for (int i = 0; i < rounds; ++i) {
    const frame mine(static_cast<uint64_t>(i));
    uint64_t value = 0;
    auto child = [&value, i] {
      for (int k = 0; k < i % 7; ++k) weft_task_yield();
      value = static_cast<uint64_t>(i);
    };
    weft_task_t t = spawn(child);
    if (i % 3 != 0) weft_task_yield();  // the child starts, here or elsewhere
    join(t);
    ASSERT_TRUE(mine.intact());
    sum += value;
  }
  EXPECT_EQ(sum, static_cast<uint64_t>(rounds) * static_cast<uint64_t>(rounds - 1) / 2);
}

TEST_F(hazard_publish_after_the_switch, the_rest_of_a_work_first_parent_is_stolen_whole) {
  struct tree {
    static void* node(void* arg) {
      const auto depth = reinterpret_cast<intptr_t>(arg);
      const frame mine(static_cast<uint64_t>(depth));
      if (depth == 0) return reinterpret_cast<void*>(intptr_t{1});
      const weft_spawn_t how = with_flags(WEFT_SPAWN_WORK_FIRST);
      weft_task_t left = nullptr;
      EXPECT_EQ(weft_task_spawn_with(node, reinterpret_cast<void*>(depth - 1), &how, &left), 0);
      void* right = node(reinterpret_cast<void*>(depth - 1));
      void* result = nullptr;
      EXPECT_EQ(weft_task_join(left, &result), 0);
      EXPECT_TRUE(mine.intact());
      return reinterpret_cast<void*>(reinterpret_cast<intptr_t>(right) +
                                     reinterpret_cast<intptr_t>(result));
    }
  };
  const int depth = sanitized || emulated ? 9 : 14;
  EXPECT_EQ(reinterpret_cast<intptr_t>(tree::node(reinterpret_cast<void*>(intptr_t{depth}))),
            intptr_t{1} << depth);
}

}  // namespace
}  // namespace weft::test
