// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Select over what is no channel: ends of tasks, futures, semaphores, mutexes, words, descriptors;
// each ready at once, after a wait, and left alone when another case is taken.
#include <atomic>
#include <cerrno>
#include <functional>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support.hpp"

namespace weft::test {
namespace {

int64_t in_ms(int64_t ms) { return weft_time_now_ns() + ms * 1'000'000; }

// One thing to select. Everything is called by the task that selects, but for make_ready().
class thing {
 public:
  virtual ~thing() = default;
  virtual weft_case_t make_case() = 0;
  // From any flow: the case becomes ready, or is about to.
  virtual void make_ready() = 0;
  // The case was taken, with this result: checks what came and undoes it.
  virtual void was_taken(int result) { EXPECT_EQ(result, 0); }
  // Whether somebody else could take it now; undoes that.
  virtual bool can_be_taken() = 0;
};

class an_end : public thing {
 public:
  an_end() { begin(); }
  ~an_end() override {
    make_ready();
    join(task_);
    EXPECT_EQ(weft_channel_destroy(go_), 0);
  }
  weft_case_t make_case() override { return weft_case_join(task_, &value_); }
  void make_ready() override { EXPECT_EQ(weft_channel_try_send(go_, nullptr), 0); }
  void was_taken(int result) override {
    EXPECT_EQ(result, 0);
    EXPECT_EQ(value_, this);
    EXPECT_EQ(weft_channel_destroy(go_), 0);
    value_ = nullptr;
    begin();
  }
  bool can_be_taken() override { return false; }

 private:
  void begin() {
    EXPECT_EQ(weft_channel_create(0, 1, &go_), 0);
    EXPECT_EQ(weft_task_spawn(
                  [](void* arg) -> void* {
                    EXPECT_EQ(weft_channel_receive(static_cast<an_end*>(arg)->go_, nullptr), 0);
                    return arg;
                  },
                  this, &task_),
              0);
  }
  weft_channel_t go_ = nullptr;
  weft_task_t task_ = nullptr;
  void* value_ = nullptr;
};

class a_future : public thing {
 public:
  weft_case_t make_case() override { return weft_case_future(&f_, &value_); }
  void make_ready() override { EXPECT_EQ(weft_future_set(&f_, this), 0); }
  void was_taken(int result) override {
    EXPECT_EQ(result, 0);
    EXPECT_EQ(value_, this);
    f_ = WEFT_FUTURE_INIT;
  }
  bool can_be_taken() override { return weft_future_is_set(&f_) == 1; }

 private:
  weft_future_t f_ = WEFT_FUTURE_INIT;
  void* value_ = nullptr;
};

class a_semaphore : public thing {
 public:
  weft_case_t make_case() override { return weft_case_semaphore(&s_); }
  void make_ready() override { EXPECT_EQ(weft_semaphore_post(&s_, 1), 0); }
  bool can_be_taken() override { return weft_semaphore_try_wait(&s_) == 0; }

 private:
  weft_semaphore_t s_ = WEFT_SEMAPHORE_INIT(0);
};

template <uint32_t Flags>
class a_mutex : public thing {
 public:
  a_mutex() {
    EXPECT_EQ(weft_mutex_init(&m_, Flags), 0);
    hold();
  }
  ~a_mutex() override { make_ready(); }
  weft_case_t make_case() override { return weft_case_mutex(&m_); }
  // Its owner, a task of its own, gives it up.
  void make_ready() override {
    const weft_channel_t go = go_;  // who takes the mutex makes new ones
    const weft_task_t owner = owner_;
    EXPECT_EQ(weft_channel_send(go, nullptr), 0);
    join(owner);
    EXPECT_EQ(weft_channel_destroy(go), 0);
  }
  void was_taken(int result) override {
    EXPECT_EQ(result, 0);
    EXPECT_EQ(weft_mutex_unlock(&m_), 0);
    hold();
  }
  bool can_be_taken() override {
    if (weft_mutex_try_lock(&m_) != 0) return false;
    EXPECT_EQ(weft_mutex_unlock(&m_), 0);
    return true;
  }

 private:
  void hold() {
    EXPECT_EQ(weft_channel_create(0, 0, &go_), 0);
    EXPECT_EQ(weft_task_spawn(
                  [](void* arg) -> void* {
                    auto* me = static_cast<a_mutex*>(arg);
                    EXPECT_EQ(weft_mutex_lock(&me->m_), 0);
                    EXPECT_EQ(weft_channel_send(me->go_, nullptr), 0);
                    EXPECT_EQ(weft_channel_receive(me->go_, nullptr), 0);
                    EXPECT_EQ(weft_mutex_unlock(&me->m_), 0);
                    return nullptr;
                  },
                  this, &owner_),
              0);
    EXPECT_EQ(weft_channel_receive(go_, nullptr), 0);  // it holds the mutex
  }
  weft_mutex_t m_;
  weft_channel_t go_ = nullptr;
  weft_task_t owner_ = nullptr;
};

class a_full_word : public thing {
 public:
  a_full_word() { EXPECT_EQ(weft_word_empty(&w_), 0); }
  ~a_full_word() override { EXPECT_EQ(weft_word_fill(&w_), 0); }
  weft_case_t make_case() override { return weft_case_read_ff(&w_, &value_); }
  void make_ready() override { EXPECT_EQ(weft_word_write_ef(&w_, 17), 0); }
  void was_taken(int result) override {
    EXPECT_EQ(result, 0);
    EXPECT_EQ(value_, 17u);
    EXPECT_EQ(weft_word_status(&w_), 1);
    EXPECT_EQ(weft_word_empty(&w_), 0);
  }
  bool can_be_taken() override { return weft_word_status(&w_) == 1; }

 private:
  uint64_t w_ = 3;
  uint64_t value_ = 0;
};

class a_word_to_empty : public thing {
 public:
  a_word_to_empty() { EXPECT_EQ(weft_word_empty(&w_), 0); }
  ~a_word_to_empty() override { EXPECT_EQ(weft_word_fill(&w_), 0); }
  weft_case_t make_case() override { return weft_case_read_fe(&w_, &value_); }
  void make_ready() override { EXPECT_EQ(weft_word_write_ef(&w_, 18), 0); }
  void was_taken(int result) override {
    EXPECT_EQ(result, 0);
    EXPECT_EQ(value_, 18u);
    EXPECT_EQ(weft_word_status(&w_), 0);
  }
  bool can_be_taken() override { return weft_word_try_read_fe(&w_, nullptr) == 0; }

 private:
  uint64_t w_ = 3;
  uint64_t value_ = 0;
};

class a_word_to_write : public thing {
 public:
  weft_case_t make_case() override { return weft_case_write_ef(&w_, 19); }
  void make_ready() override { EXPECT_EQ(weft_word_read_fe(&w_, nullptr), 0); }
  void was_taken(int result) override {
    EXPECT_EQ(result, 0);
    EXPECT_EQ(weft_word_status(&w_), 1);
    EXPECT_EQ(w_, 19u);
  }
  bool can_be_taken() override { return weft_word_status(&w_) == 0; }

 private:
  uint64_t w_ = 3;
};

class a_descriptor : public thing {
 public:
  a_descriptor() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0); }
  ~a_descriptor() override {
    for (const int fd : ends_) EXPECT_EQ(weft_fd_close(fd), 0);
  }
  weft_case_t make_case() override { return weft_case_fd(ends_[0], POLLIN); }
  void make_ready() override { EXPECT_EQ(write(ends_[1], "x", 1), 1); }
  void was_taken(int result) override {
    EXPECT_EQ(result, POLLIN);
    EXPECT_TRUE(can_be_taken());
  }
  bool can_be_taken() override {
    char c = 0;
    return recv(ends_[0], &c, 1, MSG_DONTWAIT) == 1;
  }

 private:
  int ends_[2] = {};
};

struct row {
  const char* name;
  std::unique_ptr<thing> (*make)();
};
template <class T>
row kind(const char* name) {
  return {name, []() -> std::unique_ptr<thing> { return std::make_unique<T>(); }};
}
void PrintTo(const row& r, std::ostream* out) { *out << r.name; }

// WEFT_TEST_AT_WORKERS
class select_case : public testing::TestWithParam<row> {
 protected:
  void SetUp() override {
    ASSERT_EQ(weft_start(nullptr), 0);
    ASSERT_EQ(weft_channel_create(sizeof(int), 0, &other_), 0);
  }
  void TearDown() override {
    EXPECT_EQ(weft_channel_destroy(other_), 0);
    EXPECT_EQ(weft_stop(), 0);
  }

  // Runs f(thing) in the thread that started Weft, then in a task of its own.
  template <class F>
  void both_ways(F f) {
    {
      const std::unique_ptr<thing> t = GetParam().make();
      f(*t);
    }
    auto body = [&] {
      const std::unique_ptr<thing> t = GetParam().make();
      f(*t);
    };
    run_apart(body);
  }

  weft_channel_t other_ = nullptr;
};

TEST_P(select_case, is_taken_at_once_when_ready) {
  both_ways([&](thing& t) {
    int v = 0;
    for (int round = 0; round < 3; ++round) {
      weft_case_t cases[] = {weft_case_receive(other_, &v), t.make_case()};
      EXPECT_EQ(weft_case_try_select(cases, 2), -EBUSY);
      t.make_ready();
      if (round == 0) {
        EXPECT_EQ(weft_case_select(cases, 2), 1);
      } else if (round == 1) {
        EXPECT_EQ(weft_case_select_until(cases, 2, in_ms(600'000)), 1);
      } else {
        EXPECT_TRUE(yield_until([&] { return weft_case_try_select(cases, 2) == 1; }));
      }
      t.was_taken(cases[1].result);
    }
  });
}

TEST_P(select_case, ends_a_wait) {
  both_ways([&](thing& t) {
    int v = 0;
    for (int round = 0; round < 20; ++round) {
      auto readies = [&] {
        for (int i = 0; i < round % 4; ++i) weft_task_yield();
        t.make_ready();
      };
      weft_case_t cases[] = {t.make_case(), weft_case_receive(other_, &v)};
      const weft_task_t helper = spawn(readies);
      EXPECT_EQ(weft_case_select(cases, 2), 0);
      t.was_taken(cases[0].result);
      join(helper);
    }
  });
}

TEST_P(select_case, is_left_alone_when_another_is_taken) {
  both_ways([&](thing& t) {
    for (int round = 0; round < 20; ++round) {
      int v = 0;
      auto sends = [&] {
        for (int i = 0; i < round % 4; ++i) weft_task_yield();
        EXPECT_EQ(weft_channel_send(other_, &round), 0);
      };
      weft_case_t cases[] = {t.make_case(), weft_case_receive(other_, &v)};
      const weft_task_t helper = spawn(sends);
      EXPECT_EQ(weft_case_select(cases, 2), 1);
      EXPECT_EQ(v, round);
      join(helper);
      EXPECT_FALSE(t.can_be_taken());
    }
    // It works as before.
    weft_case_t one = t.make_case();
    t.make_ready();
    EXPECT_EQ(weft_case_select(&one, 1), 0);
    t.was_taken(one.result);
  });
}

TEST_P(select_case, gives_up_by_deadline) {
  both_ways([&](thing& t) {
    weft_case_t one = t.make_case();
    EXPECT_EQ(weft_case_select_until(&one, 1, 0), -ETIMEDOUT);
    EXPECT_EQ(weft_case_select_until(&one, 1, in_ms(2)), -ETIMEDOUT);
    EXPECT_FALSE(t.can_be_taken());
    t.make_ready();
    EXPECT_EQ(weft_case_select_until(&one, 1, in_ms(600'000)), 0);
    t.was_taken(one.result);
  });
}

// Two things become ready at about the same time: one is taken, the other can still be.
TEST_P(select_case, one_of_two_that_are_ready_is_taken) {
  both_ways([&](thing& t) {
    const std::unique_ptr<thing> second = GetParam().make();
    for (int round = 0; round < scaled(300); ++round) {
      auto readies = [&] {
        t.make_ready();
        second->make_ready();
      };
      const weft_task_t helper = spawn(readies);
      weft_case_t cases[] = {t.make_case(), second->make_case()};
      const int first = weft_case_select(cases, 2);
      ASSERT_TRUE(first == 0 || first == 1) << first;
      (first == 0 ? t : *second).was_taken(cases[first].result);
      weft_case_t rest = cases[1 - first];
      EXPECT_EQ(weft_case_select(&rest, 1), 0);
      join(helper);
      (first == 0 ? *second : t).was_taken(rest.result);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    of, select_case,
    testing::Values(kind<an_end>("end"), kind<a_future>("future"), kind<a_semaphore>("semaphore"),
                    kind<a_mutex<0>>("mutex"), kind<a_mutex<WEFT_MUTEX_HAND_OVER>>("handed_mutex"),
                    kind<a_mutex<WEFT_MUTEX_RECURSIVE>>("recursive_mutex"),
                    kind<a_full_word>("read_ff"), kind<a_word_to_empty>("read_fe"),
                    kind<a_word_to_write>("write_ef"), kind<a_descriptor>("descriptor")),
    [](const testing::TestParamInfo<row>& each) { return each.param.name; });

// --- special cases -------------------------------------------------------------------------------

TEST(select_cases, an_unstarted_task_runs_beside_the_select_that_waits_for_it) {
  const runtime weft(1);
  auto body = [] { EXPECT_EQ(weft_task_yield(), 0); };
  void* value = nullptr;
  weft_case_t cases[] = {weft_case_join(spawn(body), &value), weft_case_receive(nullptr, nullptr)};
  EXPECT_EQ(weft_case_select(cases, 2), 0);
}

TEST(select_cases, the_first_of_many_tasks_to_end_is_joined) {
  const runtime weft(1);
  constexpr int many = 50;
  std::vector<weft_task_t> tasks(many);
  std::vector<weft_channel_t> go(many);
  for (int i = 0; i < many; ++i) {
    ASSERT_EQ(weft_channel_create(0, 0, &go[i]), 0);
    ASSERT_EQ(weft_task_spawn(
                  [](void* c) -> void* {
                    EXPECT_EQ(weft_channel_receive(static_cast<weft_channel_t>(c), nullptr), 0);
                    return c;
                  },
                  go[i], &tasks[i]),
              0);
  }
  for (int left = many; left > 0; --left) {
    std::vector<void*> values(many);
    std::vector<weft_case_t> cases;
    for (int i = 0; i < many; ++i) cases.push_back(weft_case_join(tasks[i], &values[i]));
    const int next = (left * 7) % many;
    int at = next;
    while (tasks[at] == nullptr) at = (at + 1) % many;
    auto ends = [&] { EXPECT_EQ(weft_channel_send(go[at], nullptr), 0); };
    const weft_task_t helper = spawn(ends);
    EXPECT_EQ(weft_case_select(cases.data(), cases.size()), at);
    EXPECT_EQ(values[at], go[at]);
    tasks[at] = nullptr;
    join(helper);
    EXPECT_EQ(weft_channel_destroy(go[at]), 0);
  }
}

TEST(select_cases, an_error_of_a_future_is_its_result) {
  weft_future_t f = WEFT_FUTURE_INIT;
  void* value = nullptr;
  weft_case_t one = weft_case_future(&f, &value);
  EXPECT_EQ(weft_case_try_select(&one, 1), -EBUSY);
  EXPECT_EQ(weft_future_fail(&f, -EBUSY), 0);
  EXPECT_EQ(weft_case_select(&one, 1), 0);
  EXPECT_EQ(one.result, -EBUSY);
}

// The word may be another's by the time that the flow runs.
TEST(select_cases, read_into_the_word_itself_leaves_it_as_it_is) {
  const runtime weft(1);
  uint64_t word = 1;
  EXPECT_EQ(weft_word_empty(&word), 0);
  std::atomic<bool> read{false};
  auto reads = [&] {
    weft_case_t c = weft_case_read_fe(&word, &word);
    EXPECT_EQ(weft_case_select(&c, 1), 0);
    EXPECT_EQ(c.result, 0);
    read = true;
  };
  const weft_task_t t = spawn(reads);
  weft_task_yield();  // it waits
  EXPECT_EQ(weft_word_write_ef(&word, 5), 0);
  EXPECT_EQ(weft_word_write_ef(&word, 6), 0);
  EXPECT_FALSE(read);
  join(t);
  uint64_t value = 0;
  EXPECT_EQ(weft_word_read_ff(&word, &value), 0);
  EXPECT_EQ(value, 6u);
}

TEST(select_cases, the_argument_of_a_mutex_that_another_took_first_stays_as_it_is) {
  const runtime weft(1);
  weft_mutex_t m = WEFT_MUTEX_INIT;
  weft_case_t c = weft_case_mutex(&m);
  auto body = [&] {
    EXPECT_EQ(weft_case_select(&c, 1), 0);
    EXPECT_EQ(c.result, 0);
    EXPECT_EQ(weft_mutex_unlock(&m), 0);
  };
  EXPECT_EQ(weft_mutex_lock(&m), 0);
  const weft_task_t t = spawn(body);
  EXPECT_EQ(weft_task_yield(), 0);  // it waits
  EXPECT_EQ(weft_mutex_unlock(&m), 0);
  EXPECT_EQ(weft_mutex_lock(&m), 0);  // before it runs
  EXPECT_EQ(weft_task_yield(), 0);    // it waits again
  EXPECT_EQ(weft_mutex_unlock(&m), 0);
  join(t);
  EXPECT_EQ(c.argument, 0);
}

TEST(select_cases, threads_outside_may_name_all_but_descriptors) {
  weft_semaphore_t s = WEFT_SEMAPHORE_INIT(0);
  weft_mutex_t m = WEFT_MUTEX_INIT;
  weft_future_t f = WEFT_FUTURE_INIT;
  uint64_t word = 1;
  uint64_t value = 0;
  EXPECT_EQ(weft_mutex_lock(&m), 0);
  EXPECT_EQ(weft_word_empty(&word), 0);
  const std::function<void()> readies[] = {
      [&] { EXPECT_EQ(weft_semaphore_post(&s, 1), 0); },
      [&] { EXPECT_EQ(weft_mutex_unlock(&m), 0); },
      [&] { EXPECT_EQ(weft_word_write_ef(&word, 5), 0); },
      [&] { EXPECT_EQ(weft_future_set(&f, nullptr), 0); },
  };
  for (int i = 0; i < 4; ++i) {
    std::thread other(readies[i]);
    weft_case_t cases[] = {weft_case_semaphore(&s), weft_case_mutex(&m),
                           weft_case_read_fe(&word, &value), weft_case_future(&f, nullptr)};
    EXPECT_EQ(weft_case_select(cases, 4), i);
    EXPECT_EQ(cases[i].result, 0);
    other.join();
  }
  EXPECT_EQ(value, 5u);
  EXPECT_EQ(weft_mutex_unlock(&m), 0);
  EXPECT_EQ(weft_word_fill(&word), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  weft_case_t fd = weft_case_fd(ends[0], POLLIN);
  EXPECT_EQ(weft_case_try_select(&fd, 1), -EBUSY);
  EXPECT_EQ(weft_case_select(&fd, 1), 0);
  EXPECT_EQ(fd.result, -ENOTCONN);
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  EXPECT_EQ(weft_case_select(&fd, 1), 0);
  EXPECT_EQ(fd.result, POLLIN);
  close(ends[0]);
  close(ends[1]);
}

// One byte makes many descriptors of one socket ready together, so that the runtime has taken the
// events of all when the first of them ends the wait. By the time it tells the others, the byte is
// read and the next wait stands there.
TEST(select_cases, an_event_of_an_earlier_wait_ends_no_later_one) {
  const runtime weft(2);
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  std::vector<int> same(48);
  for (int& fd : same) fd = dup(ends[0]);
  for (int round = 0; round < scaled(100); ++round) {
    auto readies = [&] { EXPECT_EQ(write(ends[1], "x", 1), 1); };
    std::vector<weft_case_t> cases;
    for (const int fd : same) cases.push_back(weft_case_fd(fd, POLLIN));
    const weft_task_t helper = spawn(readies);
    EXPECT_GE(weft_case_select(cases.data(), cases.size()), 0);
    char c = 0;
    EXPECT_EQ(recv(ends[0], &c, 1, MSG_DONTWAIT), 1) << round;
    EXPECT_EQ(weft_case_select_until(cases.data(), cases.size(), in_ms(1)), -ETIMEDOUT) << round;
    join(helper);
  }
  for (const int fd : same) EXPECT_EQ(weft_fd_close(fd), 0);
  for (const int fd : ends) EXPECT_EQ(weft_fd_close(fd), 0);
}

TEST(select_cases, what_cannot_be_is_refused) {
  uint64_t words[2] = {};
  auto* misaligned = reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(words) + 4);
  for (const weft_case_t& bad :
       {weft_case_read_ff(misaligned, nullptr), weft_case_read_fe(misaligned, nullptr),
        weft_case_write_ef(misaligned, 1), weft_case_fd(0, 0), weft_case_fd(0, 1 << 30)}) {
    weft_case_t one = bad;
    EXPECT_EQ(weft_case_try_select(&one, 1), -EINVAL) << bad.kind;
  }
  for (const weft_case_t& none :
       {weft_case_join(nullptr, nullptr), weft_case_future(nullptr, nullptr),
        weft_case_semaphore(nullptr), weft_case_mutex(nullptr), weft_case_read_ff(nullptr, nullptr),
        weft_case_read_fe(nullptr, nullptr), weft_case_write_ef(nullptr, 1)}) {
    weft_case_t one = none;
    EXPECT_EQ(weft_case_try_select(&one, 1), -EBUSY) << none.kind;
    EXPECT_EQ(weft_case_select_until(&one, 1, in_ms(1)), -ETIMEDOUT) << none.kind;
  }
}

TEST(select_cases, a_bad_descriptor_is_told) {
  const runtime weft(1);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[1]);
  close(ends[0]);
  weft_case_t one = weft_case_fd(ends[0], POLLIN);
  EXPECT_EQ(weft_case_select(&one, 1), 0);
  EXPECT_EQ(one.result, -EBADF);
}

}  // namespace
}  // namespace weft::test
