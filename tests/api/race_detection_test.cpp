// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Under thread sanitizer a race between two tasks is found although one worker runs both in turn,
// be they called, switched to or resumed; and what the API orders is no race.
#include <cstdlib>
#include <functional>
#include <vector>

#include "support.hpp"

extern "C" {
static int races = 0;
__attribute__((no_sanitize("thread"))) void __tsan_on_report(void*) { races++; }
}

namespace weft::test {
namespace {

__attribute__((no_sanitize("thread"), noinline)) int races_found() { return races; }

class race_detection : public testing::Test {
 protected:
  void SetUp() override {
    if (!tsan) GTEST_SKIP() << "only for ThreadSanitizer";
  }
  // A word for each test, as TSan remembers who wrote the last one. Races found while body runs.
  static int races_of(const std::function<void(uint64_t*)>& body) {
    static uint64_t words[16];
    static int next = 0;
    const runtime weft(1);
    const int before = races_found();
    body(&words[next++]);
    return races_found() - before;
  }
};

TEST_F(race_detection, between_two_tasks_that_the_loop_called) {
  EXPECT_GT(races_of([](uint64_t* word) {
              auto writes = [word] { *word += 1; };
              const weft_task_t a = spawn(writes);
              const weft_task_t b = spawn(writes);
              weft_task_yield();
              join(a);
              join(b);
            }),
            0);
}

TEST_F(race_detection, between_a_task_called_inline_and_what_its_joiner_did_after_the_spawn) {
  EXPECT_GT(races_of([](uint64_t* word) {
              auto writes = [word] { *word += 1; };
              const weft_task_t t = spawn(writes);
              *word += 1;
              join(t);
            }),
            0);
}

TEST_F(race_detection, between_two_tasks_that_yield_to_each_other) {
  EXPECT_GT(races_of([](uint64_t* word) {
              auto writes = [word] {
                weft_task_yield();
                weft_task_yield();
                *word += 1;
                weft_task_yield();
              };
              const weft_task_t a = spawn(writes);
              const weft_task_t b = spawn(writes);
              join(a);
              join(b);
            }),
            0);
}

TEST_F(race_detection, not_between_a_spawner_and_its_child) {
  EXPECT_EQ(races_of([](uint64_t* word) {
              auto writes = [word] { *word += 1; };
              for (int i = 0; i < 10; ++i) {
                *word += 1;
                const weft_task_t t = spawn(writes);
                if (i % 2 == 0) weft_task_yield();
                join(t);
              }
            }),
            0);
}

TEST_F(race_detection, not_between_a_resume_and_the_suspend_that_it_ends) {
  EXPECT_EQ(races_of([](uint64_t* word) {
              const weft_task_t me = weft_task_self();
              auto writes = [word, me] {
                *word += 1;
                EXPECT_EQ(weft_task_resume(me), 0);
              };
              for (int i = 0; i < 10; ++i) {
                const weft_task_t t = spawn(writes);
                EXPECT_EQ(weft_task_suspend(), 0);
                *word += 1;
                join(t);
              }
            }),
            0);
}

// Whose worker puts it there, in no task.
TEST_F(race_detection, not_between_who_gives_a_task_its_key_and_the_pool_that_it_goes_to) {
  EXPECT_EQ(races_of([](uint64_t*) {
              weft_pool_config_t config{};
              config.size = sizeof config;
              config.order = WEFT_POOL_KEY_FIFO;
              weft_pool_t pools[2];
              for (weft_pool_t& p : pools) EXPECT_EQ(weft_pool_create(&config, &p), 0);
              weft_scheduler_config_t both{};
              both.size = sizeof both;
              both.pools = pools;
              both.count = 2;
              weft_scheduler_t s = nullptr;
              EXPECT_EQ(weft_scheduler_create(&both, &s), 0);
              EXPECT_EQ(weft_worker_set_scheduler(0, s), 0);
              auto goes = [&] {
                EXPECT_EQ(weft_task_migrate(pools[1]), 0);
                weft_task_yield();  // comes there by its worker
              };
              std::vector<weft_task_t> tasks;
              for (const uint64_t key : {1, 2, 3}) {
                weft_spawn_t how = on_worker(pools[0]);
                how.key = &key;
                how.key_words = 1;
                tasks.push_back(spawn(goes, how));
              }
              for (const weft_task_t t : tasks) join(t);
              EXPECT_EQ(weft_scheduler_free(s), 0);
            }),
            0);
}

// A worker's thread writes the canaries of the stacks that it makes, in no task.
TEST_F(race_detection, not_between_a_task_that_parks_and_who_made_its_stack) {
  setenv("WEFT_GUARD", "canary", 1);
  const int before = races_found();
  {
    const runtime weft(4);
    auto parks = [] { weft_task_yield(); };
    std::vector<weft_task_t> tasks;
    for (uint32_t i = 0; i < 16; ++i) tasks.push_back(spawn(parks, on_worker(i % 4)));
    for (const weft_task_t t : tasks) join(t);
  }
  EXPECT_EQ(races_found(), before);
  unsetenv("WEFT_GUARD");
}

}  // namespace
}  // namespace weft::test
