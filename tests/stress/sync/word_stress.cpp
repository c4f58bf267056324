// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words and syncvars under tasks and foreign threads at once: every value written is read once.
// WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include <weft/weft.h>

#include "support/build.hpp"

namespace weft::test {
namespace {

constexpr int scaled(int n) { return sanitized ? n / 20 : n; }

// Takes a token at one word and hands it on at another, which says how often it was handed on.
struct token_bearer {
  uint64_t* in;
  uint64_t* out;
  uint64_t rounds;
  void operator()() const {
    for (uint64_t i = 0; i < rounds; ++i) {
      uint64_t token = 0;
      EXPECT_EQ(weft_word_read_fe(in, &token), 0);
      EXPECT_EQ(weft_word_write_ef(out, token + 1), 0);
    }
  }
};

class word_stress : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(weft_start(nullptr), 0); }
  void TearDown() override { EXPECT_EQ(weft_stop(), 0); }
};

// A task that calls f, which lives until it is joined.
template <class F>
weft_task_t spawn(F& f) {
  weft_task_t t = nullptr;
  const auto run = [](void* arg) -> void* {
    (*static_cast<F*>(arg))();
    return nullptr;
  };
  EXPECT_EQ(weft_task_spawn(run, &f, &t), 0);
  return t;
}
void join(weft_task_t t) { EXPECT_EQ(weft_task_join(t, nullptr), 0); }

constexpr uint64_t cells = 24;  // three lines, so that words share entries

// Flows that write and as many that take, on a few cells. Who waited in vain for a while goes to
// another cell, so that nobody waits for one who waits for him. The sums agree.
template <class Write, class Take>
void balance(Write write, Take take) {
  const uint64_t flows = 6;
  const auto rounds = static_cast<uint64_t>(scaled(3000));
  std::atomic<uint64_t> written{0};
  std::atomic<uint64_t> taken{0};
  struct flow {
    const Write& write;
    const Take& take;
    std::atomic<uint64_t>& written;
    std::atomic<uint64_t>& taken;
    uint64_t seed;
    uint64_t rounds;
    bool writes;
    void operator()() const {
      uint64_t x = seed;
      for (uint64_t i = 0; i < rounds; ++i) {
        const uint64_t value = i + seed;
        uint64_t got = 0;
        int result = 0;
        do {
          x = x * 6364136223846793005u + 1442695040888963407u;
          const uint64_t which = (x >> 33) % cells;
          const int64_t deadline = weft_time_now_ns() + 20'000;
          result = writes ? write(which, value, deadline) : take(which, &got, deadline);
          EXPECT_TRUE(result == 0 || result == -ETIMEDOUT) << result;
        } while (result != 0);
        if (writes) {
          written += value;
        } else {
          taken += got;
        }
      }
    }
  };
  std::vector<flow> all;
  for (uint64_t i = 0; i < flows; ++i)
    for (const bool writes : {true, false})
      all.push_back({write, take, written, taken, i + 1, rounds, writes});
  std::vector<weft_task_t> tasks;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % 6 < 4) {
      tasks.push_back(spawn(all[i]));
    } else {
      threads.emplace_back(all[i]);
    }
  }
  for (const weft_task_t t : tasks) join(t);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(written, taken);
}

TEST_F(word_stress, every_value_written_into_a_word_is_taken_once) {
  static uint64_t words[cells];
  for (uint64_t& w : words) ASSERT_EQ(weft_word_purge(&w), 0);
  balance([](uint64_t i, uint64_t value,
             int64_t deadline) { return weft_word_write_ef_until(&words[i], value, deadline); },
          [](uint64_t i, uint64_t* out, int64_t deadline) {
            return weft_word_read_fe_until(&words[i], out, deadline);
          });
  for (uint64_t& w : words) {
    EXPECT_EQ(weft_word_status(&w), 0);
    EXPECT_EQ(weft_word_fill(&w), 0);
  }
}

TEST_F(word_stress, every_value_written_into_a_syncvar_is_taken_once) {
  static weft_syncvar_t vars[cells];
  for (weft_syncvar_t& v : vars) v = WEFT_SYNCVAR_INIT_EMPTY;
  balance([](uint64_t i, uint64_t value,
             int64_t deadline) { return weft_syncvar_write_ef_until(&vars[i], value, deadline); },
          [](uint64_t i, uint64_t* out, int64_t deadline) {
            return weft_syncvar_read_fe_until(&vars[i], out, deadline);
          });
  for (weft_syncvar_t& v : vars) EXPECT_EQ(weft_syncvar_status(&v), 0);
}

// While somebody waits to fill it, and others try to, so that its state changes under the bucket
// alone.
TEST_F(word_stress, increments_of_a_syncvar_that_is_waited_at_are_not_lost) {
  static weft_syncvar_t var;
  var = WEFT_SYNCVAR_INIT_TO(0);
  static std::atomic<bool> over;
  over = false;
  constexpr auto rounds = static_cast<uint64_t>(scaled(20'000));
  auto waits = [] { EXPECT_EQ(weft_syncvar_write_ef(&var, 1), 0); };
  auto tries = [] {
    while (!over) {
      EXPECT_EQ(weft_syncvar_try_write_ef(&var, 1), -EBUSY);
      weft_task_yield();
    }
  };
  auto adds = [] {
    for (uint64_t i = 0; i < rounds; ++i) EXPECT_EQ(weft_syncvar_add_f(&var, 2, nullptr), 0);
  };
  const weft_task_t waiting = spawn(waits);
  const auto is_waited_at = [] { return (std::atomic_ref(var.bits).load() & 2) != 0; };
  while (!is_waited_at()) weft_task_yield();
  std::vector<weft_task_t> trying, adding;
  for (int i = 0; i < 2; ++i) trying.push_back(spawn(tries));
  for (int i = 0; i < 4; ++i) adding.push_back(spawn(adds));
  std::thread foreign(adds);
  for (const weft_task_t t : adding) join(t);
  foreign.join();
  over = true;
  for (const weft_task_t t : trying) join(t);
  uint64_t sum = 0;
  EXPECT_EQ(weft_syncvar_read_fe(&var, &sum), 0);
  EXPECT_EQ(sum, 5 * 2 * rounds);
  join(waiting);
}

// A word goes full with i, and empty again with rubbish in it; readers, with and without a lock,
// see whole rounds only, never in the wrong order, and what was written before the fill.
TEST_F(word_stress, readers_see_full_values_only) {
  static uint64_t word;
  static uint64_t before[2];
  const auto rounds = static_cast<uint64_t>(scaled(20'000));
  ASSERT_EQ(weft_word_purge(&word), 0);
  auto writes = [&] {
    for (uint64_t i = 1; i <= rounds; ++i) {
      EXPECT_EQ(weft_word_write_ef(&word, 2 * i), 0);
      if (i == rounds) break;
      weft_task_yield();
      EXPECT_EQ(weft_word_purge_to(&word, 2 * i + 1), 0);
    }
  };
  before[0] = 17;
  auto reads = [&] {
    uint64_t last = 0;
    while (last < 2 * rounds) {
      uint64_t v = 0;
      EXPECT_EQ(weft_word_read_ff(&word, &v), 0);
      EXPECT_EQ(v % 2, 0u);
      EXPECT_GE(v, last);
      EXPECT_EQ(before[0], 17u);
      last = v;
      weft_task_yield();
    }
  };
  std::vector<weft_task_t> tasks{spawn(reads), spawn(reads), spawn(writes)};
  std::thread foreign(reads);
  for (const weft_task_t t : tasks) join(t);
  foreign.join();
}

// Words whose entries come and go all the time make the table split and merge under waiters.
TEST_F(word_stress, waiters_follow_a_table_that_grows_and_shrinks) {
  const auto count = static_cast<size_t>(scaled(4000) + 400);
  std::vector<uint64_t> words(8 * count);
  std::atomic<bool> stop{false};
  auto churns = [&] {
    do {
      for (size_t i = 0; i < count; ++i) EXPECT_EQ(weft_word_empty(&words[8 * i]), 0);
      weft_task_yield();
      for (size_t i = 0; i < count; ++i) EXPECT_EQ(weft_word_fill(&words[8 * i]), 0);
      weft_task_yield();
    } while (!stop);
  };
  std::vector<uint64_t> slots(16);
  for (uint64_t& s : slots) EXPECT_EQ(weft_word_purge(&s), 0);
  const auto rounds = static_cast<uint64_t>(scaled(500));
  std::vector<token_bearer> ring;
  for (size_t i = 0; i < slots.size(); ++i)
    ring.push_back({&slots[i], &slots[(i + 1) % slots.size()], rounds});
  const weft_task_t churner = spawn(churns);
  std::vector<weft_task_t> tasks;
  for (token_bearer& p : ring) tasks.push_back(spawn(p));
  EXPECT_EQ(weft_word_write_ef(&slots[0], 0), 0);
  for (const weft_task_t t : tasks) join(t);
  stop = true;
  join(churner);
  EXPECT_EQ(slots[0], rounds * slots.size());
  EXPECT_EQ(weft_word_status(&slots[0]), 1);
  for (uint64_t& s : slots) EXPECT_EQ(weft_word_fill(&s), 0);
}

// A ring of words in few lines, at each of which one takes a token and hands it on, for ever if
// need be: so who hands over meets one task, a thread, or nobody, and waits of neighbours lie in
// the same bucket.
TEST_F(word_stress, tokens_go_round_between_tasks_and_threads) {
  static uint64_t ring[cells];
  const auto rounds = static_cast<uint64_t>(scaled(1000));
  for (const uint64_t tokens : {uint64_t{1}, cells / 2, cells - 1}) {
    for (uint64_t i = 0; i < cells; ++i) ASSERT_EQ(weft_word_purge_to(&ring[i], 0), 0);
    for (uint64_t i = 0; i < tokens; ++i) ASSERT_EQ(weft_word_write_ef(&ring[i], 0), 0);
    std::vector<token_bearer> all;
    for (uint64_t i = 0; i < cells; ++i)
      all.push_back({&ring[i], &ring[(i + 1) % cells], rounds * tokens});
    std::vector<weft_task_t> tasks;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < all.size(); ++i) {
      if (i % cells != 5) {
        tasks.push_back(spawn(all[i]));
      } else {
        threads.emplace_back(all[i]);
      }
    }
    for (const weft_task_t t : tasks) join(t);
    for (std::thread& t : threads) t.join();
    uint64_t sum = 0;
    for (uint64_t& w : ring) {
      uint64_t token = 0;
      if (weft_word_try_read_fe(&w, &token) == 0) sum += token;
      EXPECT_EQ(weft_word_fill(&w), 0);
    }
    EXPECT_EQ(sum, rounds * tokens * cells);
  }
}

// Many write one word and as many take from it, without a deadline, while others look; so turns are
// handed over where more than one waits, and the group moves from host to host.
TEST_F(word_stress, many_take_turns_at_one_word) {
  static uint64_t word;
  const auto rounds = static_cast<uint64_t>(scaled(4000));
  constexpr uint64_t pairs = 4;
  ASSERT_EQ(weft_word_purge(&word), 0);
  std::atomic<uint64_t> sum{0};
  std::atomic<uint64_t> takers{pairs};
  auto writes = [&] {
    for (uint64_t i = 1; i <= rounds; ++i) EXPECT_EQ(weft_word_write_ef(&word, i), 0);
  };
  auto takes = [&] {
    for (uint64_t i = 1; i <= rounds; ++i) {
      uint64_t v = 0;
      EXPECT_EQ(weft_word_read_fe(&word, &v), 0);
      sum += v;
    }
    const bool was_last = --takers == 0;
    EXPECT_EQ(was_last ? weft_word_write_f(&word, 0) : 0, 0);
  };
  auto reads = [&] {
    while (takers != 0) {
      EXPECT_EQ(weft_word_read_ff_until(&word, nullptr, weft_time_now_ns() + 20'000) % ETIMEDOUT,
                0);
      weft_task_yield();
    }
  };
  std::vector<weft_task_t> tasks{spawn(reads)};
  for (uint64_t i = 1; i < pairs; ++i) {
    tasks.push_back(spawn(writes));
    tasks.push_back(spawn(takes));
  }
  std::thread writer(writes);
  std::thread taker(takes);
  for (const weft_task_t t : tasks) join(t);
  writer.join();
  taker.join();
  EXPECT_EQ(sum, pairs * rounds * (rounds + 1) / 2);
  EXPECT_EQ(weft_word_status(&word), 1);
}

}  // namespace
}  // namespace weft::test
