// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty bits and syncvars: what each operation does, who is served, who waits, every error.
#include <cerrno>
#include <memory>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

int64_t past() { return weft_time_now_ns() - 1; }

// The same operations on both kinds of word.
struct word_kind {
  alignas(8) uint64_t at;
  explicit word_kind(uint64_t value) : at(value) {}
  ~word_kind() { EXPECT_EQ(weft_word_fill(&at), 0); }  // the address lives on
  word_kind(const word_kind&) = delete;
  word_kind& operator=(const word_kind&) = delete;
  int status() { return weft_word_status(&at); }
  int empty() { return weft_word_empty(&at); }
  int fill() { return weft_word_fill(&at); }
  int write_f(uint64_t v) { return weft_word_write_f(&at, v); }
  int read_xx(uint64_t* out) { return weft_word_read_xx(&at, out); }
  int read_ff(uint64_t* out) { return weft_word_read_ff(&at, out); }
  int read_fe(uint64_t* out) { return weft_word_read_fe(&at, out); }
  int write_ef(uint64_t v) { return weft_word_write_ef(&at, v); }
  int write_ff(uint64_t v) { return weft_word_write_ff(&at, v); }
  int try_read_ff(uint64_t* out) { return weft_word_try_read_ff(&at, out); }
  int try_read_fe(uint64_t* out) { return weft_word_try_read_fe(&at, out); }
  int try_write_ef(uint64_t v) { return weft_word_try_write_ef(&at, v); }
  int try_write_ff(uint64_t v) { return weft_word_try_write_ff(&at, v); }
  int read_ff_until(uint64_t* out, int64_t d) { return weft_word_read_ff_until(&at, out, d); }
  int read_fe_until(uint64_t* out, int64_t d) { return weft_word_read_fe_until(&at, out, d); }
  int write_ef_until(uint64_t v, int64_t d) { return weft_word_write_ef_until(&at, v, d); }
  int write_ff_until(uint64_t v, int64_t d) { return weft_word_write_ff_until(&at, v, d); }
};

struct syncvar_kind {
  weft_syncvar_t at;
  explicit syncvar_kind(uint64_t value) : at WEFT_SYNCVAR_INIT_TO(value) {}
  int status() { return weft_syncvar_status(&at); }
  int empty() { return weft_syncvar_empty(&at); }
  int fill() { return weft_syncvar_fill(&at); }
  int write_f(uint64_t v) { return weft_syncvar_write_f(&at, v); }
  int read_xx(uint64_t* out) { return weft_syncvar_read_xx(&at, out); }
  int read_ff(uint64_t* out) { return weft_syncvar_read_ff(&at, out); }
  int read_fe(uint64_t* out) { return weft_syncvar_read_fe(&at, out); }
  int write_ef(uint64_t v) { return weft_syncvar_write_ef(&at, v); }
  int write_ff(uint64_t v) { return weft_syncvar_write_ff(&at, v); }
  int try_read_ff(uint64_t* out) { return weft_syncvar_try_read_ff(&at, out); }
  int try_read_fe(uint64_t* out) { return weft_syncvar_try_read_fe(&at, out); }
  int try_write_ef(uint64_t v) { return weft_syncvar_try_write_ef(&at, v); }
  int try_write_ff(uint64_t v) { return weft_syncvar_try_write_ff(&at, v); }
  int read_ff_until(uint64_t* out, int64_t d) { return weft_syncvar_read_ff_until(&at, out, d); }
  int read_fe_until(uint64_t* out, int64_t d) { return weft_syncvar_read_fe_until(&at, out, d); }
  int write_ef_until(uint64_t v, int64_t d) { return weft_syncvar_write_ef_until(&at, v, d); }
  int write_ff_until(uint64_t v, int64_t d) { return weft_syncvar_write_ff_until(&at, v, d); }
};

template <class Kind>
class word : public testing::Test {};
using kinds = testing::Types<word_kind, syncvar_kind>;
TYPED_TEST_SUITE(word, kinds);

// What every operation does where it need not wait, and what its try and timed forms say where it
// must.
template <class Kind>
void check_all_forms() {
  Kind w(5);
  uint64_t v = 0;
  EXPECT_EQ(w.status(), 1);
  EXPECT_EQ(w.read_ff(&v), 0);
  EXPECT_EQ(v, 5u);
  EXPECT_EQ(w.try_read_ff(nullptr), 0);
  EXPECT_EQ(w.read_ff_until(&v, past()), 0);
  EXPECT_EQ(w.write_ff(6), 0);
  EXPECT_EQ(w.try_write_ff(7), 0);
  EXPECT_EQ(w.write_ff_until(8, past()), 0);
  EXPECT_EQ(w.try_write_ef(9), -EBUSY);
  EXPECT_EQ(w.write_ef_until(9, past()), -ETIMEDOUT);
  EXPECT_EQ(w.write_ef_until(9, INT64_MIN), -ETIMEDOUT);
  EXPECT_EQ(w.status(), 1);
  EXPECT_EQ(w.read_fe(&v), 0);
  EXPECT_EQ(v, 8u);
  EXPECT_EQ(w.status(), 0);
  EXPECT_EQ(w.try_read_ff(&v), -EBUSY);
  EXPECT_EQ(w.try_read_fe(&v), -EBUSY);
  EXPECT_EQ(w.try_write_ff(1), -EBUSY);
  EXPECT_EQ(w.read_ff_until(&v, past()), -ETIMEDOUT);
  EXPECT_EQ(w.read_fe_until(&v, past()), -ETIMEDOUT);
  EXPECT_EQ(w.write_ff_until(1, past()), -ETIMEDOUT);
  v = 0;
  EXPECT_EQ(w.read_xx(&v), 0);
  EXPECT_EQ(v, 8u) << "an emptied word keeps its value";
  EXPECT_EQ(w.write_ef(10), 0);
  EXPECT_EQ(w.try_read_fe(&v), 0);
  EXPECT_EQ(v, 10u);
  EXPECT_EQ(w.try_write_ef(11), 0);
  EXPECT_EQ(w.read_fe_until(&v, past()), 0);
  EXPECT_EQ(v, 11u);
  EXPECT_EQ(w.write_ef_until(12, past()), 0);
  EXPECT_EQ(w.empty(), 0);
  EXPECT_EQ(w.empty(), 0);
  EXPECT_EQ(w.status(), 0);
  EXPECT_EQ(w.fill(), 0);
  EXPECT_EQ(w.fill(), 0);
  EXPECT_EQ(w.read_ff(&v), 0);
  EXPECT_EQ(v, 12u);
  EXPECT_EQ(w.empty(), 0);
  EXPECT_EQ(w.write_f(13), 0);
  EXPECT_EQ(w.status(), 1);
  EXPECT_EQ(w.write_f(14), 0);
  EXPECT_EQ(w.read_fe(nullptr), 0);
  EXPECT_EQ(w.write_f(15), 0);
  EXPECT_EQ(w.read_ff(&v), 0);
  EXPECT_EQ(v, 15u);
}

TYPED_TEST(word, every_form_before_the_start) { check_all_forms<TypeParam>(); }

TYPED_TEST(word, every_form_in_the_thread_that_starts) {
  const runtime weft(2);
  check_all_forms<TypeParam>();
}

TYPED_TEST(word, every_form_in_a_task) {
  const runtime weft(2);
  auto body = [] { check_all_forms<TypeParam>(); };
  run_apart(body);
}

TYPED_TEST(word, every_form_in_an_inlined_task) {
  const runtime weft(1);
  auto body = [] { check_all_forms<TypeParam>(); };
  join(spawn(body));
}

TYPED_TEST(word, every_form_in_a_foreign_thread) {
  const runtime weft(2);
  std::thread([] { check_all_forms<TypeParam>(); }).join();
}

TYPED_TEST(word, a_write_wakes_a_reader_that_waits) {
  for (const uint32_t workers : {1u, 2u, 7u}) {
    const runtime weft(workers);
    TypeParam w(0);
    EXPECT_EQ(w.empty(), 0);
    auto reads = [&] {
      uint64_t v = 0;
      EXPECT_EQ(w.read_ff(&v), 0);
      EXPECT_EQ(v, 4u);
    };
    std::vector<weft_task_t> tasks;
    for (int i = 0; i < 20; ++i) tasks.push_back(spawn(reads));
    weft_task_yield();
    EXPECT_EQ(w.write_ef(4), 0);
    for (const weft_task_t t : tasks) join(t);
    EXPECT_EQ(w.status(), 1);
  }
}

TYPED_TEST(word, one_fill_serves_writers_then_readers_then_one_taker) {
  const runtime weft(1);
  TypeParam w(0);
  EXPECT_EQ(w.empty(), 0);
  std::atomic<int> read{0};
  std::atomic<int> taken{0};
  std::atomic<uint64_t> sum{0};
  auto reads = [&] {
    uint64_t v = 0;
    EXPECT_EQ(w.read_ff(&v), 0);
    sum += v;
    ++read;
  };
  auto takes = [&] {
    uint64_t v = 0;
    EXPECT_EQ(w.read_fe(&v), 0);
    EXPECT_EQ(v, taken++ == 0 ? 22u : 30u);
  };
  auto writes = [&] { EXPECT_EQ(w.write_ff(22), 0); };
  std::vector<weft_task_t> tasks{spawn(takes), spawn(reads), spawn(writes), spawn(reads),
                                 spawn(takes)};
  while (weft_task_yield() == 0 && stats().parks < 6) {
  }
  for (int i = 0; i < 5; ++i) weft_task_yield();
  EXPECT_EQ(w.write_ef(21), 0);
  for (int i = 0; i < 5; ++i) weft_task_yield();
  EXPECT_EQ(read, 2);
  EXPECT_EQ(sum, 44u) << "a writer that waited writes before readers read";
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(w.status(), 0);
  EXPECT_EQ(w.write_f(30), 0);
  for (const weft_task_t t : tasks) join(t);
  EXPECT_EQ(taken, 2);
  EXPECT_EQ(w.status(), 0);
}

TYPED_TEST(word, emptying_lets_one_writer_in) {
  const runtime weft(1);
  TypeParam w(1);
  struct body {
    TypeParam& w;
    uint64_t value;
    void operator()() const { EXPECT_EQ(w.write_ef(value), 0); }
  };
  body a{w, 2};
  body b{w, 3};
  const weft_task_t ta = spawn(a);
  const weft_task_t tb = spawn(b);
  for (int i = 0; i < 5; ++i) weft_task_yield();
  uint64_t seen[3] = {};
  EXPECT_EQ(w.read_fe(&seen[0]), 0);
  EXPECT_EQ(w.status(), 1);
  EXPECT_EQ(w.empty(), 0);  // drops the value of the first
  EXPECT_EQ(w.status(), 1);
  EXPECT_EQ(w.read_fe(&seen[1]), 0);
  EXPECT_EQ(w.status(), 0);
  EXPECT_EQ(seen[0], 1u);
  EXPECT_EQ(seen[1] == 2 || seen[1] == 3, true);
  join(ta);
  join(tb);
}

TYPED_TEST(word, a_wait_that_timed_out_takes_nothing) {
  const runtime weft(2);
  TypeParam w(0);
  EXPECT_EQ(w.empty(), 0);
  auto gives_up = [&] {
    uint64_t v = 77;
    EXPECT_EQ(w.read_fe_until(&v, weft_time_now_ns() + 1'000'000), -ETIMEDOUT);
    EXPECT_EQ(v, 77u);
  };
  std::vector<weft_task_t> tasks;
  for (int i = 0; i < 10; ++i) tasks.push_back(spawn(gives_up));
  std::thread foreign(gives_up);
  for (const weft_task_t t : tasks) join(t);
  foreign.join();
  EXPECT_EQ(w.write_ef(5), 0);
  EXPECT_EQ(w.status(), 1);
}

TYPED_TEST(word, tasks_and_foreign_threads_hand_over_to_each_other) {
  const runtime weft(2);
  TypeParam w(0);
  EXPECT_EQ(w.empty(), 0);
  const uint64_t count = static_cast<uint64_t>(scaled(2000));
  std::atomic<uint64_t> sum{0};
  auto produces = [&] {
    for (uint64_t i = 1; i <= count; ++i) EXPECT_EQ(w.write_ef(i), 0);
  };
  auto consumes = [&] {
    for (uint64_t i = 1; i <= count; ++i) {
      uint64_t v = 0;
      EXPECT_EQ(w.read_fe(&v), 0);
      sum += v;
    }
  };
  std::thread foreign_producer(produces);
  std::thread foreign_consumer(consumes);
  const weft_task_t p = spawn(produces);
  const weft_task_t c = spawn(consumes);
  join(p);
  join(c);
  foreign_producer.join();
  foreign_consumer.join();
  EXPECT_EQ(sum, count * (count + 1));
  EXPECT_EQ(w.status(), 0);
}

TYPED_TEST(word, a_stackless_task_takes_what_is_there_and_waits_for_nothing) {
  const runtime weft(1);
  TypeParam w(3);
  uint64_t v = 0;
  int results[3] = {};
  auto body = [&] {
    results[0] = w.read_fe(&v);
    results[1] = w.read_fe(&v);
    results[2] = w.read_fe_until(&v, weft_time_now_ns() + 1'000'000'000);
  };
  testing::internal::CaptureStderr();
  join(spawn(body, with_flags(WEFT_SPAWN_STACKLESS)));
  (void)testing::internal::GetCapturedStderr();
  EXPECT_EQ(results[0], 0);
  EXPECT_EQ(v, 3u);
  EXPECT_EQ(results[1], -EPERM);
  EXPECT_EQ(results[2], -EPERM);
  EXPECT_EQ(w.write_ef(4), 0);
  EXPECT_EQ(w.status(), 1) << "nobody stands there";
}

// What a filler wrote before is seen by a reader afterwards, without any other order.
TYPED_TEST(word, a_fill_publishes_what_preceded_it) {
  const runtime weft(2);
  for (int round = 0; round < scaled(2000); ++round) {
    TypeParam w(0);
    EXPECT_EQ(w.empty(), 0);
    int data = 0;
    auto writes = [&] {
      data = round + 1;
      EXPECT_EQ(w.fill(), 0);
    };
    std::atomic<int> seen{0};
    auto reads = [&] {
      EXPECT_EQ(w.read_ff(nullptr), 0);
      seen += data == round + 1;
    };
    const weft_task_t a = spawn(reads);
    const weft_task_t b = spawn(writes);
    EXPECT_EQ(w.read_ff(nullptr), 0);
    EXPECT_EQ(data, round + 1);
    join(b);
    join(a);
    EXPECT_EQ(seen, 1);
  }
}

TEST(word_only, purge_writes_and_empties) {
  word_kind w(5);
  uint64_t v = 1;
  EXPECT_EQ(weft_word_purge(&w.at), 0);
  EXPECT_EQ(w.status(), 0);
  EXPECT_EQ(w.read_xx(&v), 0);
  EXPECT_EQ(v, 0u);
  EXPECT_EQ(weft_word_purge_to(&w.at, 9), 0);  // empty already
  EXPECT_EQ(w.status(), 0);
  EXPECT_EQ(w.fill(), 0);
  EXPECT_EQ(w.read_ff(&v), 0);
  EXPECT_EQ(v, 9u);
}

TEST(word_only, a_purge_is_overtaken_by_a_writer_that_waits) {
  const runtime weft(1);
  word_kind w(5);
  auto writes = [&] { EXPECT_EQ(w.write_ef(6), 0); };
  const weft_task_t t = spawn(writes);
  for (int i = 0; i < 3; ++i) weft_task_yield();
  EXPECT_EQ(weft_word_purge_to(&w.at, 7), 0);
  uint64_t v = 0;
  EXPECT_EQ(w.try_read_ff(&v), 0);
  EXPECT_EQ(v, 6u);
  join(t);
}

TEST(word_only, reading_a_word_into_itself_leaves_it_as_it_is) {
  word_kind w(5);
  EXPECT_EQ(w.read_ff(&w.at), 0);
  EXPECT_EQ(w.read_fe(&w.at), 0);
  EXPECT_EQ(w.status(), 0);
  EXPECT_EQ(w.at, 5u);
}

TEST(word_only, bad_addresses_are_refused) {
  alignas(8) char bytes[24] = {};
  auto* crooked = reinterpret_cast<uint64_t*>(bytes + 4);
  for (uint64_t* at : {static_cast<uint64_t*>(nullptr), crooked}) {
    uint64_t v = 0;
    EXPECT_EQ(weft_word_status(at), -EINVAL);
    EXPECT_EQ(weft_word_empty(at), -EINVAL);
    EXPECT_EQ(weft_word_fill(at), -EINVAL);
    EXPECT_EQ(weft_word_purge(at), -EINVAL);
    EXPECT_EQ(weft_word_purge_to(at, 1), -EINVAL);
    EXPECT_EQ(weft_word_write_f(at, 1), -EINVAL);
    EXPECT_EQ(weft_word_read_xx(at, &v), -EINVAL);
    EXPECT_EQ(weft_word_read_ff(at, &v), -EINVAL);
    EXPECT_EQ(weft_word_read_fe(at, &v), -EINVAL);
    EXPECT_EQ(weft_word_write_ef(at, 1), -EINVAL);
    EXPECT_EQ(weft_word_write_ff(at, 1), -EINVAL);
    EXPECT_EQ(weft_word_try_read_ff(at, &v), -EINVAL);
    EXPECT_EQ(weft_word_try_read_fe(at, &v), -EINVAL);
    EXPECT_EQ(weft_word_try_write_ef(at, 1), -EINVAL);
    EXPECT_EQ(weft_word_try_write_ff(at, 1), -EINVAL);
    EXPECT_EQ(weft_word_read_ff_until(at, &v, 0), -EINVAL);
    EXPECT_EQ(weft_word_read_fe_until(at, &v, 0), -EINVAL);
    EXPECT_EQ(weft_word_write_ef_until(at, 1, 0), -EINVAL);
    EXPECT_EQ(weft_word_write_ff_until(at, 1, 0), -EINVAL);
  }
}

TEST(syncvar_only, a_value_too_large_is_refused_and_nothing_happens) {
  weft_syncvar_t s = WEFT_SYNCVAR_INIT_EMPTY;
  EXPECT_EQ(weft_syncvar_write_ef(&s, WEFT_SYNCVAR_MAX + 1), -EOVERFLOW);
  EXPECT_EQ(weft_syncvar_write_f(&s, WEFT_SYNCVAR_MAX + 1), -EOVERFLOW);
  EXPECT_EQ(weft_syncvar_status(&s), 0);
  EXPECT_EQ(weft_syncvar_write_ef(&s, WEFT_SYNCVAR_MAX), 0);
  EXPECT_EQ(weft_syncvar_write_ff(&s, WEFT_SYNCVAR_MAX + 1), -EOVERFLOW);
  uint64_t v = 0;
  EXPECT_EQ(weft_syncvar_read_ff(&s, &v), 0);
  EXPECT_EQ(v, WEFT_SYNCVAR_MAX);
}

TEST(syncvar_only, an_increment_fills_and_gives_the_sum) {
  weft_syncvar_t s = WEFT_SYNCVAR_INIT_TO(5);
  EXPECT_EQ(weft_syncvar_empty(&s), 0);
  uint64_t sum = 0;
  EXPECT_EQ(weft_syncvar_add_f(&s, 2, &sum), 0);
  EXPECT_EQ(sum, 7u);
  EXPECT_EQ(s.bits, 0x70u);
  EXPECT_EQ(weft_syncvar_add_f(&s, UINT64_MAX, nullptr), 0);
  EXPECT_EQ(s.bits, 0x60u);
  EXPECT_EQ(weft_syncvar_add_f(&s, WEFT_SYNCVAR_MAX, &sum), 0);
  EXPECT_EQ(sum, 5u);
  EXPECT_EQ(s.bits, 0x50u);
}

TEST(syncvar_only, an_increment_serves_readers_and_leaves_writers_waiting) {
  const runtime weft(1);
  weft_syncvar_t s = WEFT_SYNCVAR_INIT_EMPTY;
  uint64_t got = 0, sum = 0;
  auto reads = [&] { EXPECT_EQ(weft_syncvar_read_ff(&s, &got), 0); };
  auto writes = [&] { EXPECT_EQ(weft_syncvar_write_ef(&s, 100), 0); };
  const auto await_parks = [](uint64_t n) {
    while (weft_task_yield() == 0 && stats().parks < n) {
    }
  };
  const weft_task_t reader = spawn(reads);
  await_parks(1);
  EXPECT_EQ(weft_syncvar_add_f(&s, 3, &sum), 0);
  EXPECT_EQ(sum, 3u);
  join(reader);
  EXPECT_EQ(got, 3u);
  const weft_task_t writer = spawn(writes);
  await_parks(2);
  EXPECT_EQ(weft_syncvar_add_f(&s, 3, &sum), 0);
  EXPECT_EQ(sum, 6u);
  EXPECT_EQ(weft_syncvar_status(&s), 1);
  EXPECT_EQ(weft_syncvar_read_fe(&s, &got), 0);  // the writer fills it at once
  EXPECT_EQ(got, 6u);
  EXPECT_EQ(weft_syncvar_status(&s), 1);
  join(writer);
  EXPECT_EQ(weft_syncvar_add_f(&s, 1, &sum), 0);
  EXPECT_EQ(sum, 101u);
}

TEST(syncvar_only, the_layout_is_that_of_qthreads) {
  weft_syncvar_t s = WEFT_SYNCVAR_INIT_TO(5);
  EXPECT_EQ(s.bits, 0x50u);
  EXPECT_EQ(weft_syncvar_empty(&s), 0);
  EXPECT_EQ(s.bits, 0x54u);
}

TEST(syncvar_only, bad_addresses_are_refused) {
  uint64_t v = 0;
  EXPECT_EQ(weft_syncvar_status(nullptr), -EINVAL);
  EXPECT_EQ(weft_syncvar_empty(nullptr), -EINVAL);
  EXPECT_EQ(weft_syncvar_fill(nullptr), -EINVAL);
  EXPECT_EQ(weft_syncvar_write_f(nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_syncvar_add_f(nullptr, 1, &v), -EINVAL);
  EXPECT_EQ(weft_syncvar_read_xx(nullptr, &v), -EINVAL);
  EXPECT_EQ(weft_syncvar_read_ff(nullptr, &v), -EINVAL);
  EXPECT_EQ(weft_syncvar_read_fe(nullptr, &v), -EINVAL);
  EXPECT_EQ(weft_syncvar_write_ef(nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_syncvar_write_ff(nullptr, 1), -EINVAL);
}

// After weft_stop the stacks of tasks that still waited are gone, and nothing points at them.
TYPED_TEST(word, what_waited_at_a_stop_is_forgotten) {
  TypeParam w(0);
  EXPECT_EQ(w.empty(), 0);
  ASSERT_EQ(weft_start(nullptr), 0);
  auto reads = [&] { (void)w.read_ff(nullptr); };
  auto takes = [&] { (void)w.read_fe(nullptr); };
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(weft_task_spawn(call<decltype(reads)>, &reads, nullptr), 0);
    EXPECT_EQ(weft_task_spawn(call<decltype(takes)>, &takes, nullptr), 0);
  }
  EXPECT_EQ(weft_stop(), 10);
  const runtime weft(2);
  EXPECT_EQ(w.write_ef(3), 0);
  EXPECT_EQ(w.status(), 1);
}

// Many words, each with waiters of its own, while the table grows under them.
TEST(word_only, many_words_with_waiters_each) {
  const runtime weft(2);
  const size_t count = static_cast<size_t>(scaled(20'000));
  const auto words = std::make_unique<uint64_t[]>(count);
  struct body {
    uint64_t* word;
    void operator()() const {
      uint64_t v = 0;
      EXPECT_EQ(weft_word_read_fe(word, &v), 0);
      EXPECT_EQ(weft_word_write_ef(word, v + 1), 0);
    }
  };
  for (size_t i = 0; i < count; ++i) EXPECT_EQ(weft_word_purge(&words[i]), 0);
  std::vector<body> bodies;
  for (size_t i = 0; i < count; ++i) bodies.push_back({&words[i]});
  std::vector<weft_task_t> tasks;
  for (body& b : bodies) tasks.push_back(spawn(b));
  for (int i = 0; i < 3; ++i) weft_task_yield();
  for (size_t i = 0; i < count; ++i) EXPECT_EQ(weft_word_write_ef(&words[i], i), 0);
  for (const weft_task_t t : tasks) join(t);
  for (size_t i = 0; i < count; ++i) ASSERT_EQ(words[i], i + 1);
}

class spawn_when : public testing::Test {
 protected:
  void SetUp() override {
    for (uint64_t& w : words_) EXPECT_EQ(weft_word_empty(&w), 0);
  }
  void TearDown() override {
    for (uint64_t& w : words_) EXPECT_EQ(weft_word_fill(&w), 0);
  }
  weft_task_t spawn(const weft_spawn_t* how = nullptr) {
    weft_task_t t = nullptr;
    const auto counts = [](void* arg) -> void* {
      ++*static_cast<std::atomic<int>*>(arg);
      return arg;
    };
    EXPECT_EQ(weft_task_spawn_when(counts, &ran_, how, list_, 3, &t), 0);
    return t;
  }

  uint64_t words_[3] = {};
  const uint64_t* list_[3] = {&words_[0], &words_[1], &words_[2]};
  std::atomic<int> ran_{0};
};

TEST_F(spawn_when, starts_when_all_words_have_been_full) {
  const runtime weft(1);
  const weft_task_t t = spawn();
  for (const int i : {2, 0, 1}) {
    for (int k = 0; k < 3; ++k) weft_task_yield();
    EXPECT_EQ(ran_, 0);
    EXPECT_EQ(weft_task_try_join(t, nullptr), -EBUSY);
    EXPECT_EQ(weft_word_write_ef(&words_[i], 1), 0);
  }
  join(t);
  EXPECT_EQ(ran_, 1);
  for (const uint64_t& w : words_) EXPECT_EQ(weft_word_status(&w), 1);
}

TEST_F(spawn_when, starts_at_once_when_all_are_full_or_there_are_none) {
  const runtime weft(2);
  for (uint64_t& w : words_) EXPECT_EQ(weft_word_fill(&w), 0);
  void* result = nullptr;
  EXPECT_EQ(weft_task_join(spawn(), &result), 0);
  EXPECT_EQ(result, &ran_);
  weft_task_t t = nullptr;
  const auto nothing = [](void*) -> void* { return nullptr; };
  EXPECT_EQ(weft_task_spawn_when(nothing, nullptr, nullptr, nullptr, 0, &t), 0);
  join(t);
}

TEST_F(spawn_when, is_started_by_whoever_fills_the_last_word) {
  const runtime weft(2);
  const weft_task_t t = spawn();
  EXPECT_EQ(weft_word_fill(&words_[0]), 0);
  std::thread([&] {
    EXPECT_EQ(weft_word_fill(&words_[1]), 0);
    EXPECT_EQ(weft_word_fill(&words_[2]), 0);
  }).join();
  join(t);
  EXPECT_EQ(ran_, 1);
}

TEST_F(spawn_when, who_waits_behind_it_at_one_word_is_not_served_by_the_next) {
  const runtime weft(1);
  const weft_task_t t = spawn();  // the first at word 0
  std::atomic<uint64_t> sum{0};
  std::atomic<int> came{0};
  auto takes = [&] {
    ++came;
    uint64_t mine = 0;
    EXPECT_EQ(weft_word_read_fe(&words_[0], &mine), 0);
    sum += mine;
  };
  const weft_task_t takers[] = {test::spawn(takes), test::spawn(takes)};
  while (came < 2) weft_task_yield();
  EXPECT_EQ(weft_word_write_ef(&words_[0], 5), 0);  // one of them has it, the other stays
  for (int i = 0; i < 3; ++i) weft_task_yield();
  EXPECT_EQ(sum, 5u);
  EXPECT_EQ(weft_word_write_ef(&words_[1], 77), 0);
  for (int i = 0; i < 3; ++i) weft_task_yield();
  EXPECT_EQ(sum, 5u) << "nobody reads word 1";
  EXPECT_EQ(weft_word_status(&words_[1]), 1);
  EXPECT_EQ(weft_word_write_ef(&words_[2], 78), 0);
  join(t);
  EXPECT_EQ(weft_word_write_ef(&words_[0], 6), 0);
  for (const weft_task_t taker : takers) join(taker);
  EXPECT_EQ(sum, 11u);
}

TEST_F(spawn_when, takes_what_a_spawn_takes) {
  const runtime weft(2);
  weft_spawn_t how = on_worker(1);
  how.flags = WEFT_SPAWN_STACKLESS;
  how.name = "dependent";
  const auto where = [](void* arg) -> void* {
    const int value = *static_cast<int*>(arg);
    EXPECT_EQ(weft_worker_index(), 1u);
    EXPECT_STREQ(weft_task_name(nullptr), "dependent");
    return value == 42 ? arg : nullptr;
  };
  weft_task_t t = nullptr;
  int copied = 42;
  how.copy_bytes = sizeof copied;
  EXPECT_EQ(weft_task_spawn_when(where, &copied, &how, list_, 3, &t), 0);
  copied = 0;
  for (uint64_t& w : words_) EXPECT_EQ(weft_word_fill(&w), 0);
  void* result = nullptr;
  EXPECT_EQ(weft_task_join(t, &result), 0);
  EXPECT_NE(result, nullptr);
}

TEST_F(spawn_when, stands_behind_writers_and_before_who_takes) {
  const runtime weft(1);
  uint64_t taken = 0;
  auto takes = [&] { EXPECT_EQ(weft_word_read_fe(&words_[0], &taken), 0); };
  const weft_task_t taker = weft::test::spawn(takes);
  weft_task_yield();
  const weft_task_t t = spawn();
  EXPECT_EQ(weft_word_fill(&words_[1]), 0);
  EXPECT_EQ(weft_word_fill(&words_[2]), 0);
  EXPECT_EQ(weft_word_write_ef(&words_[0], 8), 0);
  join(t);  // saw it full, though it is empty again
  join(taker);
  EXPECT_EQ(taken, 8u);
  EXPECT_EQ(weft_word_status(&words_[0]), 0);
}

TEST_F(spawn_when, what_never_started_is_lost_at_the_stop) {
  ASSERT_EQ(weft_start(nullptr), 0);
  spawn();
  EXPECT_EQ(weft_stop(), 0);
  const runtime weft(1);
  for (uint64_t& w : words_) EXPECT_EQ(weft_word_fill(&w), 0);
  weft_task_yield();
  EXPECT_EQ(ran_, 0);
}

TEST_F(spawn_when, wrong_calls_are_refused) {
  const runtime weft(1);
  const auto nothing = [](void*) -> void* { return nullptr; };
  weft_task_t t = nullptr;
  const uint64_t* bad[1] = {nullptr};
  EXPECT_EQ(weft_task_spawn_when(nullptr, nullptr, nullptr, list_, 3, &t), -EINVAL);
  EXPECT_EQ(weft_task_spawn_when(nothing, nullptr, nullptr, nullptr, 1, &t), -EINVAL);
  EXPECT_EQ(weft_task_spawn_when(nothing, nullptr, nullptr, bad, 1, &t), -EINVAL);
  bad[0] = reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(&words_[0]) + 4);
  EXPECT_EQ(weft_task_spawn_when(nothing, nullptr, nullptr, bad, 1, &t), -EINVAL);
  weft_spawn_t how = with_flags(WEFT_SPAWN_WORK_FIRST);
  EXPECT_EQ(weft_task_spawn_when(nothing, nullptr, &how, list_, 3, &t), -EINVAL);
  how = on_worker(1);
  EXPECT_EQ(weft_task_spawn_when(nothing, nullptr, &how, list_, 3, &t), -ERANGE);
  EXPECT_EQ(t, nullptr);
}

// A triangle of sums, each started when the two above it are there; and each word has two
// successors.
TEST_F(spawn_when, a_graph_of_tasks_runs_in_its_order) {
  for (const uint32_t workers : {1u, 2u, 7u}) {
    const runtime weft(workers);
    constexpr size_t rows = 60;
    static uint64_t cell[rows][rows];
    struct at {
      size_t row, column;
    };
    const auto add = [](void* arg) -> void* {
      const at& me = *static_cast<at*>(arg);
      uint64_t left = 0;
      uint64_t right = 0;
      if (me.row > 0) {
        EXPECT_EQ(weft_word_try_read_ff(&cell[me.row - 1][me.column - (me.column > 0)], &left), 0);
        EXPECT_EQ(weft_word_try_read_ff(&cell[me.row - 1][me.column], &right), 0);
      }
      const uint64_t sum = me.row == 0 ? 1 : (left + right) % 1'000'003;
      EXPECT_EQ(weft_word_write_ef(&cell[me.row][me.column], sum), 0);
      return nullptr;
    };
    for (auto& row : cell)
      for (uint64_t& c : row) EXPECT_EQ(weft_word_purge(&c), 0);
    std::vector<weft_task_t> tasks;
    for (size_t row = rows; row-- > 0;) {
      for (size_t column = 0; column < rows; ++column) {
        const uint64_t* above[2] = {};
        if (row > 0) {
          above[0] = &cell[row - 1][column - (column > 0)];
          above[1] = &cell[row - 1][column];
        }
        at me{row, column};
        weft_spawn_t how = WEFT_SPAWN_INIT;
        how.copy_bytes = sizeof me;
        weft_task_t t = nullptr;
        EXPECT_EQ(weft_task_spawn_when(add, &me, &how, above, row > 0 ? 2 : 0, &t), 0);
        tasks.push_back(t);
      }
    }
    for (const weft_task_t t : tasks) join(t);
    uint64_t expected[rows][rows];
    for (size_t row = 0; row < rows; ++row)
      for (size_t c = 0; c < rows; ++c)
        expected[row][c] =
            row == 0 ? 1 : (expected[row - 1][c - (c > 0)] + expected[row - 1][c]) % 1'000'003;
    for (size_t c = 0; c < rows; ++c) EXPECT_EQ(cell[rows - 1][c], expected[rows - 1][c]);
  }
}

}  // namespace
}  // namespace weft::test
