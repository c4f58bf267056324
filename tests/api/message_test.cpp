// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages: where and in which order they run, what they may do, whose their memory is.
// WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <array>
#include <atomic>
#include <bitset>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

struct letter {
  weft_message_t head{write, {}};
  char c = 0;
  std::string* to = nullptr;
  std::array<uint32_t, 3> priority{};
  static void write(weft_message_t* m) {
    auto& me = *reinterpret_cast<letter*>(m);
    *me.to += me.c;  // no lock: only messages of one worker do so
  }
};

// Runs fn as one message of a worker, and waits until it has run.
template <class F>
void run_there(uint32_t worker, F&& fn) {
  struct packet {
    weft_message_t head{run, {}};
    F* fn = nullptr;
    std::atomic<bool> ran{false};
    static void run(weft_message_t* m) {
      auto& me = *reinterpret_cast<packet*>(m);
      (*me.fn)();
      me.ran = true;
    }
  } p;
  p.fn = &fn;
  EXPECT_EQ(weft_message_send(&p.head, worker), 0);
  EXPECT_TRUE(yield_until([&] { return p.ran.load(); }));
}

struct wanted {
  weft_message_order_t order;
  uint32_t bits;  // of a vector
  std::array<uint32_t, 3> priority;
};
uint32_t number(int32_t i) { return static_cast<uint32_t>(i); }

// Sends 'a', 'b', ... so that they wait together at the worker, and gives the order in which they
// ran.
std::string order_of(const std::vector<wanted>& all, uint32_t worker, bool from_outside) {
  std::vector<letter> letters_sent(all.size());
  std::string text;
  const auto send_all = [&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      letter& l = letters_sent[i];
      l.c = static_cast<char>('a' + i);
      l.to = &text;
      l.priority = all[i].priority;
      EXPECT_EQ(
          weft_message_send_with(&l.head, worker, all[i].order, all[i].bits, l.priority.data()), 0);
    }
  };
  std::string seen;
  // While a message runs, no other one does.
  run_there(worker, [&] {
    if (from_outside) {
      std::thread(send_all).join();
    } else {
      send_all();
    }
  });
  EXPECT_TRUE(yield_until([&] {
    run_there(worker, [&] { seen = text; });
    return seen.size() == all.size();
  }));
  return seen;
}

class message : public testing::Test {
  const runtime three_workers_{3};

 protected:
  static void expect_order(const std::vector<wanted>& all, const std::string& as) {
    for (const uint32_t worker : {0u, 2u})
      for (const bool outside : {false, true}) EXPECT_EQ(order_of(all, worker, outside), as);
  }
};

constexpr weft_message_order_t fifo = WEFT_MESSAGE_FIFO;
constexpr weft_message_order_t lifo = WEFT_MESSAGE_LIFO;
constexpr weft_message_order_t int_fifo = WEFT_MESSAGE_INT_FIFO;
constexpr weft_message_order_t int_lifo = WEFT_MESSAGE_INT_LIFO;
constexpr weft_message_order_t bits_fifo = WEFT_MESSAGE_BITS_FIFO;
constexpr weft_message_order_t bits_lifo = WEFT_MESSAGE_BITS_LIFO;

TEST_F(message, without_priority_it_goes_behind_or_before_all_others) {
  expect_order({{fifo, 0, {}}, {fifo, 0, {}}, {fifo, 0, {}}, {fifo, 0, {}}}, "abcd");
  expect_order({{lifo, 0, {}}, {lifo, 0, {}}, {lifo, 0, {}}, {lifo, 0, {}}}, "dcba");
  expect_order({{fifo, 0, {}}, {lifo, 0, {}}, {fifo, 0, {}}, {lifo, 0, {}}}, "dbac");
}

TEST_F(message, integers_go_by_size_and_zero_is_behind_none) {
  expect_order({{int_fifo, 0, {number(5)}},
                {int_fifo, 0, {number(-5)}},
                {fifo, 0, {}},
                {int_fifo, 0, {number(0)}},
                {int_fifo, 0, {number(INT32_MIN)}},
                {int_fifo, 0, {number(INT32_MAX)}},
                {int_fifo, 0, {number(-1)}},
                {int_fifo, 0, {number(1)}}},
               "ebgcdhaf");
  expect_order({{int_fifo, 0, {number(7)}},
                {int_fifo, 0, {number(7)}},
                {int_lifo, 0, {number(7)}},
                {int_lifo, 0, {number(7)}},
                {int_fifo, 0, {number(7)}},
                {int_lifo, 0, {number(-7)}},
                {int_lifo, 0, {number(-7)}}},
               "gfdcabe");
}

TEST_F(message, vectors_go_by_their_first_different_bit) {
  expect_order({{bits_fifo, 1, {0x80000000}},
                {bits_fifo, 1, {0}},
                {bits_fifo, 2, {0x40000000}},
                {bits_fifo, 33, {0x40000000, 0x80000000}},
                {bits_fifo, 64, {0x40000000, 0x7fffffff}},
                {bits_fifo, 96, {0x40000000, 0x7fffffff, 1}},
                {bits_fifo, 0, {}},
                {bits_lifo, 3, {0x40000000}},
                {fifo, 0, {}}},
               "bghcefdia");
  // What lies beyond the bits does not count, and integers stand among the vectors of 32 bits.
  expect_order({{bits_fifo, 3, {0xbfffffff}},
                {bits_fifo, 3, {0xa0000000}},
                {int_fifo, 0, {number(1 << 29)}},
                {bits_fifo, 32, {0x80000003}},
                {int_fifo, 0, {number(2)}},
                {int_fifo, 0, {number(4)}},
                {bits_fifo, 40, {0x80000003, 0x00ffffff}}},
               "edgfabc");
}

TEST_F(message, many_random_priorities_come_out_in_order) {
  struct keyed {
    weft_message_t head{note, {}};
    uint32_t priority = 0;
    std::vector<int32_t>* to = nullptr;
    static void note(weft_message_t* m) {
      auto& me = *reinterpret_cast<keyed*>(m);
      me.to->push_back(static_cast<int32_t>(me.priority));
    }
  };
  const auto count = static_cast<std::size_t>(scaled(5000));
  std::vector<keyed> all(count);
  std::vector<int32_t> out;
  std::vector<int32_t> seen;
  uint64_t x = 88172645463325252;
  run_there(1, [&] {
    for (keyed& k : all) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      k.priority = static_cast<uint32_t>(x % 1000) - 500;
      k.to = &out;
      EXPECT_EQ(weft_message_send_with(&k.head, 1, int_fifo, 0, &k.priority), 0);
    }
  });
  EXPECT_TRUE(yield_until([&] {
    run_there(1, [&] { seen = out; });
    return seen.size() == count;
  }));
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_LE(seen[i - 1], seen[i]);
}

TEST_F(message, it_owns_its_memory_once_it_runs) {
  static std::atomic<int> left;
  left = scaled(500);
  struct hops {
    weft_message_t head{hop, {}};
    uint32_t at = 0;
    int to_go = 20;
    static void hop(weft_message_t* m) {
      auto* me = reinterpret_cast<hops*>(m);
      if (weft_worker_index() != me->at) std::abort();
      if (--me->to_go == 0) {
        delete me;
        --left;
        return;
      }
      me->at = (me->at + 1) % 3;
      if (weft_message_send(m, me->at) != 0) std::abort();
    }
  };
  for (int i = left; i > 0; --i) EXPECT_EQ(weft_message_send(&(new hops)->head, 0), 0);
  EXPECT_TRUE(yield_until([] { return left == 0; }));
}

TEST_F(message, it_may_spawn_and_wake_and_may_not_block) {
  weft_semaphore_t woken;
  weft_semaphore_init(&woken, 0);
  std::atomic<bool> ran{false};
  auto child = [&] { ran = true; };
  weft_task_t t = nullptr;
  void* record = &ran;
  uint64_t first_id = 0;
  run_there(1, [&] {
    EXPECT_EQ(weft_worker_index(), 1u);
    EXPECT_EQ(weft_task_yield(), -EPERM);
    EXPECT_EQ(weft_task_suspend(), -EPERM);
    EXPECT_EQ(weft_semaphore_wait(&woken), -EPERM);
    t = spawn(child);
    weft_semaphore_post(&woken, 1);
    first_id = weft_task_id(nullptr);
    EXPECT_EQ(weft_task_set_record(record), 0);
  });
  EXPECT_EQ(weft_semaphore_wait(&woken), 0);
  join(t);
  EXPECT_TRUE(ran);
  run_there(1, [&] {
    EXPECT_NE(weft_task_id(nullptr), first_id) << "each message is a task of its own";
    EXPECT_EQ(weft_task_record(), nullptr);
  });
}

TEST_F(message, slots_end_with_it) {
  static std::atomic<int> destroyed;
  destroyed = 0;
  weft_slot_t slot = 0;
  ASSERT_EQ(weft_slot_create([](void*) { ++destroyed; }, &slot), 0);
  for (int i = 0; i < 3; ++i)
    run_there(2, [&] {
      EXPECT_EQ(weft_slot_get(slot), nullptr);
      EXPECT_EQ(weft_slot_set(slot, &slot), 0);
    });
  EXPECT_TRUE(yield_until([] { return destroyed == 3; }));
  EXPECT_EQ(weft_slot_delete(slot), 0);
}

TEST_F(message, tasks_and_messages_do_not_keep_each_other_away) {
  // A message that sends itself again, and tasks of the same worker that yield for ever.
  static std::atomic<bool> stop;
  stop = false;
  static std::atomic<int> hops;
  hops = 0;
  struct again {
    weft_message_t head{go, {}};
    static void go(weft_message_t* m) {
      ++hops;
      if (!stop) {
        EXPECT_EQ(weft_message_send(m, 1), 0);
      } else {
        hops = -1;
      }
    }
  } again_and_again;
  std::atomic<int> turns{0};
  auto yields = [&] {
    while (!stop) {
      ++turns;
      weft_task_yield();
    }
  };
  const weft_task_t task = spawn(yields, on_worker(1));
  EXPECT_EQ(weft_message_send(&again_and_again.head, 1), 0);
  EXPECT_TRUE(yield_until([&] { return hops > 100 && turns > 100; }));
  stop = true;
  join(task);
  EXPECT_TRUE(yield_until([] { return hops == -1; }));
}

TEST_F(message, a_worker_with_messages_stays_and_one_that_is_gone_gets_none) {
  static std::atomic<bool> go;
  go = false;
  std::atomic<bool> begun{false};
  struct holds {
    weft_message_t head{hold, {}};
    std::atomic<bool>* begun;
    static void hold(weft_message_t* m) {
      *reinterpret_cast<holds*>(m)->begun = true;
      EXPECT_TRUE(compute_until([] { return go.load(); }));
    }
  } first;
  first.begun = &begun;
  std::string text;
  letter second;
  second.c = 'x';
  second.to = &text;
  EXPECT_EQ(weft_message_send(&first.head, 2), 0);
  EXPECT_EQ(weft_message_send(&second.head, 2), 0);
  EXPECT_TRUE(compute_until([&] { return begun.load(); }));
  EXPECT_EQ(weft_worker_remove(2, 0), -EBUSY);
  go = true;
  EXPECT_TRUE(yield_until([] { return weft_worker_remove(2, 0) == 0; }));
  EXPECT_TRUE(yield_until([] {
    weft_message_t m{[](weft_message_t*) {}, {}};
    static std::array<weft_message_t, 64> sent;  // as many as it takes until the worker has gone
    static std::size_t used = 0;
    if (used == sent.size()) return true;
    sent[used] = m;
    return weft_message_send(&sent[used++], 2) == -ERANGE;
  }));
  EXPECT_TRUE(yield_until([] { return weft_worker_add(2) == 0; }));
  run_there(2, [&] { EXPECT_EQ(text, "x"); });
}

TEST_F(message, stop_waits_for_messages) {
  static std::atomic<int> ran;
  ran = 0;
  struct slow {
    weft_message_t head{[](weft_message_t* m) {
                          auto* me = reinterpret_cast<slow*>(m);
                          if (--me->again > 0 && weft_message_send(m, me->again % 3) != 0)
                            std::abort();
                          ++ran;  // the last: who sees it lets the message go
                        },
                        {}};
    uint32_t again = 50;
  };
  std::array<slow, 10> all;
  for (slow& s : all) EXPECT_EQ(weft_message_send(&s.head, 1), 0);
  EXPECT_EQ(weft_stop(), 0);
  EXPECT_EQ(ran, 500);
  ASSERT_EQ(weft_start(nullptr), 0);
  all[0].again = 1;
  EXPECT_EQ(weft_message_send(&all[0].head, 0), 0);
  EXPECT_TRUE(yield_until([] { return ran == 501; }));
}

TEST_F(message, what_is_wrong_is_refused) {
  weft_message_t m{[](weft_message_t*) {}, {}};
  weft_message_t none{nullptr, {}};
  const uint32_t priority = 0;
  EXPECT_EQ(weft_message_send(nullptr, 0), -EINVAL);
  EXPECT_EQ(weft_message_send(&none, 0), -EINVAL);
  EXPECT_EQ(weft_message_send(&m, 3), -ERANGE);
  EXPECT_EQ(weft_message_send_with(&m, 3, int_fifo, 0, &priority), -ERANGE);
  EXPECT_EQ(weft_message_send_with(&m, 0, static_cast<weft_message_order_t>(6), 0, &priority),
            -EINVAL);
  EXPECT_EQ(weft_message_send_with(&m, 0, int_lifo, 0, nullptr), -EINVAL);
  EXPECT_EQ(weft_message_send_with(&m, 0, bits_fifo, 1, nullptr), -EINVAL);
  EXPECT_EQ(weft_message_send_with(&m, 0, bits_fifo, 65537, &priority), -ERANGE);
}

}  // namespace
}  // namespace weft::test
