// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Producers of words: who is named, who drops the name, who is run by a reader, and on what stack.
#include "sync/word.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <vector>

#include <weft/weft.h>

#include "sched/self.hpp"
#include "sched/spawn.hpp"
#include "sync/producer.hpp"

namespace weft::rt {
namespace {

class word_producer_test : public testing::Test {
 protected:
  static void start(uint32_t workers) {
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = workers;
    ASSERT_EQ(weft_start(&config), 0);
  }
  void TearDown() override {
    EXPECT_EQ(word_fill(&word_), 0);
    EXPECT_EQ(weft_stop(), 0);
  }

  int status() const { return weft_word_status(&word_); }

  // A word that holds up who reads it.
  inline static uint64_t gate = 0;
  static void shut_gate() {
    gate = 0;
    ASSERT_EQ(word_empty(&gate), 0);
  }
  static void* fills_with_9(void* word) {
    EXPECT_EQ(word_write_f(static_cast<uint64_t*>(word), 9), 0);
    return nullptr;
  }
  void read_while_the_producer_blocks(bool empties);

  uint64_t word_ = 0;
};

// A task that returns through a word, as a front-end would make it.
struct fork {
  explicit fork(uint64_t* w, uint64_t v) : word(w), value(v) {}
  uint64_t* word;
  uint64_t value;
  uint64_t* waits_for = nullptr;  // a word that it reads first
  std::atomic<const std::byte*> frame{nullptr};
  std::atomic<int> ran_as{0};
  inline static std::atomic<int> turns{0};
  std::unique_ptr<word_producer> p;
  weft_task_t handle = nullptr;

  void spawn() {
    task* t = nullptr;
    ASSERT_EQ(make_task(self(), run, this, nullptr, {}, false, t), 0);
    handle = reinterpret_cast<weft_task_t>(t);
    p = std::make_unique<word_producer>(t);
    ASSERT_EQ(word_set_producer(word, *p), 0);
    start_task(self(), t);
  }
  static void* run(void* arg) {
    auto* me = static_cast<fork*>(arg);
    me->frame = static_cast<const std::byte*>(__builtin_frame_address(0));
    me->ran_as = ++turns;
    if (me->waits_for != nullptr) {
      EXPECT_EQ(word_read_ff(me->waits_for, nullptr, forever, nullptr), 0);
    }
    EXPECT_EQ(word_produce(me->word, *me->p, me->value), 0);
    return nullptr;
  }
  bool named() const {
    const words_table::held h = words.close(reinterpret_cast<uintptr_t>(word));
    const bool is = p->named;
    words.open(h);
    return is;
  }
  void join() { EXPECT_EQ(weft_task_join(handle, nullptr), 0); }
};

// A third task fills the word with 9, which ends the read, and the producer fills it with 5 later.
void word_producer_test::read_while_the_producer_blocks(bool empties) {
  start(1);
  shut_gate();
  fork f(&word_, 5);
  f.waits_for = &gate;
  f.spawn();
  weft_task_t third = nullptr;
  ASSERT_EQ(weft_task_spawn(fills_with_9, &word_, &third), 0);
  uint64_t v = 0;
  EXPECT_EQ(empties ? word_read_fe(&word_, &v, forever, nullptr)
                    : word_read_ff(&word_, &v, forever, nullptr),
            0);
  EXPECT_EQ(v, 9u);
  EXPECT_NE(f.frame.load(), nullptr) << "the producer has started and waits";
  EXPECT_EQ(status(), empties ? 0 : 1);
  EXPECT_EQ(word_fill(&gate), 0);
  f.join();
  EXPECT_EQ(word_, 5u);
  EXPECT_EQ(weft_task_join(third, nullptr), 0);
}

TEST_F(word_producer_test, a_reader_runs_the_unstarted_producer_on_another_stack) {
  start(1);
  fork f(&word_, 5);
  auto body = [](void* arg) -> void* {
    auto* mine = static_cast<fork*>(arg);
    mine->spawn();
    uint64_t v = 0;
    EXPECT_EQ(word_read_ff(mine->word, &v, forever, nullptr), 0);
    EXPECT_EQ(v, 5u);
    const stack* here = self()->on.get();
    const std::byte* frame = mine->frame;
    EXPECT_TRUE(frame < here->low || frame > here->high);
    mine->join();
    return nullptr;
  };
  weft_task_t t = nullptr;
  ASSERT_EQ(weft_task_spawn(body, &f, &t), 0);
  ASSERT_EQ(weft_task_join(t, nullptr), 0);
  EXPECT_EQ(status(), 1);
}

TEST_F(word_producer_test, a_reader_runs_the_producer_before_what_is_newer) {
  start(1);
  fork f(&word_, 5);
  f.spawn();
  weft_task_t newer = nullptr;
  static int newer_ran_as;
  const auto count = [](void*) -> void* {
    newer_ran_as = ++fork::turns;
    return nullptr;
  };
  ASSERT_EQ(weft_task_spawn(count, nullptr, &newer), 0);
  uint64_t v = 0;
  EXPECT_EQ(word_read_ff(&word_, &v, forever, nullptr), 0);
  EXPECT_EQ(v, 5u);
  EXPECT_EQ(weft_task_join(newer, nullptr), 0);
  f.join();
  EXPECT_LT(f.ran_as.load(), newer_ran_as);
}

// The hazard of calling the producer on the reader's stack: a third party fills the word while the
// producer has blocked, and the reader must go on.
TEST_F(word_producer_test, a_third_party_ends_the_read_while_the_producer_blocks) {
  read_while_the_producer_blocks(false);
}

TEST_F(word_producer_test, another_fork_on_the_word_leaves_the_reader_waiting_for_the_word) {
  start(1);
  shut_gate();
  fork first(&word_, 5);
  first.waits_for = &gate;
  first.spawn();
  struct pair {
    fork& second;
    uint64_t* word;
  };
  fork second(&word_, 6);
  pair both{second, &word_};
  weft_task_t third = nullptr;
  const auto forks = [](void* arg) -> void* {
    auto& p = *static_cast<pair*>(arg);
    p.second.spawn();
    EXPECT_TRUE(p.second.named());
    return nullptr;
  };
  ASSERT_EQ(weft_task_spawn(forks, &both, &third), 0);
  uint64_t v = 0;
  EXPECT_EQ(word_read_ff(&word_, &v, forever, nullptr), 0);
  EXPECT_EQ(v, 6u);
  EXPECT_EQ(word_fill(&gate), 0);
  first.join();
  second.join();
  EXPECT_EQ(weft_task_join(third, nullptr), 0);
  EXPECT_EQ(status(), 1);
}

TEST_F(word_producer_test, who_runs_the_producer_and_who_only_waits_both_get_the_value) {
  start(1);
  static uint64_t seen;
  seen = 0;
  shut_gate();
  fork f(&word_, 5);
  f.waits_for = &gate;
  f.spawn();
  weft_task_t other = nullptr;
  const auto reads = [](void* arg) -> void* {
    EXPECT_EQ(word_fill(&gate), 0);
    EXPECT_EQ(word_read_ff(static_cast<uint64_t*>(arg), &seen, forever, nullptr), 0);
    return nullptr;
  };
  ASSERT_EQ(weft_task_spawn(reads, &word_, &other), 0);
  uint64_t v = 0;
  EXPECT_EQ(word_read_ff(&word_, &v, forever, nullptr), 0);
  EXPECT_EQ(weft_task_join(other, nullptr), 0);
  EXPECT_EQ(v, 5u);
  EXPECT_EQ(seen, 5u);
  f.join();
}

TEST_F(word_producer_test, a_reader_goes_on_before_what_is_ready_when_its_producer_ends) {
  start(1);
  fork f(&word_, 5);
  weft_task_t newer = nullptr;
  static std::atomic<int> newer_ran;
  newer_ran = 0;
  const auto count = [](void*) -> void* {
    ++newer_ran;
    return nullptr;
  };
  f.spawn();
  ASSERT_EQ(weft_task_spawn(count, nullptr, &newer), 0);
  EXPECT_EQ(word_read_ff(&word_, nullptr, forever, nullptr), 0);
  EXPECT_EQ(newer_ran, 0);
  EXPECT_EQ(weft_task_join(newer, nullptr), 0);
  f.join();
}

TEST_F(word_producer_test, readers_of_producers_in_a_row_let_others_run_now_and_then) {
  start(1);
  weft_task_t other = nullptr;
  static std::atomic<bool> other_ran;
  other_ran = false;
  const auto yields = [](void*) -> void* {
    weft_task_yield();
    other_ran = true;
    return nullptr;
  };
  ASSERT_EQ(weft_task_spawn(yields, nullptr, &other), 0);
  weft_task_yield();
  for (int i = 0; !other_ran; ++i) {
    ASSERT_LT(i, 100'000);
    fork f(&word_, 5);
    f.spawn();
    EXPECT_EQ(word_read_ff(&word_, nullptr, forever, nullptr), 0);
    f.join();
  }
  EXPECT_EQ(weft_task_join(other, nullptr), 0);
}

TEST_F(word_producer_test, a_third_party_may_empty_the_word_while_the_producer_blocks) {
  read_while_the_producer_blocks(true);
}

TEST_F(word_producer_test, of_two_forks_on_one_word_the_second_is_named) {
  start(1);
  fork first(&word_, 1);
  fork second(&word_, 2);
  first.spawn();
  EXPECT_TRUE(first.named());
  second.spawn();
  EXPECT_FALSE(first.named());
  EXPECT_TRUE(second.named());
  first.join();  // is not named: it fills the word, and that drops the other
  EXPECT_EQ(status(), 1);
  EXPECT_EQ(word_, 1u);
  EXPECT_FALSE(second.named());
  second.join();
  EXPECT_EQ(word_, 2u);
}

TEST_F(word_producer_test, every_change_of_the_word_drops_the_name) {
  start(1);
  const auto drops = [&](auto change) {
    fork f(&word_, 1);
    f.spawn();
    EXPECT_TRUE(f.named());
    EXPECT_EQ(change(), 0);
    EXPECT_FALSE(f.named());
    f.join();
    EXPECT_EQ(status(), 1);
    EXPECT_EQ(word_, 1u);
  };
  drops([&] { return word_purge_to(&word_, 7); });  // purge before completion
  drops([&] { return word_empty(&word_); });
  drops([&] { return word_fill(&word_); });
  drops([&] { return word_write_f(&word_, 7); });
  drops([&] { return word_write_ef(&word_, 7, forever, nullptr); });
}

TEST_F(word_producer_test, completion_clears_the_name_only_if_it_is_its_own) {
  start(1);
  fork first(&word_, 1);
  fork second(&word_, 2);
  first.spawn();
  ASSERT_EQ(word_purge_to(&word_, 0), 0);
  second.spawn();
  EXPECT_TRUE(second.named());
  // A reader waits: the group has a host besides the producer.
  weft_task_t reader = nullptr;
  static uint64_t seen;
  const auto reads = [](void* arg) -> void* {
    EXPECT_EQ(word_read_ff(static_cast<uint64_t*>(arg), &seen, forever, nullptr), 0);
    return nullptr;
  };
  ASSERT_EQ(weft_task_spawn(reads, &word_, &reader), 0);
  ASSERT_EQ(weft_task_join(reader, nullptr), 0);  // runs one of the two
  EXPECT_TRUE(seen == 1 || seen == 2);
  first.join();
  second.join();
  EXPECT_EQ(status(), 1);
}

// A task that returns through a word and is found by that, as qthread_fork makes it.
struct quick_fork {
  uint64_t* word;
  uint64_t value;
  void (*first)(quick_fork& me) = nullptr;  // what it does before it returns
  quick_fork* inner = nullptr;
  uint64_t seen = 0;
  alignas(16) std::byte memory[sizeof(word_producer)] = {};

  void spawn() { ASSERT_EQ(spawn_producer(self(), run, this, nullptr, word, memory), 0); }
  uint64_t read() const {
    uint64_t v = 0;
    EXPECT_EQ(word_read_ff(word, &v, forever, nullptr), 0);
    return v;
  }
  static void* run(void* arg) {
    auto& me = *static_cast<quick_fork*>(arg);
    if (me.first != nullptr) me.first(me);
    auto& p = *std::launder(reinterpret_cast<word_producer*>(me.memory));
    EXPECT_EQ(word_produce(me.word, p, me.value), 0);
    return nullptr;
  }
};

TEST_F(word_producer_test, forks_are_read_in_any_order) {
  start(1);
  constexpr int count = 50;
  static uint64_t words[count];
  for (const bool upwards : {true, false}) {
    std::vector<quick_fork> forks;
    forks.reserve(count);
    for (int i = 0; i < count; ++i) forks.push_back({&words[i], 100u + static_cast<uint64_t>(i)});
    for (quick_fork& f : forks) f.spawn();
    for (int i = 0; i < count; ++i) {
      const quick_fork& f = forks[upwards ? i : count - 1 - i];
      EXPECT_EQ(f.read(), f.value);
      EXPECT_EQ(weft_word_status(f.word), 1);
    }
  }
}

TEST_F(word_producer_test,
       readers_that_called_their_producers_wait_by_themselves_once_the_innermost_blocks) {
  start(1);
  shut_gate();
  static uint64_t middle_word;
  quick_fork inner{&middle_word, 7};
  inner.first = [](quick_fork&) { EXPECT_EQ(word_read_ff(&gate, nullptr, forever, nullptr), 0); };
  quick_fork outer{&word_, 5};
  outer.inner = &inner;
  outer.first = [](quick_fork& me) {
    me.inner->spawn();
    me.seen = me.inner->read();
  };
  outer.spawn();
  // Fills the words of both readers while their producers cannot go on: the inner blocks, the outer
  // is its reader.
  weft_task_t third = nullptr;
  const auto fills = [](void* word) -> void* {
    EXPECT_EQ(weft_word_status(static_cast<uint64_t*>(word)), 0);
    EXPECT_EQ(word_write_f(static_cast<uint64_t*>(word), 9), 0);
    return nullptr;
  };
  ASSERT_EQ(weft_task_spawn(fills, &word_, &third), 0);
  EXPECT_EQ(outer.read(), 9u);
  EXPECT_EQ(outer.seen, 0u) << "the inner reader waits still";
  EXPECT_EQ(weft_task_join(third, nullptr), 0);
  EXPECT_EQ(word_fill(&gate), 0);
  while (word_read_xx(&word_) != 5) weft_task_yield();
  EXPECT_EQ(outer.seen, 7u);
}

TEST_F(word_producer_test,
       a_reader_goes_on_when_its_producer_only_yields_and_others_fill_the_word) {
  start(1);
  static std::atomic<bool> stop;
  stop = false;
  quick_fork f{&word_, 5};
  f.first = [](quick_fork& me) {
    EXPECT_EQ(word_write_f(me.word, 9), 0);
    while (!stop) weft_task_yield();
  };
  f.spawn();
  EXPECT_EQ(f.read(), 9u);
  stop = true;
  while (word_read_xx(&word_) != 5) weft_task_yield();
}

TEST_F(word_producer_test,
       a_producer_without_a_value_leaves_its_reader_with_what_stands_in_the_word) {
  start(1);
  word_ = 3;
  struct disowner {
    uint64_t* word;
    alignas(16) std::byte memory[sizeof(word_producer)];
    static void* run(void* arg) {
      auto& me = *static_cast<disowner*>(arg);
      word_disown(me.word, *std::launder(reinterpret_cast<word_producer*>(me.memory)));
      return nullptr;
    }
  } d{&word_, {}};
  ASSERT_EQ(spawn_producer(self(), disowner::run, &d, nullptr, &word_, d.memory), 0);
  uint64_t v = 0;
  EXPECT_EQ(word_read_ff(&word_, &v, forever, nullptr), 0);
  EXPECT_EQ(v, 3u);
}

TEST_F(word_producer_test, a_value_that_another_takes_at_once_reaches_the_reader_that_called_too) {
  start(1);
  static std::atomic<uint64_t> taken;
  taken = 0;
  quick_fork f{&word_, 5};
  f.first = [](quick_fork& me) {
    // Stands in the word's queue before the value is there.
    weft_task_t taker = nullptr;
    const auto takes = [](void* word) -> void* {
      uint64_t value = 0;
      EXPECT_EQ(word_read_fe(static_cast<uint64_t*>(word), &value, forever, nullptr), 0);
      taken = value;
      return nullptr;
    };
    ASSERT_EQ(weft_task_spawn(takes, me.word, &taker), 0);
    ASSERT_EQ(weft_task_detach(taker), 0);
    weft_task_yield();
  };
  f.spawn();
  EXPECT_EQ(f.read(), 5u);
  while (taken == 0) weft_task_yield();
  EXPECT_EQ(taken, 5u);
  EXPECT_EQ(status(), 0);
}

// Trees of forks and reads on several workers, with blocks in between: every value arrives.
struct tree {
  static uint64_t fib(uint64_t n) {
    if (n < 2) return n;
    uint64_t a = 0;
    uint64_t b = 0;
    node left{n - 1, &a, {}};
    node right{n - 2, &b, {}};
    left.spawn();
    right.spawn();
    uint64_t x = 0;
    uint64_t y = 0;
    EXPECT_EQ(word_read_ff(&a, &x, forever, nullptr), 0);
    EXPECT_EQ(word_read_ff(&b, &y, forever, nullptr), 0);
    return x + y;
  }
  struct node {
    uint64_t n;
    uint64_t* word;
    alignas(16) std::byte memory[sizeof(word_producer)];
    void spawn() { ASSERT_EQ(spawn_producer(self(), run, this, nullptr, word, memory), 0); }
    static void* run(void* arg) {
      auto& me = *static_cast<node*>(arg);
      if (me.n % 5 == 2) weft_task_yield();
      if (me.n % 7 == 3) weft_task_sleep_for(1000);
      const uint64_t v = fib(me.n);
      EXPECT_EQ(
          word_produce(me.word, *std::launder(reinterpret_cast<word_producer*>(me.memory)), v), 0);
      return nullptr;
    }
  };
};

TEST_F(word_producer_test, trees_of_forks_that_block_in_between_return_all_values) {
  for (const uint32_t workers : {1u, 2u, 7u}) {
    start(workers);
    EXPECT_EQ(tree::fib(13), 233u);
    if (workers == 7) break;  // stopped by the fixture
    ASSERT_EQ(weft_stop(), 0);
  }
}

TEST_F(word_producer_test, a_producer_that_ends_elsewhere_is_waited_for) {
  start(2);
  for (uint64_t round = 0; round < 500; ++round) {
    fork f(&word_, round);
    ASSERT_EQ(word_empty(&word_), 0);
    f.spawn();
    uint64_t v = ~uint64_t{0};
    EXPECT_EQ(word_read_ff(&word_, &v, forever, nullptr), 0);
    EXPECT_EQ(v, round);
    f.join();
  }
}

}  // namespace
}  // namespace weft::rt
