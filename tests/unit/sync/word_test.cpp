// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Producers of words: who is named, who drops the name, who is run by a reader, and on what stack.
#include "sync/word.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>

#include <weft/weft.h>

#include "sched/self.hpp"
#include "sched/spawn.hpp"

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
    task* t = make_task(self(), run, this, nullptr, {}, false);
    ASSERT_NE(t, nullptr);
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
  start(1);
  static uint64_t gate;
  ASSERT_EQ(word_empty(&gate), 0);
  fork f(&word_, 5);
  f.waits_for = &gate;
  f.spawn();
  weft_task_t third = nullptr;
  const auto fills = [](void* arg) -> void* {
    EXPECT_EQ(word_write_f(static_cast<uint64_t*>(arg), 9), 0);
    return nullptr;
  };
  ASSERT_EQ(weft_task_spawn(fills, &word_, &third), 0);
  uint64_t v = 0;
  EXPECT_EQ(word_read_fe(&word_, &v, forever, nullptr), 0);
  EXPECT_EQ(v, 9u);
  EXPECT_NE(f.frame.load(), nullptr) << "the producer has started and waits";
  EXPECT_EQ(status(), 0);
  EXPECT_EQ(word_fill(&gate), 0);
  f.join();
  EXPECT_EQ(word_, 5u);
  EXPECT_EQ(weft_task_join(third, nullptr), 0);
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
