// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals to a process that uses Weft: where handlers run, on which stack, and that no wait ends
// early. WEFT_TEST_AT_WORKERS
#include <cerrno>
#include <csignal>
#include <pthread.h>
#include <sys/time.h>
#include <thread>

#include "children.hpp"

namespace weft::test {
namespace {

// A handler for one signal while it lives. The action before comes back.
class handler {
 public:
  handler(int number, void (*run)(int), int flags = 0) : number_(number) {
    struct sigaction action{};
    action.sa_handler = run;
    action.sa_flags = flags;  // no SA_RESTART: a wait that could end early would
    EXPECT_EQ(sigaction(number, &action, &before_), 0);
  }
  handler(const handler&) = delete;
  handler& operator=(const handler&) = delete;
  ~handler() { sigaction(number_, &before_, nullptr); }

 private:
  int number_;
  struct sigaction before_{};
};

// A signal that the calling thread blocks while it lives.
class blocked {
 public:
  explicit blocked(int number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, &before_), 0);
  }
  blocked(const blocked&) = delete;
  blocked& operator=(const blocked&) = delete;
  ~blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// Runs f as a task on each worker in turn.
template <class F>
void on_each_worker(F& f) {
  for (uint32_t w = 0; w < weft_worker_count(); ++w) join(spawn(f, on_worker(w)));
}

TEST(lifecycle_signals, workers_have_the_mask_of_the_thread_that_started_them) {
  const blocked usr1(SIGUSR1);
  ASSERT_EQ(weft_start(nullptr), 0);
  auto looks = [] {
    sigset_t mask;
    ASSERT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &mask), 0);
    EXPECT_EQ(sigismember(&mask, SIGUSR1), 1);
    for (const int open : {SIGUSR2, SIGALRM, SIGCHLD, SIGPROF, SIGINT, SIGTERM, SIGSEGV})
      EXPECT_EQ(sigismember(&mask, open), 0) << open;
  };
  on_each_worker(looks);
  EXPECT_EQ(weft_stop(), 0);
}

TEST(lifecycle_signals, one_blocked_before_the_start_waits_for_the_thread_that_takes_it) {
  const blocked usr1(SIGUSR1);
  ASSERT_EQ(weft_start(nullptr), 0);
  std::atomic<int> taken{0};
  std::thread waits([&taken] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    int number = 0;
    if (sigwait(&set, &number) == 0) taken = number;
  });
  auto sends = [] { EXPECT_EQ(kill(getpid(), SIGUSR1), 0); };
  join(spawn(sends));
  waits.join();
  EXPECT_EQ(taken, SIGUSR1);
  EXPECT_EQ(weft_stop(), 0);
}

// --- where a handler runs -----------------------------------------------------------------------

struct place {
  uint32_t worker;
  weft_task_t task;
  const void* address;
  bool on_signal_stack;
  std::size_t signal_stack_bytes;
};
thread_local place handled;  // by the handler on this thread
__attribute__((noinline)) place* handled_here() {
  asm volatile("" ::: "memory");
  return &handled;
}

void note_place(int) {
  const int local = 0;
  stack_t stack{};
  sigaltstack(nullptr, &stack);
  *handled_here() = {weft_worker_index(), weft_task_self(), &local,
                     (stack.ss_flags & SS_ONSTACK) != 0, stack.ss_size};
}

using lifecycle_handlers = at_workers;

TEST_F(lifecycle_handlers, one_runs_on_the_stack_of_the_task_that_it_interrupts) {
  const handler usr1(SIGUSR1, note_place);
  auto raises = [] {
    const char local = 0;
    ASSERT_EQ(raise(SIGUSR1), 0);
    const place seen = *handled_here();
    EXPECT_EQ(seen.worker, weft_worker_index());
    EXPECT_EQ(seen.task, weft_task_self());
    EXPECT_FALSE(seen.on_signal_stack);
    if (!asan) {  // which keeps locals elsewhere
      const std::ptrdiff_t below = &local - static_cast<const char*>(seen.address);
      EXPECT_GT(below, 0);
      EXPECT_LT(static_cast<std::size_t>(below), weft_task_stack_left());
    }
  };
  on_each_worker(raises);
}

TEST_F(lifecycle_handlers, one_with_sa_onstack_runs_on_its_workers_signal_stack) {
  const handler usr1(SIGUSR1, note_place, SA_ONSTACK);
  auto raises = [] {
    ASSERT_EQ(raise(SIGUSR1), 0);
    const place seen = *handled_here();
    EXPECT_EQ(seen.worker, weft_worker_index());
    EXPECT_EQ(seen.task, weft_task_self());
    EXPECT_TRUE(seen.on_signal_stack);
    EXPECT_GE(seen.signal_stack_bytes, std::size_t{64} * 1024);
  };
  on_each_worker(raises);
}

// --- waits and signals --------------------------------------------------------------------------

std::atomic<int> handled_count{0};
void count(int) { handled_count.fetch_add(1, std::memory_order_relaxed); }

// Sends signals of three kinds without end while it lives: to the process, to threads by a timer,
// from children that end.
// What a thread sanitizer does to them.
constexpr const char* keeps_signals = "it keeps signals back until a call that it knows to block";

class storm {
 public:
  storm()
      : usr1_(SIGUSR1, count),
        alarm_(SIGALRM, count),
        child_(SIGCHLD, count),
        sender_([this] { send(); }) {
    handled_count = 0;
    const itimerval often{{0, 500}, {0, 500}};
    EXPECT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  }
  storm(const storm&) = delete;
  storm& operator=(const storm&) = delete;
  ~storm() {
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    over_ = true;
    sender_.join();
    EXPECT_GT(handled_count, 0);
  }

 private:
  void send() const {
    for (int i = 0; !over_; ++i) {
      kill(getpid(), SIGUSR1);
      if (i % 64 == 0) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
        }
      }
      std::this_thread::yield();
    }
  }

  handler usr1_;
  handler alarm_;
  handler child_;
  std::atomic<bool> over_{false};
  std::thread sender_;
};

// Handlers that must have run before a storm is over.
constexpr int enough = scaled(500);

TEST_F(lifecycle_handlers, tasks_compute_park_and_join_right_through_a_storm) {
  if (tsan) GTEST_SKIP() << keeps_signals;
  const storm signals;
  while (handled_count < enough) {
    EXPECT_TRUE(fib_is_right());
    auto sleeps = [] { EXPECT_EQ(weft_task_suspend(), 0); };
    std::vector<weft_task_t> all;
    for (int i = 0; i < 10; ++i) all.push_back(spawn(sleeps));
    EXPECT_EQ(weft_task_yield(), 0);
    for (weft_task_t t : all) EXPECT_EQ(weft_task_resume(t), 0);
    for (weft_task_t t : all) join(t);
  }
}

TEST_F(lifecycle_handlers, foreign_threads_join_right_through_a_storm) {
  if (tsan) GTEST_SKIP() << keeps_signals;
  std::atomic<bool> over{false};
  std::atomic<int> joined{0};
  std::thread foreign([&] {
    while (!over) {
      std::atomic<bool> ended{false};
      auto yields = [&ended] {
        for (int i = 0; i < 100; ++i) weft_task_yield();
        ended = true;
      };
      join(spawn(yields));
      EXPECT_TRUE(ended);
      ++joined;
    }
  });
  {
    const storm signals;
    EXPECT_TRUE(yield_until([&] { return handled_count >= enough && joined > 0; }));
  }
  over = true;
  std::atomic<bool> gone{false};  // a join of a thread here would block worker 0
  std::thread([&] {
    foreign.join();
    gone = true;
  }).detach();
  EXPECT_TRUE(yield_until([&] { return gone.load(); }));
}

TEST(lifecycle_signals, starts_and_stops_are_right_through_a_storm) {
  if (tsan) GTEST_SKIP() << keeps_signals;
  const storm signals;
  while (handled_count < enough) {
    ASSERT_EQ(weft_start(nullptr), 0);
    EXPECT_TRUE(fib_is_right());
    EXPECT_EQ(weft_stop(), 0);
  }
}

TEST(lifecycle_signals, a_guests_stop_waits_for_its_tasks_through_a_storm) {
  if (tsan) GTEST_SKIP() << keeps_signals;
  const storm signals;
  while (handled_count < enough) {
    std::atomic<int> ran{0};
    {
      const runtime weft(2, 0, WEFT_MAIN_GUEST);
      const auto yields = [](void* c) -> void* {
        for (int i = 0; i < 20; ++i) weft_task_yield();
        ++*static_cast<std::atomic<int>*>(c);
        return nullptr;
      };
      ASSERT_EQ(weft_task_spawn_many(yields, &ran, 0, 50, nullptr), 0);
    }
    EXPECT_EQ(ran, 50);
  }
}

TEST_F(lifecycle_handlers, a_worker_that_sleeps_runs_handlers_and_sleeps_on) {
  if (tsan) GTEST_SKIP() << keeps_signals;
  const handler usr1(SIGUSR1, count);
  std::vector<pthread_t> threads;
  auto tells = [&] { threads.push_back(pthread_self()); };
  on_each_worker(tells);
  handled_count = 0;
  int sent = 0;
  for (int round = 0; round < 20; ++round) {
    for (const pthread_t thread : threads) {
      ASSERT_EQ(pthread_kill(thread, SIGUSR1), 0);
      ++sent;
      EXPECT_TRUE(compute_until([&] { return handled_count == sent; }));
    }
  }
  EXPECT_TRUE(fib_is_right());
}

// --- signals that end the process ---------------------------------------------------------------

TEST(lifecycle_signals, an_unhandled_one_ends_it_whatever_the_workers_do) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    EXPECT_EQ(end_of_child([number] {
                if (weft_start(nullptr) != 0) _exit(1);
                new background;  // for ever
                kill(getpid(), number);
                for (;;) weft_task_yield();
              }),
              "signal " + std::to_string(number));
  }
}

}  // namespace
}  // namespace weft::test
