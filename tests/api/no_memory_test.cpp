// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address space that runs out for real: every function says -ENOMEM, nothing is lost, all goes on
// after.
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <thread>
#include <vector>

#include "children.hpp"
#include "support.hpp"
#include "support/child.hpp"
#include "support/famine.hpp"

namespace weft::test {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

// Each body runs in a child, whose limits are its own.
class no_memory : public testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "a sanitizer's shadow memory counts as address space";
    if (!famine_works()) GTEST_SKIP() << "RLIMIT_AS has no effect here";
  }
  template <class Body>
  static void run(uint32_t workers, Body body) {
    const outcome o = in_child([&] {
      {
        const runtime weft{workers};
        auto nothing = [] {};
        for (uint32_t w = 0; w < workers; ++w) join(spawn(nothing, on_worker(w)));  // all are up
        body();
      }
      _exit(HasFailure() ? 1 : 0);
    });
    EXPECT_TRUE(o.exited_with(0)) << o.status << "\n" << o.errors;
  }
};

struct counter {
  std::atomic<int> ran{0};
  static void* count(void* me) {
    ++static_cast<counter*>(me)->ran;
    return nullptr;
  }
};

// More than the descriptors and the queue of a process that has just started have room for.
constexpr std::size_t many = 100'000;

// Spawns until memory is out. Returns how many there are.
std::size_t spawn_until_refused(counter& c, std::vector<weft_task_t>& out) {
  std::size_t n = 0;
  int r = 0;
  while (n < out.size() && (r = weft_task_spawn(counter::count, &c, &out[n])) == 0) ++n;
  EXPECT_EQ(r, -ENOMEM);
  return n;
}

void join_all(std::vector<weft_task_t>& tasks, std::size_t n) {
  for (std::size_t i = n; i-- > 0;) join(tasks[i]);
}

TEST_F(no_memory, spawn_is_refused_when_there_is_no_descriptor_and_goes_on_after) {
  run(1, [] {
    counter c;
    std::vector<weft_task_t> tasks(many);
    std::size_t n = 0;
    {
      const famine f;
      n = spawn_until_refused(c, tasks);
      EXPECT_GT(n, 0u);
      EXPECT_EQ(weft_task_spawn(counter::count, &c, nullptr), -ENOMEM);
    }
    for (std::size_t more = n + 1000; n < more; ++n)
      ASSERT_EQ(weft_task_spawn(counter::count, &c, &tasks[n]), 0);
    join_all(tasks, n);
    EXPECT_EQ(c.ran, static_cast<int>(n));
  });
}

TEST_F(no_memory, spawn_is_refused_when_the_queue_cannot_grow_and_goes_on_after) {
  run(1, [] {
    counter c;
    std::vector<weft_task_t> tasks(many);
    // Tasks from outside need descriptors, but no room in a worker's queue.
    std::thread([&] {
      for (weft_task_t& t : tasks) ASSERT_EQ(weft_task_spawn(counter::count, &c, &t), 0);
    }).join();
    for (weft_task_t t : tasks) join(t);
    EXPECT_EQ(c.ran, static_cast<int>(many));
    std::size_t n = 0;
    {
      const famine f;
      n = spawn_until_refused(c, tasks);
      EXPECT_GT(n, 0u);
    }
    for (std::size_t more = n + 1000; n < more; ++n)
      ASSERT_EQ(weft_task_spawn(counter::count, &c, &tasks[n]), 0);
    join_all(tasks, n);
    EXPECT_EQ(c.ran, static_cast<int>(many + n));
  });
}

TEST_F(no_memory, tasks_spawned_before_can_be_joined_while_there_is_none) {
  run(1, [] {
    counter c;
    std::vector<weft_task_t> tasks(many);
    const famine f;
    const std::size_t n = spawn_until_refused(c, tasks);
    join_all(tasks, n);
    EXPECT_EQ(c.ran, static_cast<int>(n));
  });
}

TEST_F(no_memory, spawn_with_a_copied_argument_is_refused) {
  run(1, [] {
    std::vector<char> argument(mib);
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.copy_bytes = argument.size();
    const auto body = [](void*) -> void* { return nullptr; };
    {
      const famine f;
      EXPECT_EQ(weft_task_spawn_with(body, argument.data(), &how, nullptr), -ENOMEM);
    }
    weft_task_t t = nullptr;
    EXPECT_EQ(weft_task_spawn_with(body, argument.data(), &how, &t), 0);
    join(t);
  });
}

TEST_F(no_memory, spawn_many_spawns_all_or_none) {
  for (const uint32_t workers : {1u, 2u}) {
    run(workers, [] {
      counter c;
      std::vector<weft_task_t> tasks(many);
      {
        const famine f;
        EXPECT_EQ(weft_task_spawn_many(counter::count, &c, 0, many, tasks.data()), -ENOMEM);
        EXPECT_EQ(weft_task_spawn_many(counter::count, &c, 0, many, nullptr), -ENOMEM);
        weft_task_yield();
      }
      EXPECT_EQ(c.ran, 0);
      ASSERT_EQ(weft_task_spawn_many(counter::count, &c, 0, many, tasks.data()), 0);
      join_all(tasks, many);
      EXPECT_EQ(c.ran, static_cast<int>(many));
    });
  }
}

TEST_F(no_memory, a_foreign_thread_is_refused_and_goes_on_after) {
  run(2, [] {
    counter c;
    std::vector<weft_task_t> tasks(many);
    std::size_t n = 0;
    std::atomic<int> step{0};
    std::thread foreign([&] {
      while (step < 1) std::this_thread::yield();
      n = spawn_until_refused(c, tasks);
      step = 2;
      while (step < 3) std::this_thread::yield();
      for (std::size_t more = n + 1000; n < more; ++n)
        ASSERT_EQ(weft_task_spawn(counter::count, &c, &tasks[n]), 0);
    });
    {
      const famine f;
      step = 1;
      while (step < 2) std::this_thread::yield();
    }
    step = 3;
    foreign.join();
    EXPECT_GT(n, 1000u);
    join_all(tasks, n);
    EXPECT_EQ(c.ran, static_cast<int>(n));
  });
}

TEST_F(no_memory, start_is_refused_and_can_be_tried_again) {
  int refused = 0;
  // From nothing at all up to enough.
  for (std::size_t left = 0; left < 64 * mib; left += left / 4 + 64 * 1024) {
    const outcome o = in_child([left] {
      weft_config_t config{};
      config.size = sizeof config;
      config.workers = 7;
      int r = 0;
      {
        const famine f(left);
        r = weft_start(&config);
        EXPECT_TRUE(r == 0 || r == -ENOMEM || r == -EAGAIN) << r;
        if (r == 0) r = weft_stop();
      }
      EXPECT_EQ(weft_start(&config), 0);
      counter c;
      std::vector<weft_task_t> tasks(1000);
      EXPECT_EQ(weft_task_spawn_many(counter::count, &c, 0, tasks.size(), tasks.data()), 0);
      join_all(tasks, tasks.size());
      EXPECT_EQ(weft_stop(), 0);
      _exit(HasFailure() ? 2 : r == 0 ? 0 : 1);
    });
    EXPECT_TRUE(o.exited_with(0) || o.exited_with(1)) << left << ": " << o.status << "\n"
                                                      << o.errors;
    if (o.exited_with(1)) ++refused;
  }
  EXPECT_GT(refused, 5);
}

// --- no stack ------------------------------------------------------------------------------------

// Tasks that park until there is no stack left to go on with. The first that is refused calls
// `probe`.
struct crowd {
  explicit crowd(void (*p)(crowd&)) : probe(p) {
    EXPECT_EQ(weft_task_spawn_many(park, this, 0, tasks.size(), tasks.data()), 0);
  }
  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;

  static void* park(void* me) {
    auto* c = static_cast<crowd*>(me);
    if (c->parked++ == 0) c->first_parked = weft_task_self();
    const int r = weft_task_suspend();
    if (r == 0) {
      ++c->gone_on;
      return nullptr;
    }
    EXPECT_EQ(r, -ENOMEM);
    --c->parked;
    if (c->refused++ == 0) {
      c->probe(*c);
      c->probed = true;
    }
    return nullptr;
  }

  void wake_and_join() {
    for (weft_task_t t : tasks) {
      const int r = weft_task_resume(t);
      EXPECT_TRUE(r == 0 || r == -ESRCH) << r;
    }
    for (weft_task_t t : tasks) join(t);
    EXPECT_GT(parked, 0);
    EXPECT_EQ(gone_on, parked);
    EXPECT_EQ(parked + refused, static_cast<int>(tasks.size()));
  }

  void (*probe)(crowd&);
  std::vector<weft_task_t> tasks = std::vector<weft_task_t>(10'000);
  counter children;
  std::atomic<weft_task_t> first_parked{nullptr};
  std::atomic<int> parked{0};
  std::atomic<int> gone_on{0};
  std::atomic<int> refused{0};
  std::atomic<bool> probed{false};
  weft_task_t kept = nullptr;  // of the probe, to be joined when there is memory
};

// Calls probe in a task that has just been refused: on its worker no stack is left.
void with_no_stack_left(void (*probe)(crowd&)) {
  crowd c(probe);
  {
    const famine f;
    while (!c.probed) ASSERT_EQ(weft_task_yield(), 0);
  }
  if (c.kept != nullptr) join(c.kept);
  c.wake_and_join();
}

TEST_F(no_memory, suspend_is_refused_when_there_is_no_stack) {
  for (const uint32_t workers : {1u, 2u})
    run(workers,
        [] { with_no_stack_left([](crowd&) { EXPECT_EQ(weft_task_suspend(), -ENOMEM); }); });
}

TEST_F(no_memory, a_suspend_that_was_refused_has_taken_no_permit) {
  run(1, [] {
    with_no_stack_left([](crowd&) {
      EXPECT_EQ(weft_task_suspend(), -ENOMEM);
      EXPECT_EQ(weft_task_resume(weft_task_self()), 0);
      EXPECT_EQ(weft_task_suspend(), 0);
      EXPECT_EQ(weft_task_suspend(), -ENOMEM);
    });
  });
}

TEST_F(no_memory, a_wait_at_a_word_is_refused_and_nobody_stands_there) {
  run(1, [] {
    static uint64_t word = 0;
    EXPECT_EQ(weft_word_purge(&word), 0);
    with_no_stack_left([](crowd&) {
      uint64_t value = 7;
      EXPECT_EQ(weft_word_read_fe(&word, &value), -ENOMEM);
      EXPECT_EQ(value, 7u);
      EXPECT_EQ(weft_word_write_ef(&word, 5), 0);
      EXPECT_EQ(weft_word_status(&word), 1) << "nobody took it";
      EXPECT_EQ(weft_word_write_ef(&word, 6), -ENOMEM);
      EXPECT_EQ(weft_word_read_fe(&word, &value), 0);
      EXPECT_EQ(value, 5u);
      EXPECT_EQ(weft_word_status(&word), 0) << "nobody filled it";
    });
    EXPECT_EQ(weft_word_fill(&word), 0);
  });
}

TEST_F(no_memory, yield_is_refused_when_there_is_no_stack) {
  run(1, [] {
    with_no_stack_left([](crowd& c) {
      EXPECT_EQ(weft_task_yield(), -ENOMEM);
      weft_task_t t = nullptr;
      ASSERT_EQ(weft_task_spawn(counter::count, &c.children, &t), 0);
      EXPECT_EQ(weft_task_yield(), -ENOMEM);  // behind its child
      EXPECT_EQ(c.children.ran, 0);
      join(t);  // a call
      EXPECT_EQ(c.children.ran, 1);
    });
  });
}

TEST_F(no_memory, yield_to_is_refused_and_its_task_runs_later) {
  run(1, [] {
    with_no_stack_left([](crowd& c) {
      ASSERT_EQ(weft_task_spawn(counter::count, &c.children, &c.kept), 0);
      EXPECT_EQ(weft_task_yield_to(c.kept), -ENOMEM);
      EXPECT_EQ(c.children.ran, 0);
    });
  });
}

TEST_F(no_memory, yield_to_a_task_that_has_a_stack_needs_no_other) {
  run(1, [] {
    with_no_stack_left([](crowd& c) {
      EXPECT_EQ(c.gone_on, 0);
      EXPECT_EQ(weft_task_yield_to(c.first_parked), 0);
      EXPECT_EQ(c.gone_on, 1);
    });
  });
}

TEST_F(no_memory, join_is_refused_and_its_handle_stays_good) {
  run(1, [] {
    with_no_stack_left([](crowd& c) {
      EXPECT_EQ(weft_task_join(c.first_parked, nullptr), -ENOMEM);
      EXPECT_EQ(weft_task_try_join(c.first_parked, nullptr), -EBUSY);
    });
  });
}

TEST_F(no_memory, work_first_is_refused_and_its_child_never_was) {
  run(1, [] {
    with_no_stack_left([](crowd& c) {
      const weft_spawn_t how = with_flags(WEFT_SPAWN_WORK_FIRST);
      EXPECT_EQ(weft_task_spawn_with(counter::count, &c.children, &how, nullptr), -ENOMEM);
      weft_task_t t = nullptr;
      ASSERT_EQ(weft_task_spawn(counter::count, &c.children, &t), 0);
      join(t);
      EXPECT_EQ(c.children.ran, 1);
    });
  });
}

TEST_F(no_memory, migrate_is_refused_and_the_task_stays_where_it_is) {
  run(2, [] {
    with_no_stack_left([](crowd&) {
      const uint32_t here = weft_worker_index();
      EXPECT_EQ(weft_task_migrate(1 - here), -ENOMEM);
      EXPECT_EQ(weft_worker_index(), here);
    });
  });
}

// Both members add to the result, one at a time, until the caller has forked so often in its turns,
// while the other waits for the next; in some of them the other has been passed over so often that
// it is handed that. A child takes a few more turns.
struct turns {
  static constexpr int enough = 10;
  weft_task_t caller = weft_task_self();
  int waiting_to = open("/dev/null", O_WRONLY);
  int of_caller = 0;
  uint32_t over = 0;
  std::string end = "exit 42";

  static void take(int64_t, int64_t, void*, void* arg) {
    turns& t = *static_cast<turns*>(arg);
    const weft_task_t me = weft_task_self();
    if (__atomic_load_n(&t.over, __ATOMIC_RELAXED) != 0) return;
    if (me != nullptr && me != t.caller) {
      weft_task_yield();  // the caller may have been woken on this worker
      return;
    }
    if (me != nullptr) t.fork_while_the_other_waits();
    if (++t.of_caller >= enough) __atomic_store_n(&t.over, 1u, __ATOMIC_RELAXED);
  }

  void fork_while_the_other_waits() {
    EXPECT_TRUE(yield_until([this] { return weft_report_waiting(waiting_to) == 1; }));
    const std::string told = end_of_child([this] { of_caller = enough - 4; });
    if (told != "the child went on" && told != "exit 42") end = told;
  }
};

TEST_F(no_memory, a_reduction_without_values_of_its_members_comes_back_in_the_child_of_a_fork) {
  run(2, [] {
    static constexpr std::size_t bytes = 16 * mib;
    const std::vector<std::byte> identity(bytes);
    std::vector<std::byte> result(bytes);
    weft_reduction_t sum{};
    sum.size = sizeof sum;
    sum.value_bytes = bytes;
    sum.identity = identity.data();
    sum.reduce = [](void*, const void*) { ADD_FAILURE() << "a member had memory"; };
    weft_loop_t how = WEFT_LOOP_INIT;
    how.schedule = WEFT_LOOP_FIXED;
    turns t;
    how.cancel = &t.over;
    const pid_t parent = getpid();
    famine f(bytes + bytes / 2);
    const int r = weft_loop_reduce(0, 1'000'000'000, 1, turns::take, &t, &sum, result.data(), &how);
    if (getpid() != parent) _exit(r == -ECANCELED ? 42 : 1);
    f.end();
    EXPECT_EQ(r, -ECANCELED);
    EXPECT_EQ(t.end, "exit 42");
  });
}

}  // namespace
}  // namespace weft::test
