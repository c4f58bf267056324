// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages and hand-offs from everywhere to everywhere: none is lost, and those of one worker never
// overlap. WEFT_TEST_AT_WORKERS
#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include <weft/weft.h>

#include "base/build.hpp"

namespace weft::test {
namespace {

constexpr int rounds = rt::build::tsan ? 60 : 2000;
constexpr int messages = 16;  // of each sender
constexpr int senders = 3;

struct shared {
  struct alignas(64) seat {
    uint64_t ran = 0;  // by messages of its worker alone: a thread sanitizer sees if two overlap
  };
  std::array<seat, 64> seats;
  std::atomic<int> left{senders * messages};
  std::atomic<int> wrong{0};
};

struct hopper {
  weft_message_t head{hop, {}};
  shared* all = nullptr;
  uint32_t at = 0;
  uint32_t random = 1;
  std::array<uint32_t, 2> priority{};
  int to_go = rounds;

  void send() {
    random = random * 1664525 + 1013904223;
    at = (random >> 16) % weft_worker_count();
    priority = {random, random * 7};
    const auto order = static_cast<weft_message_order_t>((random >> 8) % 6);
    if (weft_message_send_with(&head, at, order, random % 65, priority.data()) != 0) ++all->wrong;
  }
  static void hop(weft_message_t* m) {
    auto& me = *reinterpret_cast<hopper*>(m);
    if (weft_worker_index() != me.at) ++me.all->wrong;
    ++me.all->seats[me.at].ran;
    if (--me.to_go > 0) {
      me.send();
    } else {
      --me.all->left;
    }
  }
};

TEST(messages_stress, hop_from_worker_to_worker_while_tasks_are_handed_off) {
  ASSERT_EQ(weft_start(nullptr), 0);
  auto* all = new shared;
  std::vector<hopper> hoppers(senders * messages);
  for (std::size_t i = 0; i < hoppers.size(); ++i) {
    hoppers[i].all = all;
    hoppers[i].random = static_cast<uint32_t>(i) * 2654435761u + 1;
  }
  std::vector<std::thread> outside;
  for (std::size_t s = 0; s < senders; ++s)
    outside.emplace_back([&hoppers, s] {
      for (std::size_t i = 0; i < messages; ++i) hoppers[s * messages + i].send();
    });
  const auto wander = [](void* arg) -> void* {
    auto* a = static_cast<shared*>(arg);
    const uint32_t workers = weft_worker_count();
    if (weft_task_set_sticky(0) != 0) ++a->wrong;  // with WEFT_STICKY=1 it could not go
    for (uint32_t i = 0; i < rounds && a->left > 0; ++i)
      if (weft_task_hand_off(nullptr, i % workers) != 0 || weft_worker_index() != i % workers)
        ++a->wrong;
    return nullptr;
  };
  std::array<weft_task_t, 4> tasks{};
  // From a task with a stack of its own: the test's cannot go.
  for (weft_task_t& t : tasks) {
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.flags = WEFT_SPAWN_HIGH;  // never called inline
    ASSERT_EQ(weft_task_spawn_with(wander, all, &how, &t), 0);
  }
  for (std::thread& t : outside) t.join();
  for (const weft_task_t t : tasks) EXPECT_EQ(weft_task_join(t, nullptr), 0);
  while (all->left > 0) weft_task_yield();
  EXPECT_EQ(all->wrong, 0);
  EXPECT_EQ(weft_stop(), 0);
  uint64_t ran = 0;
  for (const shared::seat& s : all->seats) ran += s.ran;
  EXPECT_EQ(ran, static_cast<uint64_t>(senders) * messages * rounds);
  delete all;
}

}  // namespace
}  // namespace weft::test
