// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork() in a process that uses Weft: from everywhere, at any moment, and everything the child may
// do. WEFT_TEST_AT_WORKERS
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <sched.h>
#include <thread>

#include "children.hpp"
#include "support/pools.hpp"

namespace weft::test {
namespace {

using lifecycle_fork = at_workers;

// What a child may do. Each ends the process, "exit 0" if all was well.
void child_leaves_at_once() { _exit(0); }

void child_leaves_with_handlers() {
  if (std::atexit([] { _exit(0); }) != 0) _exit(1);
  exit(2);
}

void child_becomes_another_program() {
  execl("/bin/true", "true", nullptr);
  _exit(1);
}

void child_starts_anew() {
  if (weft_worker_count() != 0 || weft_worker_index() != WEFT_ANYWHERE) _exit(1);
  if (weft_task_self() != nullptr || weft_task_yield() != -ENOTCONN) _exit(2);
  if (weft_stop() != -ENOTCONN) _exit(3);
  weft_config_t config{};
  config.size = sizeof config;
  for (uint32_t workers = 1; workers <= 3; ++workers) {
    config.workers = workers;
    if (weft_start(&config) != 0) _exit(4);
    if (weft_worker_count() != workers || weft_worker_index() != 0) _exit(5);
    if (!fib_is_right()) _exit(6);
    if (weft_stop() != 0) _exit(7);
  }
  _exit(0);
}

void child_starts_by_a_spawn() {
  if (!fib_is_right()) _exit(1);
  exit(0);  // it runs on
}

void child_forks_again() {
  if (!fib_is_right()) _exit(1);
  if (end_of_child(child_starts_anew) != "exit 0") _exit(2);
  if (!fib_is_right()) _exit(3);
  _exit(0);
}

constexpr void (*all_deeds[])() = {child_leaves_at_once,          child_leaves_with_handlers,
                                   child_becomes_another_program, child_starts_anew,
                                   child_starts_by_a_spawn,       child_forks_again};

void forks_for_all_deeds() {
  for (const auto deed : all_deeds) EXPECT_EQ(end_of_child(deed), "exit 0");
}

// The first of all: nothing may have been started before.
TEST(lifecycle_fork_unstarted, threads_that_wait_in_the_parent_do_not_wait_in_the_child) {
  weft_semaphore_t never = WEFT_SEMAPHORE_INIT(0);
  std::thread waits([&] { EXPECT_EQ(weft_semaphore_wait(&never), 0); });
  const int nowhere = open("/dev/null", O_WRONLY);
  EXPECT_TRUE(compute_until([&] { return weft_report_waiting(nowhere) == 1; }));
  EXPECT_EQ(end_of_child([&] { _exit(weft_report_waiting(nowhere) == 0 ? 42 : 1); }), "exit 42");
  EXPECT_EQ(weft_semaphore_post(&never, 1), 0);
  waits.join();
  close(nowhere);
}

TEST_F(lifecycle_fork, from_main_while_nothing_runs) { forks_for_all_deeds(); }

TEST_F(lifecycle_fork, from_main_while_tasks_of_every_kind_exist) {
  const background tasks;
  forks_for_all_deeds();
  EXPECT_TRUE(fib_is_right());
}

TEST_F(lifecycle_fork, from_a_task_that_was_called_inline) {
  const background tasks;
  auto forks = [] { forks_for_all_deeds(); };
  join(spawn(forks));
  EXPECT_TRUE(fib_is_right());
}

TEST_F(lifecycle_fork, from_a_task_with_a_stack_of_its_own) {
  const background tasks;
  auto forks = [] { forks_for_all_deeds(); };
  run_apart(forks);
  EXPECT_TRUE(fib_is_right());
}

TEST_F(lifecycle_fork, from_a_foreign_thread) {
  const background tasks;
  std::thread(forks_for_all_deeds).join();
  EXPECT_TRUE(fib_is_right());
}

TEST(lifecycle_fork_stopped, before_the_first_start_and_after_a_stop) {
  forks_for_all_deeds();
  ASSERT_EQ(weft_start(nullptr), 0);
  ASSERT_EQ(weft_stop(), 0);
  forks_for_all_deeds();
}

// Handlers of the program's own that hold a mutex over a fork: registered before those of Weft, so
// that they run within.
weft_mutex_t held_over_forks;
std::atomic<bool> is_held_over_forks{false};

void lock_for_fork() {
  if (is_held_over_forks) {
    EXPECT_EQ(weft_mutex_lock(&held_over_forks), 0);
  }
}
void unlock_after_fork() {
  if (is_held_over_forks) {
    EXPECT_EQ(weft_mutex_unlock(&held_over_forks), 0);
  }
}
const bool are_registered =
    pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork) == 0;

TEST_F(lifecycle_fork, waits_for_a_mutex_that_the_program_holds_over_forks) {
  ASSERT_TRUE(are_registered);
  for (int i = 0; i < scaled(20); ++i) {
    ASSERT_EQ(weft_mutex_init(&held_over_forks, 0),
              0);  // nobody has come to it while another held it
    std::atomic<bool> held{false};
    std::thread holder([&] {
      EXPECT_EQ(weft_mutex_lock(&held_over_forks), 0);
      held = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      EXPECT_EQ(weft_mutex_unlock(&held_over_forks), 0);
    });
    EXPECT_TRUE(compute_until([&] { return held.load(); }));
    is_held_over_forks = true;
    EXPECT_EQ(end_of_child([] { _exit(0); }), "exit 0");
    is_held_over_forks = false;
    holder.join();
    EXPECT_TRUE(fib_is_right());
  }
}

// Two hundred forks from all sides at once, each child at something else.
TEST_F(lifecycle_fork, two_hundred_times_from_tasks_and_threads_at_once) {
  constexpr int each = scaled(50) < 10 ? 10 : scaled(50);
  const background tasks;
  auto many = [] {
    for (int i = 0; i < each; ++i)
      EXPECT_EQ(end_of_child(all_deeds[static_cast<std::size_t>(i) % std::size(all_deeds)]),
                "exit 0");
  };
  std::thread foreign(many);
  std::thread another(many);
  const weft_task_t t = spawn(many);
  many();
  join(t);
  foreign.join();
  another.join();
}

TEST_F(lifecycle_fork, while_other_threads_start_and_stop) {
  EXPECT_EQ(weft_stop(), 0);
  std::atomic<bool> over{false};
  std::thread other([&] {
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = 2;
    config.main_mode = WEFT_MAIN_GUEST;
    while (!over) {
      EXPECT_EQ(weft_start(&config), 0);
      EXPECT_TRUE(fib_is_right());
      EXPECT_EQ(weft_stop(), 0);
    }
  });
  for (int i = 0; i < scaled(50); ++i) EXPECT_EQ(end_of_child(child_starts_anew), "exit 0");
  over = true;
  other.join();
  ASSERT_EQ(weft_start(nullptr), 0);
}

// --- the end of the task that forked ------------------------------------------------------------

// Runs f as a task that a loop calls, with nothing of it after f.
template <class F>
void run_from_loop(F& f) {
  const weft_task_t t = spawn(f);
  int r = -EBUSY;
  EXPECT_TRUE(yield_until([&] { return (r = weft_task_try_join(t, nullptr)) != -EBUSY; }));
  EXPECT_EQ(r, 0);
}

// The child returns from its task: nobody is left to return to. It ends as by exit(0), which the
// handler shows that the child installed.
void child_returns() {
  if (std::atexit([] { _exit(42); }) != 0) _exit(1);
}

// The same with a runtime of its own.
void child_starts_and_returns() {
  child_returns();
  if (!fib_is_right()) _exit(1);
}

TEST_F(lifecycle_fork, the_child_ends_when_the_task_that_forked_returns) {
  std::string end;
  auto forks = [&end] { end = end_of_child(child_returns); };
  join(spawn(forks));
  EXPECT_EQ(end, "exit 42");
  end.clear();
  run_from_loop(forks);
  EXPECT_EQ(end, "exit 42");
}

TEST_F(lifecycle_fork, the_child_ends_so_even_if_it_runs_a_runtime_of_its_own) {
  std::string end;
  auto forks = [&end] { end = end_of_child(child_starts_and_returns); };
  join(spawn(forks));
  EXPECT_EQ(end, "exit 42");
  end.clear();
  run_from_loop(forks);
  EXPECT_EQ(end, "exit 42");
}

// --- loops and teams -----------------------------------------------------------------------------

// Two iterations that wait for each other, so that another worker helps. Each calls its own.
template <class Caller, class Helper>
int run_loop_of_two(Caller&& at_caller, Helper&& at_helper) {
  struct loop {
    Caller& at_caller;
    Helper& at_helper;
    uint32_t here = weft_worker_index();
    std::atomic<int> there{0};
  } l{at_caller, at_helper};
  weft_loop_t how = WEFT_LOOP_INIT;
  how.schedule = WEFT_LOOP_BALANCED;
  how.members = 2;
  return weft_loop_run(
      0, 2, 1,
      [](int64_t, int64_t, void* arg) {
        auto& me = *static_cast<loop*>(arg);
        ++me.there;
        while (me.there != 2) std::this_thread::yield();
        if (weft_worker_index() == me.here) {
          me.at_caller();
        } else {
          me.at_helper();
        }
      },
      &l, &how);
}

TEST_F(lifecycle_fork, the_child_of_who_helps_with_a_loop_ends_when_its_part_is_over) {
  if (weft_worker_count() == 1) GTEST_SKIP() << "nobody helps";
  std::string end;
  EXPECT_EQ(run_loop_of_two([] {}, [&] { end = end_of_child(child_returns); }), 0);
  EXPECT_EQ(end, "exit 42");
  EXPECT_EQ(run_loop_of_two([] {}, [&] { end = end_of_child(child_starts_and_returns); }), 0);
  EXPECT_EQ(end, "exit 42");
}

// The other iteration is not over when the caller of the loop forks, and never will be in the
// child.
void expect_loop_comes_back(bool starts_anew) {
  std::atomic<bool> has_forked{false};
  bool is_child = false;
  std::string end;
  const int r = run_loop_of_two(
      [&] {
        const std::string told = end_of_child([&] {
          is_child = true;
          if (starts_anew && !fib_is_right()) _exit(2);
        });
        if (is_child) return;
        end = told;
        has_forked = true;
      },
      [&] {
        while (!has_forked) std::this_thread::yield();
      });
  if (is_child) _exit(r == -ECANCELED ? 42 : 1);
  EXPECT_EQ(end, "exit 42");
  EXPECT_EQ(r, 0);
}

TEST_F(lifecycle_fork, a_loop_comes_back_in_the_child_of_its_caller) {
  if (weft_worker_count() == 1) GTEST_SKIP() << "nobody helps";
  for (const bool starts_anew : {false, true}) {
    expect_loop_comes_back(starts_anew);
    auto loops = [starts_anew] { expect_loop_comes_back(starts_anew); };
    join(spawn(loops));
    run_apart(loops);
  }
}

class lifecycle_fork_unspun : public lifecycle_fork {
 protected:
  void SetUp() override {
    setenv("WEFT_SPIN_US", "0", 1);
    lifecycle_fork::SetUp();
    unsetenv("WEFT_SPIN_US");
  }
};

TEST_F(lifecycle_fork_unspun, a_loop_comes_back_in_the_child_of_its_caller) {
  if (weft_worker_count() == 1) GTEST_SKIP() << "nobody helps";
  expect_loop_comes_back(false);
}

// The child has what nobody had begun, and perhaps a runtime of its own for the rest.
void expect_long_loop_comes_back(int64_t count, bool starts_anew) {
  struct loop {
    int64_t forks_at;
    bool starts_anew;
    std::string end{};
  } l{count / 2, starts_anew};
  const pid_t parent = getpid();
  const int r = weft_loop_run(
      0, count, 1,
      [](int64_t begin, int64_t end, void* arg) {
        auto& me = *static_cast<loop*>(arg);
        for (int64_t i = begin; i != end; ++i) {
          if (i != me.forks_at) continue;
          const std::string told =
              end_of_child(me.starts_anew ? child_starts_and_returns : child_returns);
          if (told != "the child went on") me.end = told;
        }
      },
      &l, nullptr);
  if (getpid() != parent) _exit(r == 0 || r == -ECANCELED ? 42 : 2);
  EXPECT_EQ(l.end, "exit 42") << count;
  EXPECT_EQ(r, 0);
}

TEST_F(lifecycle_fork, loops_of_all_lengths_come_back_in_the_child) {
  for (int i = 0; i < scaled(10); ++i)
    for (int64_t count = 2; count <= 65'536; count *= 2)
      expect_long_loop_comes_back(count, i % 2 != 0);
}

TEST_F(lifecycle_fork, the_child_of_an_iteration_with_a_task_of_its_own_ends) {
  std::string end;
  weft_loop_t how = WEFT_LOOP_INIT;
  how.schedule = WEFT_LOOP_EACH;
  const auto forks = [](int64_t, int64_t, void* arg) {
    const std::string told = end_of_child(child_starts_and_returns);
    if (told != "the child went on") *static_cast<std::string*>(arg) = told;
  };
  EXPECT_EQ(weft_loop_run(0, 1, 1, forks, &end, &how), 0);
  EXPECT_EQ(end, "exit 42");
}

// Adds up iterations, one of which forks.
TEST_F(lifecycle_fork, a_reduction_comes_back_in_the_child) {
  static std::string end;
  const pid_t parent = getpid();
  static const int64_t zero = 0;
  weft_reduction_t sum{};
  sum.size = sizeof sum;
  sum.value_bytes = sizeof zero;
  sum.identity = &zero;
  sum.reduce = [](void* into, const void* from) {
    *static_cast<int64_t*>(into) += *static_cast<const int64_t*>(from);
  };
  for (int i = 0; i < scaled(20); ++i) {
    int64_t total = 0;
    const int r = weft_loop_reduce(
        0, 1000, 1,
        [](int64_t first, int64_t last, void* into, void*) {
          for (int64_t n = first; n != last; ++n) {
            *static_cast<int64_t*>(into) += n;
            if (n != 500) continue;
            const std::string told = end_of_child(child_returns);
            if (told != "the child went on") end = told;
          }
        },
        nullptr, &sum, &total, nullptr);
    if (getpid() != parent) _exit(r == 0 || r == -ECANCELED ? 42 : 2);
    EXPECT_EQ(end, "exit 42");
    EXPECT_EQ(r, 0);
    EXPECT_EQ(total, 499'500);
  }
}

struct forking_team {
  uint32_t forks;  // the rank that does
  std::atomic<bool> has_forked{false};
  std::string end{};
};

void expect_team_comes_back(uint32_t size, uint32_t rank) {
  forking_team t{rank};
  const pid_t parent = getpid();
  const int r = weft_team_run(
      size,
      [](weft_team_member_t* me, void* arg) {
        auto& all = *static_cast<forking_team*>(arg);
        if (weft_team_rank(me) != all.forks) {
          while (all.forks == 0 && !all.has_forked) weft_task_yield();
          return;
        }
        for (int i = 0; i < 100; ++i) weft_task_yield();
        const std::string told = end_of_child(child_starts_and_returns);
        if (told == "the child went on") return;
        all.end = told;
        all.has_forked = true;
      },
      &t);
  if (getpid() != parent) _exit(r == -ECANCELED ? 42 : 2);
  EXPECT_EQ(t.end, "exit 42");
  EXPECT_EQ(r, 0);
}

TEST_F(lifecycle_fork, a_team_comes_back_in_the_child_of_its_caller) {
  expect_team_comes_back(3, 0);
}

// The caller waits for it alone.
TEST_F(lifecycle_fork, the_child_of_a_member_of_a_team_ends_when_that_returns) {
  expect_team_comes_back(2, 1);
}

// What a member does with the others. The first that did not go as it says, 0: none.
int first_wrong(weft_team_member_t* me, int wait, int claim, int broadcast, int loop) {
  int failed = weft_team_wait(me);
  if (failed != wait && (wait != 0 || failed != 1)) return 1;
  failed = weft_team_claim(me);
  if (failed != claim && (claim != 0 || failed != 1)) return 2;
  for (uint32_t root = 0; root < 2; ++root) {
    uint32_t value = weft_team_rank(me) == root ? root + 7 : 0;
    if (weft_team_broadcast(me, root, &value, sizeof value) != broadcast) return 3;
    if (broadcast == 0 && value != root + 7) return 4;
  }
  const auto nothing = [](int64_t, int64_t, void*) {};
  return weft_team_loop(me, 0, 100, 1, nothing, nullptr, nullptr) == loop ? 0 : 5;
}

void expect_nobody_in_the_child(uint32_t rank, void (*child)()) {
  struct {
    uint32_t forks;
    void (*child)();
    std::string end{};
  } all{rank, child};
  const pid_t parent = getpid();
  const int r = weft_team_run(
      3,
      [](weft_team_member_t* me, void* arg) {
        auto& t = *static_cast<decltype(all)*>(arg);
        EXPECT_EQ(first_wrong(me, 0, 0, 0, 0), 0);
        if (weft_team_rank(me) == t.forks) {
          const std::string told = end_of_child(t.child);
          if (told == "the child went on") {
            constexpr int none = -ECANCELED;
            if (const int n = first_wrong(me, none, none, none, none); n != 0) _exit(n);
            return;
          }
          t.end = told;
        }
        EXPECT_EQ(first_wrong(me, 0, 0, 0, 0), 0);
      },
      &all);
  if (getpid() != parent) _exit(r == -ECANCELED ? 42 : 9);
  EXPECT_EQ(all.end, "exit 42");
  EXPECT_EQ(r, 0);
}

TEST_F(lifecycle_fork, a_member_of_a_team_waits_for_nobody_in_its_child) {
  for (const auto child : {child_returns, child_starts_and_returns}) {
    for (uint32_t rank = 0; rank < 2; ++rank) {
      expect_nobody_in_the_child(rank, child);
      auto runs = [=] { expect_nobody_in_the_child(rank, child); };
      join(spawn(runs));
      run_apart(runs);
    }
  }
}

// A word that a task is to fill with 7, and how a child of that task ended: by 42.
struct filler {
  uint64_t word = 0;
  weft_producer_t producer{};
  std::string end;
};

void expect_filled_by(weft_fn_t fills) {
  filler f;
  ASSERT_EQ(weft_task_spawn_producer(fills, &f, nullptr, &f.word, &f.producer), 0);
  uint64_t value = 0;
  EXPECT_EQ(weft_word_read_ff(&f.word, &value), 0);
  EXPECT_EQ(value, 7u);
  EXPECT_EQ(f.end, "exit 42");
}

TEST_F(lifecycle_fork, the_child_ends_so_where_the_task_was_to_fill_a_word) {
  static const auto fills = [](void* arg) -> void* {
    auto* f = static_cast<filler*>(arg);
    std::string end = end_of_child(child_returns);
    if (end != "the child went on") f->end = end;
    return weft_word_produce(&f->word, &f->producer, 7) == 0 ? f : nullptr;
  };
  expect_filled_by(fills);
}

TEST_F(lifecycle_fork, the_child_disowns_a_word_that_its_task_was_to_fill) {
  static const auto fills = [](void* arg) -> void* {
    auto* f = static_cast<filler*>(arg);
    f->end = end_of_child([f] {
      if (weft_word_disown(&f->word, &f->producer) != 0) _exit(1);
      // Where words are empty in the child, too.
      uint64_t other = 0;
      if (weft_word_empty(&other) != 0 || weft_word_empty(&f->word) != 0) _exit(2);
      if (weft_word_disown(&f->word, &f->producer) != 0) _exit(3);
      _exit(weft_word_status(&f->word) == 0 ? 42 : 4);
    });
    return weft_word_produce(&f->word, &f->producer, 7) == 0 ? f : nullptr;
  };
  expect_filled_by(fills);
}

TEST_F(lifecycle_fork, the_child_leaves_the_scopes_of_cancellers_that_its_task_is_in) {
  std::string end;
  auto forks = [&end] {
    weft_cancel_t c = WEFT_CANCEL_INIT;
    weft_cancel_scope_t outer;
    weft_cancel_scope_t inner;
    EXPECT_EQ(weft_cancel_enter(&c, &outer), 0);
    EXPECT_EQ(weft_cancel_enter(nullptr, &inner), 0);
    bool is_child = false;
    const std::string told = end_of_child([&] { is_child = true; });
    const bool left = weft_cancel_leave(&inner) == 0 && weft_cancel_leave(&outer) == 0;
    if (is_child) _exit(left ? 42 : 1);
    end = told;
    EXPECT_TRUE(left);
  };
  join(spawn(forks));
  EXPECT_EQ(end, "exit 42");
  end.clear();
  run_from_loop(forks);
  EXPECT_EQ(end, "exit 42");
}

TEST_F(lifecycle_fork, the_child_is_in_no_scope_of_another_task_of_its_thread) {
  weft_cancel_t c = WEFT_CANCEL_INIT;
  weft_cancel_scope_t scope;
  weft_semaphore_t done = WEFT_SEMAPHORE_INIT(0);
  weft_semaphore_t other = WEFT_SEMAPHORE_INIT(0);
  std::string end;
  auto forks = [&] {
    end = end_of_child([&] {
      const int64_t soon = weft_time_now_ns() + 1'000'000;
      const int r = weft_semaphore_wait_until(&other, soon);
      _exit(r == -ETIMEDOUT ? 42 : 1);
    });
    EXPECT_EQ(weft_semaphore_post(&done, 1), 0);
  };
  EXPECT_EQ(weft_cancel_enter(&c, &scope), 0);
  const weft_task_t t = spawn(forks, on_worker(weft_worker_index()));
  EXPECT_EQ(weft_semaphore_wait(&done), 0);
  EXPECT_EQ(weft_cancel_leave(&scope), 0);
  join(t);
  EXPECT_EQ(end, "exit 42");
}

TEST_F(lifecycle_fork, handles_of_the_parent_are_refused_in_the_child) {
  std::atomic<bool> go{false};
  auto waits = [&go] {
    while (!go) weft_task_yield();
  };
  const weft_task_t t = spawn(waits);
  EXPECT_EQ(end_of_child([t] {
              if (weft_task_join(t, nullptr) != -ENOTCONN) _exit(1);
              if (weft_task_try_join(t, nullptr) != -ENOTCONN) _exit(2);
              if (weft_task_resume(t) != -ENOTCONN) _exit(3);
              if (weft_task_detach(t) != -ENOTCONN) _exit(4);
              _exit(0);
            }),
            "exit 0");
  go = true;
  join(t);
}

// --- pools, schedulers, workers that come and go -----------------------------------------------

weft_pool_t make_pool() {
  weft_pool_config_t config{};
  config.size = sizeof config;
  weft_pool_t p = 0;
  EXPECT_EQ(weft_pool_create(&config, &p), 0);
  return p;
}

const pid_t testing_process = getpid();

TEST_F(lifecycle_fork, pools_schedulers_and_guests_of_the_parent_are_not_the_childs) {
  const weft_pool_t pool = make_pool();
  const weft_scheduler_t scheduler = scheduler_of(pool, [](void*) {
    if (getpid() != testing_process) _exit(9);
  });
  const uint32_t last = weft_worker_count() - 1;
  ASSERT_EQ(weft_worker_set_scheduler(last, scheduler), 0);
  std::atomic<bool> over{false};
  std::atomic<bool> guest_is_there{false};
  std::thread guest;
  if (weft_worker_count() > 2) {
    ASSERT_EQ(weft_worker_remove(1, 0), 0);
    guest = std::thread([&] {
      EXPECT_TRUE(compute_until([] { return weft_guest_begin(1) == 0; }));
      guest_is_there = true;
      EXPECT_TRUE(yield_until([&] { return over.load(); }));
      EXPECT_EQ(weft_guest_end(), 0);
    });
    while (!guest_is_there) std::this_thread::yield();
  }
  EXPECT_EQ(end_of_child([pool] {
              if (weft_start(nullptr) != 0) _exit(1);
              if (weft_pool_size(pool) != -EINVAL || weft_pool_free(pool) != -EINVAL) _exit(2);
              if (weft_pool_free(make_pool()) != 0) _exit(3);
              if (weft_stop() != 0) _exit(4);
              child_starts_anew();
            }),
            "exit 0");
  over = true;
  if (guest.joinable()) guest.join();
  EXPECT_EQ(weft_worker_set_scheduler(last, nullptr), 0);
  EXPECT_EQ(weft_scheduler_free(scheduler), 0);
}

// fork() at any moment of what others do, but for the sanitizer's sake: a child of TSan may find
// the lock held under which that allocates what it notes of blocks, and waits for it as soon as it
// starts a thread. There the others make and free nothing meanwhile.
class beside_forks {
 public:
  void make_and_free(const std::function<void()>& once) {
    at_it_.fetch_add(1);
    if (!waits_.load()) once();
    at_it_.fetch_sub(1);
    if (waits_.load()) std::this_thread::yield();
  }
  std::string end_of_child_that_starts_anew() {
    waits_ = tsan;
    while (waits_.load() && at_it_.load() != 0) std::this_thread::yield();
    std::string end = end_of_child(child_starts_anew);
    waits_ = false;
    return end;
  }

 private:
  std::atomic<int> at_it_{0};
  std::atomic<bool> waits_{false};
};

TEST_F(lifecycle_fork, while_other_threads_change_pools_schedulers_and_workers) {
  std::atomic<bool> over{false};
  beside_forks beside;
  std::thread pools([&] {
    while (!over) beside.make_and_free([] { EXPECT_EQ(weft_pool_free(make_pool()), 0); });
  });
  std::thread schedulers([&] {
    const weft_pool_t pool = make_pool();
    while (!over) {
      beside.make_and_free(
          [pool] { EXPECT_EQ(weft_scheduler_free(scheduler_of(pool, nullptr)), 0); });
    }
    EXPECT_EQ(weft_pool_free(pool), 0);
  });
  std::thread workers([&over] {
    while (!over && weft_worker_count() > 1) {
      EXPECT_EQ(weft_worker_disable(1), 0);
      EXPECT_EQ(weft_worker_enable(1), 0);
    }
  });
  for (int i = 0; i < scaled(100); ++i) {
    const std::string end = beside.end_of_child_that_starts_anew();
    EXPECT_EQ(end, "exit 0");
    if (end != "exit 0") break;
  }
  over = true;
  pools.join();
  schedulers.join();
  workers.join();
}

// The other worker watches for what it is sent, so that a slot of it is claimed or being written at
// some forks.
TEST_F(lifecycle_fork, while_tasks_are_sent_to_a_worker_that_watches) {
  std::atomic<bool> over{false};
  std::thread forks([&over] {
    for (int i = 0; i < scaled(100) && !testing::Test::HasFailure(); ++i)
      EXPECT_EQ(end_of_child(i % 2 == 0 ? child_starts_anew : child_starts_by_a_spawn), "exit 0");
    over = true;
  });
  std::atomic<int> ran{0};
  auto leaf = [&ran] { ++ran; };
  const weft_spawn_t there = on_worker(weft_worker_count() - 1);
  int sent = 0;
  for (; !over; sent += 2) {
    EXPECT_EQ(weft_task_spawn_with(call<decltype(leaf)>, &leaf, &there, nullptr), 0);
    join(spawn(leaf, there));
  }
  forks.join();
  EXPECT_TRUE(yield_until([&] { return ran == sent; }));
}

// --- what the child has from its parent ---------------------------------------------------------

TEST_F(lifecycle_fork, the_child_can_read_what_the_stacks_of_tasks_hold) {
  std::string end;
  int on_mains_stack = 17;
  auto forks = [&] {
    int on_own_stack = 4;
    end = end_of_child([&] {
      if (!fib_is_right()) _exit(1);
      _exit(on_mains_stack + on_own_stack == 21 ? 0 : 2);
    });
    EXPECT_EQ(on_own_stack, 4);
  };
  run_apart(forks);
  EXPECT_EQ(end, "exit 0");
}

cpu_set_t processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

// Each worker of the parent is bound to one processor.
class lifecycle_fork_bound : public lifecycle_fork {
 protected:
  void SetUp() override {
    all_ = processors();
    if (CPU_COUNT(&all_) < 2) GTEST_SKIP() << "one processor";
    setenv("WEFT_BIND", "worker", 1);
    lifecycle_fork::SetUp();
    unsetenv("WEFT_BIND");
  }
  void TearDown() override {
    if (weft_worker_count() > 0) lifecycle_fork::TearDown();
    const cpu_set_t now = processors();
    EXPECT_TRUE(CPU_EQUAL(&now, &all_)) << "the parent has its own again, too";
  }

  bool is_unbound() const {
    const cpu_set_t now = processors();
    return CPU_EQUAL(&now, &all_) != 0;
  }
  // A thread that a bound worker makes is bound as that is.
  void unbind_thread() const { EXPECT_EQ(sched_setaffinity(0, sizeof all_, &all_), 0); }
  void expect_unbound_child() const {
    const cpu_set_t before = processors();
    EXPECT_EQ(CPU_COUNT(&before), 1);
    EXPECT_EQ(end_of_child([&] {
                if (!is_unbound()) _exit(1);
                if (weft_start(nullptr) != 0 || !fib_is_right()) _exit(2);
                if (weft_stop() != 0) _exit(3);
                _exit(is_unbound() ? 0 : 4);
              }),
              "exit 0");
    const cpu_set_t after = processors();
    EXPECT_TRUE(CPU_EQUAL(&before, &after)) << "the parent is as it was";
  }

 private:
  cpu_set_t all_{};
};

TEST_F(lifecycle_fork_bound, the_child_is_not) {
  expect_unbound_child();
  auto forks = [&] { expect_unbound_child(); };
  for (uint32_t w = 0; w < weft_worker_count() && w < 3; ++w) join(spawn(forks, on_worker(w)));
}

TEST_F(lifecycle_fork_bound, the_child_of_a_guest_or_a_carrier_has_what_that_had) {
  if (weft_worker_count() == 1) GTEST_SKIP() << "there is no other worker";
  ASSERT_EQ(weft_worker_remove(1, 0), 0);
  std::thread guest([&] {
    unbind_thread();
    EXPECT_TRUE(compute_until([] { return weft_guest_begin(1) == 0; }));
    EXPECT_EQ(weft_worker_bind(1, static_cast<uint32_t>(weft_worker_processor(1))), 0);
    EXPECT_TRUE(yield_until([&] { return !is_unbound(); }));
    expect_unbound_child();
    EXPECT_EQ(weft_guest_end(), 0);
  });
  guest.join();
  std::thread carrier([&] {
    unbind_thread();
    EXPECT_TRUE(compute_until([] { return weft_worker_carry(1) == 0; }));
    EXPECT_TRUE(is_unbound());
  });
  EXPECT_TRUE(yield_until([] { return weft_worker_is_enabled(1) == 1; }));
  auto forks = [&] { expect_unbound_child(); };
  join(spawn(forks, on_worker(1)));
  EXPECT_EQ(weft_stop(), 0);
  carrier.join();
}

TEST_F(lifecycle_fork, the_child_has_the_signal_actions_that_the_program_had) {
  EXPECT_EQ(end_of_child([] {
              struct sigaction now{};
              if (sigaction(SIGSEGV, nullptr, &now) != 0) _exit(1);
              _exit(sanitized || now.sa_handler == SIG_DFL ? 0 : 2);
            }),
            "exit 0");
}

}  // namespace
}  // namespace weft::test
