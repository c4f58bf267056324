// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shepherds that are removed, added and moved whole: all of their workers, or none.
// WEFT_TEST_AT_STICKY WEFT_TEST_AT_SYMMETRIC
#include <array>
#include <atomic>
#include <cerrno>
#include <sched.h>
#include <thread>
#include <vector>

#include "shepherds.hpp"

namespace weft::test {
namespace {

constexpr int64_t an_hour_ns = 3'600'000'000'000;

// The last of the shepherds is the one that comes and goes. It has no worker in common with the
// thread that started.
class shepherd_presence : public with_shepherds {
 protected:
  void SetUp() override {
    with_shepherds::SetUp();
    if (last == 0) GTEST_SKIP() << "one processor, one shepherd";
    ASSERT_EQ(weft_shepherd_workers(last, &first), 2);
  }

  bool enabled(uint32_t which) const {
    const int is = weft_worker_is_enabled(first + which);
    EXPECT_GE(is, 0);
    return is == 1;
  }
  // Runs a task there. 0, or -ERANGE: it is gone.
  int send(uint32_t which) const {
    auto nothing = [] {};
    weft_task_t t = nullptr;
    const weft_spawn_t how = on_worker(first + which);
    const int spawned = weft_task_spawn_with(call<decltype(nothing)>, &nothing, &how, &t);
    if (spawned == 0) join(t);
    return spawned;
  }
  void expect_gone() const {
    for (const uint32_t which : {0u, 1u})
      EXPECT_TRUE(yield_until([&] { return send(which) == -ERANGE; }));
  }
  void expect_there() const {
    for (const uint32_t which : {0u, 1u}) {
      EXPECT_TRUE(enabled(which));
      EXPECT_EQ(send(which), 0);
    }
  }

  uint32_t first = 0;
};

// A task that is bound to a worker until its end.
class bound_task {
 public:
  explicit bound_task(uint32_t worker) : task_(spawn(body_, on_worker(worker))) {
    EXPECT_EQ(weft_semaphore_wait(&here_), 0);
  }
  bound_task(const bound_task&) = delete;
  bound_task& operator=(const bound_task&) = delete;
  ~bound_task() {
    if (task_ != nullptr) end();
  }
  void let_end() { EXPECT_EQ(weft_semaphore_post(&go_, 1), 0); }
  void end() {
    let_end();
    join(task_);
    task_ = nullptr;
  }
  // Whoever ends it.
  void is_joined() {
    join(task_);
    task_ = nullptr;
  }

 private:
  struct body {
    bound_task& me;
    void operator()() const {
      EXPECT_EQ(weft_semaphore_post(&me.here_, 1), 0);
      EXPECT_EQ(weft_semaphore_wait(&me.go_), 0);
    }
  };
  weft_semaphore_t here_ = WEFT_SEMAPHORE_INIT(0);
  weft_semaphore_t go_ = WEFT_SEMAPHORE_INIT(0);
  body body_{*this};
  weft_task_t task_;
};

// A thread outside Weft that removes a shepherd, or a worker, and waits for that.
class remover {
 public:
  explicit remover(uint32_t which, int (*remove)(uint32_t, int64_t) = weft_shepherd_remove)
      : thread_([this, which, remove] {
          result_ = remove(which, weft_time_now_ns() + an_hour_ns);
          done_ = true;
        }) {}
  bool done() const { return done_; }
  int result() {
    thread_.join();
    return result_;
  }

 private:
  std::atomic<bool> done_{false};
  int result_ = 1;
  std::thread thread_;
};

// A task that removes a shepherd, or a worker, and waits for that until it is cancelled.
class cancelled_removal {
 public:
  explicit cancelled_removal(uint32_t which,
                             int (*remove)(uint32_t, int64_t) = weft_shepherd_remove)
      : body_{*this, which, remove}, task_(spawn(body_)) {}
  cancelled_removal(const cancelled_removal&) = delete;
  cancelled_removal& operator=(const cancelled_removal&) = delete;
  int result() {
    EXPECT_EQ(weft_cancel_request(&cancel_), 0);
    join(task_);
    return result_;
  }

 private:
  struct body {
    cancelled_removal& me;
    uint32_t which;
    int (*remove)(uint32_t, int64_t);
    void operator()() const {
      weft_cancel_scope_t scope;
      EXPECT_EQ(weft_cancel_enter(&me.cancel_, &scope), 0);
      me.result_ = remove(which, weft_time_now_ns() + an_hour_ns);
      EXPECT_EQ(weft_cancel_leave(&scope), 0);
    }
  };
  weft_cancel_t cancel_ = WEFT_CANCEL_INIT;
  int result_ = 1;
  body body_;
  weft_task_t task_;
};

TEST_F(shepherd_presence, goes_and_comes_with_all_its_workers) {
  for (int i = 0; i < scaled(30); ++i) {
    EXPECT_EQ(weft_shepherd_remove(last, 0), 0);
    EXPECT_FALSE(enabled(0));
    EXPECT_FALSE(enabled(1));
    expect_gone();
    EXPECT_EQ(weft_shepherd_remove(last, 0), 0) << "it is gone";
    std::atomic<int> ran{0};
    std::atomic<int> here{0};
    auto counts = [&] {
      ++ran;
      if (weft_shepherd_index() == last) ++here;
    };
    std::vector<weft_task_t> tasks;
    for (int k = 0; k < 20; ++k) tasks.push_back(spawn(counts, on_worker(WEFT_SHEPHERD(last))));
    for (int k = 0; k < 20; ++k) tasks.push_back(spawn(counts));
    for (const uint32_t priority : {WEFT_SPAWN_HIGH, WEFT_SPAWN_LOW}) {
      weft_spawn_t how = on_worker(WEFT_SHEPHERD(last));
      how.flags = priority;
      for (int k = 0; k < 20; ++k) tasks.push_back(spawn(counts, how));
    }
    for (const weft_task_t t : tasks) join(t);
    EXPECT_EQ(ran, 80);
    EXPECT_EQ(here, 0) << "others run what is the shepherd's";
    EXPECT_EQ(weft_shepherd_add(last), 0);
    EXPECT_EQ(weft_shepherd_add(last), 0) << "it is there";
    expect_there();
    join(spawn(counts, on_worker(WEFT_SHEPHERD(last))));
    EXPECT_EQ(here, 1);
  }
}

TEST_F(shepherd_presence, is_kept_whole_by_a_task_that_is_bound_to_one_worker) {
  for (const uint32_t which : {0u, 1u}) {
    bound_task keeps(first + which);
    EXPECT_EQ(weft_shepherd_remove(last, 0), -EBUSY);
    expect_there();
    EXPECT_EQ(weft_shepherd_remove(last, weft_time_now_ns() + 2'000'000), -EBUSY);
    expect_there();
  }
  EXPECT_TRUE(yield_until([&] { return weft_shepherd_remove(last, 0) == 0; }));
  EXPECT_EQ(weft_shepherd_add(last), 0);
}

TEST_F(shepherd_presence, of_which_one_worker_could_go_stays_until_all_can) {
  bound_task keeps(first + 1);
  remover r(last);
  EXPECT_TRUE(yield_until([&] { return !enabled(0) && !enabled(1); }));
  for (int i = 0; i < scaled(200); ++i) {
    EXPECT_EQ(send(0), 0) << "it has no task, but does not go alone";
    weft_task_yield();
  }
  EXPECT_FALSE(r.done());
  keeps.end();
  EXPECT_EQ(r.result(), 0) << "it drains";
  expect_gone();
  EXPECT_EQ(weft_shepherd_add(last), 0);
  expect_there();
}

TEST_F(shepherd_presence, a_worker_that_gets_a_task_while_another_is_waited_for_keeps_all) {
  bound_task one(first);
  remover r(last);
  EXPECT_TRUE(yield_until([&] { return !enabled(0) && !enabled(1); }));
  {
    bound_task other(first + 1);
    one.end();
    for (int i = 0; i < scaled(200); ++i) {
      EXPECT_EQ(send(0), 0);
      EXPECT_EQ(send(1), 0);
    }
    EXPECT_FALSE(r.done());
  }
  EXPECT_EQ(r.result(), 0);
  expect_gone();
  EXPECT_EQ(weft_shepherd_add(last), 0);
}

TEST_F(shepherd_presence, that_could_not_go_is_as_the_program_wants_it) {
  EXPECT_EQ(weft_worker_disable(first), 0);
  bound_task keeps(first + 1);
  for (const int64_t patience_ns : {0, 2'000'000}) {
    EXPECT_EQ(weft_shepherd_remove(last, patience_ns == 0 ? 0 : weft_time_now_ns() + patience_ns),
              -EBUSY);
    EXPECT_FALSE(enabled(0)) << "it was disabled before";
    EXPECT_TRUE(enabled(1));
  }
  // What is wanted while it is waited for holds afterwards.
  cancelled_removal r(last);
  EXPECT_TRUE(yield_until([&] { return !enabled(1); }));
  EXPECT_EQ(weft_worker_enable(first), 0);
  EXPECT_EQ(weft_worker_disable(first + 1), 0);
  EXPECT_FALSE(enabled(0)) << "it is to go";
  EXPECT_EQ(r.result(), -ECANCELED);
  EXPECT_TRUE(enabled(0));
  EXPECT_FALSE(enabled(1));
  EXPECT_EQ(weft_shepherd_enable(last), 0);
}

TEST_F(shepherd_presence, one_at_a_time_waits_for_a_worker) {
  bound_task keeps(first + 1);
  remover r(last);
  EXPECT_TRUE(yield_until([&] { return !enabled(0) && !enabled(1); }));
  EXPECT_EQ(weft_shepherd_remove(last, 0), -EALREADY);
  EXPECT_EQ(weft_shepherd_remove(last, weft_time_now_ns() + an_hour_ns), -EALREADY);
  for (const uint32_t which : {0u, 1u}) {
    EXPECT_EQ(weft_worker_remove(first + which, 0), -EALREADY);
    EXPECT_EQ(weft_worker_remove(first + which, weft_time_now_ns() + an_hour_ns), -EALREADY);
  }
  keeps.let_end();
  EXPECT_EQ(r.result(), 0);
  keeps.is_joined();
  EXPECT_EQ(weft_shepherd_add(last), 0);
}

TEST_F(shepherd_presence, a_worker_that_is_added_meanwhile_stays_though_the_others_go) {
  bound_task keeps(first + 1);
  remover r(last);
  EXPECT_TRUE(yield_until([&] { return !enabled(0) && !enabled(1); }));
  EXPECT_EQ(weft_worker_add(first), 0);
  keeps.end();
  EXPECT_EQ(r.result(), 0);
  EXPECT_TRUE(yield_until([&] { return send(1) == -ERANGE; }));
  EXPECT_TRUE(enabled(0));
  EXPECT_EQ(send(0), 0);
  EXPECT_EQ(weft_shepherd_add(last), 0);
}

// Who waits for the shepherd is not who waits for the worker, though both wait for the same worker
// in turn.
TEST_F(shepherd_presence, two_removals_that_meet_at_one_worker_both_end) {
  bound_task keeps(first + 1);
  remover all(last);
  EXPECT_TRUE(yield_until([&] { return !enabled(0) && !enabled(1); }));
  EXPECT_EQ(weft_worker_add(first), 0);
  bound_task keeps_other(first);
  remover one(first, weft_worker_remove);
  EXPECT_TRUE(yield_until([&] { return !enabled(0); }));
  keeps.end();
  EXPECT_TRUE(yield_until([&] { return all.done(); }))
      << "the other worker is not its own any more";
  EXPECT_FALSE(one.done());
  EXPECT_EQ(send(0), 0) << "its task keeps it";
  keeps_other.end();
  EXPECT_TRUE(yield_until([&] { return one.done(); }));
  EXPECT_EQ(all.result(), 0);
  EXPECT_EQ(one.result(), 0);
  expect_gone();
  EXPECT_EQ(weft_shepherd_add(last), 0);
}

TEST_F(shepherd_presence, a_removal_that_ends_leaves_the_worker_of_another_one_alone) {
  bound_task keeps(first + 1);
  cancelled_removal all(last);
  EXPECT_TRUE(yield_until([&] { return !enabled(0) && !enabled(1); }));
  EXPECT_EQ(weft_worker_add(first), 0);
  bound_task keeps_other(first);
  remover one(first, weft_worker_remove);
  EXPECT_TRUE(yield_until([&] { return !enabled(0); }));
  EXPECT_EQ(all.result(), -ECANCELED);
  EXPECT_TRUE(enabled(1));
  EXPECT_FALSE(enabled(0)) << "the other removal waits for it";
  EXPECT_FALSE(one.done());
  keeps_other.end();
  EXPECT_EQ(one.result(), 0);
  EXPECT_TRUE(yield_until([&] { return send(0) == -ERANGE; }));
  keeps.end();
  EXPECT_EQ(weft_shepherd_add(last), 0);
}

TEST_F(shepherd_presence, a_removal_that_is_over_lets_no_worker_of_another_one_go) {
  bound_task keeps(first + 1);
  remover all(last);
  EXPECT_TRUE(yield_until([&] { return !enabled(0) && !enabled(1); }));
  EXPECT_EQ(weft_worker_add(first), 0);
  bound_task keeps_other(first);
  cancelled_removal one(first, weft_worker_remove);
  EXPECT_TRUE(yield_until([&] { return !enabled(0); }));
  keeps.end();
  EXPECT_EQ(all.result(), 0);
  EXPECT_EQ(one.result(), -ECANCELED);
  EXPECT_TRUE(enabled(0)) << "nothing has changed";
  keeps_other.end();
  EXPECT_EQ(send(0), 0);
  EXPECT_EQ(weft_shepherd_add(last), 0);
  expect_there();
}

TEST_F(shepherd_presence, a_worker_that_is_added_is_waited_for_no_longer) {
  bound_task keeps(first);
  bound_task keeps_other(first + 1);
  remover r(last);
  EXPECT_TRUE(yield_until([&] { return !enabled(0) && !enabled(1); }));
  EXPECT_EQ(weft_worker_add(first), 0);
  keeps_other.end();
  EXPECT_TRUE(yield_until([&] { return r.done(); })) << "the task at the other one is no matter";
  EXPECT_TRUE(enabled(0));
  keeps.end();
  EXPECT_EQ(r.result(), 0);
  EXPECT_TRUE(yield_until([&] { return send(1) == -ERANGE; }));
  EXPECT_EQ(weft_shepherd_add(last), 0);
}

TEST_F(shepherd_presence, of_which_one_worker_is_gone_already_goes_with_the_others) {
  EXPECT_EQ(weft_worker_remove(first, 0), 0);
  EXPECT_TRUE(yield_until([&] { return send(0) == -ERANGE; }));
  EXPECT_EQ(weft_shepherd_remove(last, weft_time_now_ns() + an_hour_ns), 0);
  expect_gone();
  EXPECT_EQ(weft_worker_add(first + 1), 0);
  EXPECT_EQ(weft_shepherd_add(last), 0);
  expect_there();
}

TEST_F(shepherd_presence, of_the_thread_that_started_or_with_the_last_workers_stays) {
  EXPECT_EQ(weft_shepherd_remove(0, 0), -EPERM);
  EXPECT_EQ(weft_shepherd_remove(0, weft_time_now_ns() + an_hour_ns), -EPERM);
  EXPECT_EQ(weft_worker_is_enabled(1), 1) << "nothing has changed";
  EXPECT_EQ(weft_shepherd_disable(0), 0);
  EXPECT_EQ(weft_shepherd_remove(last, 0), -EBUSY);
  EXPECT_EQ(weft_shepherd_remove(last, weft_time_now_ns() + an_hour_ns), -EBUSY);
  expect_there();
}

TEST_F(shepherd_presence, of_a_guest_stays) {
  EXPECT_EQ(weft_worker_remove(first + 1, 0), 0);
  weft_semaphore_t here = WEFT_SEMAPHORE_INIT(0);
  weft_semaphore_t end = WEFT_SEMAPHORE_INIT(0);
  std::thread guest([&] {
    EXPECT_TRUE(compute_until([&] { return weft_guest_begin(first + 1) == 0; }));
    EXPECT_EQ(weft_semaphore_post(&here, 1), 0);
    EXPECT_EQ(weft_semaphore_wait(&end), 0);
    EXPECT_EQ(weft_guest_end(), 0);
  });
  EXPECT_EQ(weft_semaphore_wait(&here), 0);
  EXPECT_EQ(weft_shepherd_remove(last, 0), -EPERM);
  EXPECT_EQ(weft_shepherd_remove(last, weft_time_now_ns() + an_hour_ns), -EPERM);
  expect_there();
  EXPECT_EQ(weft_semaphore_post(&end, 1), 0);
  guest.join();
  EXPECT_EQ(weft_shepherd_remove(last, weft_time_now_ns() + an_hour_ns), 0);
}

TEST_F(shepherd_presence, a_guest_that_comes_while_others_are_waited_for_stays) {
  EXPECT_EQ(weft_worker_remove(first + 1, 0), 0);
  EXPECT_TRUE(yield_until([&] { return send(1) == -ERANGE; }));
  bound_task keeps(first);
  remover r(last);
  EXPECT_TRUE(yield_until([&] { return !enabled(0); }));
  std::thread guest([&] {
    EXPECT_EQ(weft_guest_begin(first + 1), 0);
    keeps.let_end();
    EXPECT_EQ(r.result(), 0);
    EXPECT_TRUE(enabled(1));
    EXPECT_EQ(send(1), 0);
    EXPECT_EQ(weft_guest_end(), 0);
  });
  guest.join();
  keeps.is_joined();
  expect_gone();
}

TEST_F(shepherd_presence, a_stop_ends_the_wait_of_threads_outside) {
  for (const bool whole : {true, false}) {
    weft_semaphore_t here = WEFT_SEMAPHORE_INIT(0);
    weft_semaphore_t never = WEFT_SEMAPHORE_INIT(0);
    auto stays = [&] {
      EXPECT_EQ(weft_semaphore_post(&here, 1), 0);
      (void)weft_semaphore_wait(&never);
    };
    const weft_spawn_t how = on_worker(first);
    ASSERT_EQ(weft_task_spawn_with(call<decltype(stays)>, &stays, &how, nullptr), 0);
    EXPECT_EQ(weft_semaphore_wait(&here), 0);
    remover r(whole ? last : first, whole ? weft_shepherd_remove : weft_worker_remove);
    EXPECT_TRUE(yield_until([&] { return !enabled(0); }));
    EXPECT_EQ(weft_stop(), 1) << "the task that stays";
    EXPECT_EQ(r.result(), -ENOTCONN);
    ASSERT_EQ(start(), 0);
    expect_there();
  }
}

// Whether its deadline comes before the stop or after, and whether another runtime is there
// already.
TEST_F(shepherd_presence, waits_that_end_by_themselves_meet_starts_and_stops) {
  weft_semaphore_t here = WEFT_SEMAPHORE_INIT(0);
  weft_semaphore_t never = WEFT_SEMAPHORE_INIT(0);
  auto stays = [&] {
    EXPECT_EQ(weft_semaphore_post(&here, 1), 0);
    (void)weft_semaphore_wait(&never);
  };
  std::atomic<bool> over{false};
  std::atomic<int> asked{0};
  auto removes = [&] {
    for (int64_t i = 0; !over; ++i) {
      const int result = weft_worker_remove(first, weft_time_now_ns() + 1 + i % 50 * 5'000);
      EXPECT_TRUE(result == -EBUSY || result == -ENOTCONN || result == 0) << result;
      ++asked;
    }
  };
  for (int round = 0; round < scaled(100); ++round) {
    const weft_spawn_t how = on_worker(first);
    ASSERT_EQ(weft_task_spawn_with(call<decltype(stays)>, &stays, &how, nullptr), 0);
    EXPECT_EQ(weft_semaphore_wait(&here), 0);
    over = false;
    asked = 0;
    std::thread remover(removes);
    EXPECT_TRUE(compute_until([&] { return asked > round % 7; }));
    EXPECT_EQ(weft_stop(), 1);
    over = true;
    remover.join();
    ASSERT_EQ(weft_worker_count(), 0u);
    ASSERT_EQ(start(), 0);
    never = WEFT_SEMAPHORE_INIT(0);  // the task that was abandoned counts there
  }
}

TEST_F(shepherd_presence, moves_to_other_processors) {
  cpu_set_t before;
  CPU_ZERO(&before);
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const auto processor = [](uint32_t worker) {
    return static_cast<uint32_t>(weft_worker_processor(worker));
  };
  // The set of processors on which each worker may run.
  auto masks = [&] {
    std::array<cpu_set_t, 2> out{};
    for (const uint32_t which : {0u, 1u}) {
      auto look = [&] { EXPECT_EQ(sched_getaffinity(0, sizeof out[which], &out[which]), 0); };
      join(spawn(look, on_worker(first + which)));  // so the order before it was followed
    }
    return out;
  };
  const auto only = [](const cpu_set_t& set, uint32_t number) {
    return CPU_COUNT(&set) == 1 && CPU_ISSET(number, &set);
  };
  const std::array<uint32_t, 2> there = {processor(0), processor(first)};
  EXPECT_EQ(weft_shepherd_bind(last, there.data(), 2), 0);
  std::array<cpu_set_t, 2> seen = masks();
  EXPECT_TRUE(only(seen[0], there[0]));
  EXPECT_TRUE(only(seen[1], there[1]));
  const std::array<uint32_t, 2> bad = {there[1], 8191};
  EXPECT_EQ(weft_shepherd_bind(last, bad.data(), 2), -ERANGE);
  EXPECT_EQ(weft_shepherd_bind(last, nullptr, 1), -EINVAL);
  seen = masks();
  EXPECT_TRUE(only(seen[0], there[0])) << "none has moved";
  EXPECT_TRUE(only(seen[1], there[1]));
  EXPECT_EQ(weft_shepherd_bind(last, &there[1], 1), 0);
  seen = masks();
  EXPECT_TRUE(only(seen[0], there[1])) << "one for both";
  EXPECT_TRUE(only(seen[1], there[1]));
  EXPECT_EQ(weft_shepherd_bind(last, nullptr, 0), 0);
  seen = masks();
  EXPECT_TRUE(CPU_EQUAL(&seen[0], &before)) << "where they were";
  EXPECT_TRUE(CPU_EQUAL(&seen[1], &before));
}

TEST_F(shepherd_presence, that_does_not_exist_is_refused) {
  EXPECT_EQ(weft_shepherd_remove(last + 1, 0), -ERANGE);
  EXPECT_EQ(weft_shepherd_remove(last, -1), -EINVAL);
  EXPECT_EQ(weft_shepherd_add(last + 1), -ERANGE);
  EXPECT_EQ(weft_shepherd_add(WEFT_ANYWHERE), -ERANGE);
  EXPECT_EQ(weft_shepherd_bind(last + 1, nullptr, 0), -ERANGE);
  expect_there();
}

}  // namespace
}  // namespace weft::test
