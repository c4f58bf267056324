// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of tasks, and words that a task fills at its end. WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <thread>

#include "support.hpp"

namespace weft::test {
namespace {

class embed : public at_workers {};

TEST_F(embed, a_record_belongs_to_its_task_also_inline) {
  int mine = 0;
  EXPECT_EQ(weft_task_record(), nullptr);
  ASSERT_EQ(weft_task_set_record(&mine), 0);
  auto child = [&] {
    EXPECT_EQ(weft_task_record(), nullptr);
    int own = 0;
    ASSERT_EQ(weft_task_set_record(&own), 0);
    weft_task_yield();
    EXPECT_EQ(weft_task_record(), &own);
    ASSERT_EQ(weft_task_set_record(nullptr), 0);
    EXPECT_EQ(weft_task_record(), nullptr);
  };
  for (int i = 0; i < 10; ++i) join(spawn(child));
  EXPECT_EQ(weft_task_record(), &mine);
  ASSERT_EQ(weft_task_set_record(nullptr), 0);
  std::thread([&] {
    EXPECT_EQ(weft_task_set_record(&mine), -EPERM);
    EXPECT_EQ(weft_task_record(), nullptr);
  }).join();
}

struct product {
  uint64_t word = 0;
  weft_producer_t producer;
  std::atomic<bool>* go = nullptr;
};

void* produce(void* arg) {
  auto* p = static_cast<product*>(arg);
  while (p->go != nullptr && !*p->go) weft_task_yield();
  EXPECT_EQ(weft_word_produce(&p->word, &p->producer, 42), 0);
  return nullptr;
}

int spawn_producer(product& p, const weft_spawn_t* how = nullptr) {
  return weft_task_spawn_producer(produce, &p, how, &p.word, &p.producer);
}

TEST_F(embed, who_reads_the_word_gets_what_the_task_produces) {
  for (int i = 0; i < 100; ++i) {
    product p;
    uint64_t got = 0;
    ASSERT_EQ(spawn_producer(p), 0);
    EXPECT_EQ(weft_word_read_ff(&p.word, &got), 0);
    EXPECT_EQ(got, 42u);
    EXPECT_EQ(weft_word_status(&p.word), 1);
  }
}

TEST_F(embed, the_word_is_empty_until_then_and_anybody_may_fill_it) {
  std::atomic<bool> go{false};
  product p;
  p.go = &go;
  uint64_t got = 0;
  ASSERT_EQ(spawn_producer(p), 0);
  EXPECT_EQ(weft_word_status(&p.word), 0);
  EXPECT_EQ(weft_word_write_ef(&p.word, 1), 0);
  EXPECT_EQ(weft_word_read_fe(&p.word, &got), 0);
  EXPECT_EQ(got, 1u);
  go = true;
  EXPECT_EQ(weft_word_read_ff(&p.word, &got), 0);
  EXPECT_EQ(got, 42u);
}

TEST_F(embed, a_producer_may_be_pinned_or_come_from_outside) {
  const weft_spawn_t last = on_worker(weft_worker_count() - 1);
  product p;
  ASSERT_EQ(spawn_producer(p, &last), 0);
  EXPECT_EQ(weft_word_read_ff(&p.word, nullptr), 0);
  product q;
  std::atomic<bool> done{false};
  std::thread outside([&] {
    ASSERT_EQ(spawn_producer(q), 0);
    uint64_t got = 0;
    EXPECT_EQ(weft_word_read_ff(&q.word, &got), 0);
    EXPECT_EQ(got, 42u);
    done = true;
  });
  EXPECT_TRUE(yield_until([&] { return done.load(); }));
  outside.join();
}

TEST_F(embed, bad_requests_change_nothing) {
  product p;
  auto* odd = reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(&p.word) + 1);
  const weft_spawn_t first = with_flags(WEFT_SPAWN_WORK_FIRST);
  const weft_spawn_t nowhere = on_worker(weft_worker_count());
  EXPECT_EQ(weft_task_spawn_producer(nullptr, &p, nullptr, &p.word, &p.producer), -EINVAL);
  EXPECT_EQ(weft_task_spawn_producer(produce, &p, nullptr, nullptr, &p.producer), -EINVAL);
  EXPECT_EQ(weft_task_spawn_producer(produce, &p, nullptr, odd, &p.producer), -EINVAL);
  EXPECT_EQ(weft_task_spawn_producer(produce, &p, nullptr, &p.word, nullptr), -EINVAL);
  EXPECT_EQ(spawn_producer(p, &first), -EINVAL);
  EXPECT_EQ(spawn_producer(p, &nowhere), -ERANGE);
  EXPECT_EQ(weft_word_produce(nullptr, &p.producer, 1), -EINVAL);
  EXPECT_EQ(weft_word_produce(&p.word, nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_word_status(&p.word), 1);
}

}  // namespace
}  // namespace weft::test
