// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timers armed, cancelled and fired from several threads; deadlines that only sleepers can see to.
#include <array>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "lockfree/time_keeper.hpp"
#include "lockfree/timer_queue.hpp"
#include "lockfree/wake_word.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "threads.hpp"

namespace {

using weft::rt::time_keeper;
using weft::rt::timer_entry;
using weft::rt::timer_queue;
using weft::rt::wake_result;

// What a waiter keeps beside its timer: plain memory, so a thread sanitizer sees whether the order
// holds.
struct waiter : timer_entry {
  int given = 0;
  int fired = 0;
};

void fire_due(timer_queue& q, int64_t now, int64_t& fires) {
  for (bool more = true; more;) {
    for (auto* e = q.take(now, 4, more); e != nullptr;) {
      auto& w = static_cast<waiter&>(*e);
      e = static_cast<timer_entry*>(e->next);
      w.fired = w.given;
      ++fires;
      timer_queue::fired(w);
    }
  }
}

// The owner waits again and again; time is a counter that it advances itself.
TEST(timer_queue_stress, every_timer_fires_or_is_cancelled_once) {
  constexpr int rounds = weft::rt::build::tsan ? 5'000 : 100'000;
  constexpr std::size_t at_once = 8;
  timer_queue q(weft::test::pause, 0);
  std::atomic<int64_t> now{0};
  std::atomic<bool> stop{false};
  std::array<int64_t, 2> fires{};
  std::vector<std::thread> firers;
  for (int64_t& count : fires)
    firers.emplace_back([&] {
      while (!stop.load()) {
        if (q.next() <= now.load()) fire_due(q, now.load(), count);
        weft::test::pause(63);
      }
    });
  weft::test::dice dice{3};
  int64_t cancels = 0;
  for (int round = 1; round <= rounds; ++round) {
    std::array<waiter, at_once> w;
    for (waiter& one : w) {
      one.given = round;
      (void)q.arm(one, now.load() + dice.roll(5'000));
    }
    now.fetch_add(dice.roll(3'000));
    if (dice.roll(4) == 0) weft::test::pause(63);
    for (waiter& one : w) {
      if (timer_queue::cancel(one, weft::test::pause)) {
        ASSERT_EQ(one.fired, 0);
        ++cancels;
      } else {
        ASSERT_EQ(one.fired, round);
      }
    }
  }
  stop.store(true);
  for (std::thread& t : firers) t.join();
  EXPECT_EQ(fires[0] + fires[1] + cancels, int64_t{rounds} * at_once);
  EXPECT_EQ(q.armed(), 0u);
  RecordProperty("cancelled", std::to_string(cancels));
}

// Owners arm, show, and compute until the timer has fired; workers do nothing but idle. It ends
// only if no deadline is slept through. The steps are those of src/sched/README.md, "Time".
struct keeping : testing::TestWithParam<bool> {
  static constexpr int workers = 3;

  struct place {
    weft::rt::wake_word word;
  };

  time_keeper keeper;
  std::array<place, workers> places;
  timer_queue queue{weft::test::pause, tick()};
  std::atomic<bool> stop{false};
  std::array<int64_t, workers> fires{};

  static int64_t tick() { return weft::rt::os::monotonic_ns() >> 10; }

  void barrier() const {
    if (GetParam()) {
      weft::rt::fence_seq_cst();
    } else {
      weft::rt::os::membarrier();
    }
  }
  bool nudge(place& p) {
    const wake_result r = p.word.nudge();
    if (r == wake_result::must_wake) weft::rt::os::futex_wake(p.word.futex(), 1);
    return r != wake_result::not_idle;
  }
  void nudge_one() {
    for (place& p : places)
      if (nudge(p)) return;
  }
  void call(place& p) {
    if (p.word.call() == wake_result::must_wake) weft::rt::os::futex_wake(p.word.futex(), 1);
  }

  void show() {
    const int64_t tick = queue.show();
    if (GetParam()) {
      weft::rt::fence_seq_cst();
    } else {
      weft::rt::fence_light();
    }
    time_keeper::view v = keeper.look();
    if (v.who != time_keeper::nobody && v.alarm <= tick) return;
    weft::rt::fence_seq_cst();
    v = keeper.look();
    if (v.who == time_keeper::nobody) {
      nudge_one();
    } else if (v.alarm > tick) {
      (void)nudge(places[v.who]);
    }
  }

  int64_t sleep(place& p, uint32_t me, bool keeps, int64_t alarm) {
    weft::rt::fence_seq_cst();
    if (!keeps && keeper.vacant()) {
      p.word.stir();
      return alarm;
    }
    if (keeps) {
      alarm = std::min(alarm, queue.shown());
      keeper.set_alarm(me, alarm);
    }
    while (p.word.is_asleep()) {
      if (!keeps || alarm == timer_queue::never) {
        weft::rt::os::futex_wait(p.word.futex(), weft::rt::wake_word::asleep_value);
      } else if (!weft::rt::os::futex_wait_until(p.word.futex(), weft::rt::wake_word::asleep_value,
                                                 alarm << 10)) {
        p.word.stir();
      }
    }
    return alarm;
  }

  bool idle(place& p, uint32_t me) {
    p.word.watch();
    bool keeps = keeper.become(me);
    int64_t alarm = timer_queue::never;
    bool looked = false;
    bool due = false;
    for (;;) {
      due = keeps && queue.shown() <= tick();
      if (due || p.word.is_notified()) break;
      bool anew = !keeps && keeper.become(me);
      if (anew) keeps = true;
      if (keeps && alarm <= tick()) {
        alarm = timer_queue::never;
        keeper.set_alarm(me, alarm);
        anew = true;
      }
      if (anew) looked = false;
      if (!looked) {
        barrier();
        looked = true;
        if (stop.load()) break;
      }
      if (p.word.fall_asleep()) alarm = sleep(p, me, keeps, alarm);
    }
    (void)p.word.rise();
    if (keeps) keeper.resign();
    weft::rt::fence_seq_cst();
    if (keeper.vacant() && queue.shown() != timer_queue::never) nudge_one();
    return due;
  }
};

TEST_P(keeping, no_deadline_is_slept_through) {
  WEFT_SKIP_WITHOUT_BARRIER(GetParam());
  constexpr int rounds = weft::rt::build::tsan ? 300 : 2'000;
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < workers; ++i)
    threads.emplace_back([this, i] {
      while (!stop.load())
        if (idle(places[i], i)) fire_due(queue, tick(), fires[i]);
    });
  // Somebody wakes a worker now and then, the keeper too.
  std::thread caller([this] {
    weft::test::dice dice{17};
    while (!stop.load()) {
      call(places[dice.roll(workers)]);
      std::this_thread::sleep_for(std::chrono::nanoseconds(20'000 + dice.roll(100'000)));
    }
  });
  weft::test::dice dice{5};
  int64_t fired = 0;
  for (int round = 1; round <= rounds; ++round) {
    waiter w;
    waiter cancelled;
    w.given = round;
    cancelled.given = round;
    (void)queue.arm(cancelled, tick() + dice.roll(200));
    show();
    if (queue.arm(w, tick() + dice.roll(200))) show();
    if (!timer_queue::cancel(cancelled, weft::test::pause)) ++fired;
    for (unsigned spun = 0; queue.armed() != 0; ++spun) weft::test::pause(spun);
    ASSERT_FALSE(timer_queue::cancel(w, weft::test::pause));
    ASSERT_EQ(w.fired, round);
    ++fired;
  }
  stop.store(true);
  caller.join();
  for (place& p : places) call(p);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(fires[0] + fires[1] + fires[2], fired);
}

INSTANTIATE_TEST_SUITE_P(modes, keeping, testing::Bool(),
                         [](const auto& p) { return p.param ? "symmetric" : "asymmetric"; });

}  // namespace
