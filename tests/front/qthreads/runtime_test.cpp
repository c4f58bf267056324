// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Start and stop, variables of the environment, places, what works before the start.
#include "runtime.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <qthread/cacheline.h>
#include <qthread/hw_pool.h>
#include <qthread/io.h>
#include <qthread/qloop.h>
#include <qthread/qtimer.h>
#include <qthread/sinc.h>
#include <sched.h>
#include <set>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include <weft/cancel.h>
#include <weft/embed.h>
#include <weft/place.h>
#include <weft/runtime.h>
#include <weft/task.h>
#include <weft/word.h>

#include "polling.hpp"
#include "support.hpp"

namespace weft::test {
namespace {

using namespace std::chrono_literals;

// The environment as a test wants it; as it was, afterwards.
class runtime : public testing::Test {
 protected:
  void SetUp() override { set_weft("WEFT_STACK_SIZE", ""); }
  void TearDown() override {
    qthread_finalize();
    for (const char* name :
         {"NUM_SHEPHERDS", "NUM_WORKERS_PER_SHEPHERD", "HWPAR", "STACK_SIZE", "TASKLOCAL_SIZE",
          "SPAWN", "INFO", "AFFINITY", "SPINCOUNT", "SHEPHERD_BOUNDARY", "STEAL_RATIO",
          "GUARD_PAGES", "MAX_IO_WORKERS", "IO_TIMEOUT"})
      for (const char* prefix : {"QT_", "QTHREAD_"}) unsetenv((std::string(prefix) + name).c_str());
    for (const auto& [name, value] : weft_) {
      if (value.empty()) {
        unsetenv(name.c_str());
      } else {
        setenv(name.c_str(), value.c_str(), 1);
      }
    }
  }
  static void set(const char* name, const char* value) { setenv(name, value, 1); }
  // A variable of Weft's, which the whole test run may have too.
  void set_weft(const char* name, const char* value) {
    const char* before = getenv(name);
    weft_.emplace(name, before != nullptr ? before : "");
    set(name, value);
  }
  // What a start says with both kinds of information.
  std::string said_at_start() {
    set_weft("WEFT_INFO", "1");
    set("QT_INFO", "1");
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    EXPECT_EQ(qthread_init(2), QTHREAD_SUCCESS);
    return testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
  }
  static bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  }

 private:
  std::map<std::string, std::string> weft_;
};

// On machines that are only described; there is no hwloc to read that with for other processors.
class runtime_on_described : public runtime {
 protected:
  void SetUp() override {
    runtime::SetUp();
    void* hwloc = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
    if (hwloc == nullptr) GTEST_SKIP() << "no libhwloc.so.15 for this processor";
    dlclose(hwloc);
  }
};

aligned_t shepherd(void*) { return qthread_shep(); }

TEST_F(runtime, before_the_start_nothing_crashes) {
  aligned_t w = 0;
  EXPECT_EQ(qthread_shep(), NO_SHEPHERD);
  EXPECT_EQ(qthread_feb_status(&w), 1);
  EXPECT_EQ(qthread_fill(&w), QTHREAD_SUCCESS);
  EXPECT_EQ(qt_team_parent_id(), 0u);
  EXPECT_GT(qthread_readstate(RUNTIME_DATA_SIZE), 0u);
  EXPECT_LE(qthread_readstate(RUNTIME_DATA_SIZE), 4096u);
  EXPECT_EQ(qthread_fork(shepherd, nullptr, nullptr), QTHREAD_NOT_ALLOWED);
  EXPECT_EQ(qthread_num_shepherds(), 0);
  EXPECT_EQ(qthread_num_workers(), 0);
  EXPECT_GE(qthread_cacheline(), 16);
  qthread_finalize();
  qthread_yield();
  qthread_flushsc();
  qtimer_t t = qtimer_create();
  qtimer_start(t);
  qtimer_stop(t);
  EXPECT_GE(qtimer_secs(t), 0.0);
  EXPECT_GT(qtimer_res(), 0.0);
  const double now = qtimer_wtime();
  EXPECT_LE(now, qtimer_wtime());
  EXPECT_NE(qtimer_fastrand(), qtimer_fastrand());
  for (int i = 0; i < 100; ++i) EXPECT_LE(qtimer_fastrand(), 0x7fffffffu);
  qtimer_destroy(t);
}

TEST_F(runtime, initializing_again_does_nothing) {
  set("QT_NUM_SHEPHERDS", "2");
  set("QT_NUM_WORKERS_PER_SHEPHERD", "1");
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  set("QT_NUM_SHEPHERDS", "3");
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_num_shepherds(), 2);
}

TEST_F(runtime, a_new_start_has_new_counts_and_ids) {
  for (const int n : {2, 1, 3}) {
    ASSERT_EQ(qthread_init(static_cast<qthread_shepherd_id_t>(n)), QTHREAD_SUCCESS);
    EXPECT_EQ(qthread_num_shepherds(), n);
    EXPECT_EQ(qthread_num_workers(), n);
    EXPECT_EQ(weft_worker_count(), static_cast<uint32_t>(n));
    EXPECT_EQ(qthread_id(), 1u);
    EXPECT_LT(value_of(shepherd), static_cast<aligned_t>(n));
    qthread_finalize();
    EXPECT_EQ(qthread_num_shepherds(), 0);
    EXPECT_EQ(qthread_readstate(NODE_BUSYNESS), 0u);
    EXPECT_EQ(weft_worker_count(), 0u);
  }
}

TEST_F(runtime, workers_are_grouped_into_shepherds) {
  set("QTHREAD_NUM_SHEPHERDS", "2");
  set("QT_NUM_WORKERS_PER_SHEPHERD", "0x3");
  set("QT_NUM_SHEPHERDS", "");  // counts as unset
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_readstate(TOTAL_SHEPHERDS), 2u);
  EXPECT_EQ(qthread_readstate(TOTAL_WORKERS), 6u);
  EXPECT_EQ(qthread_num_workers_local(1), 3);
  EXPECT_EQ(qthread_readstate(CURRENT_SHEPHERD), 0u);
  EXPECT_EQ(qthread_readstate(CURRENT_WORKER), 0u);
  EXPECT_EQ(qthread_readstate(CURRENT_UNIQUE_WORKER), 0u);
  EXPECT_EQ(qthread_worker_unique(nullptr), 1);
  const auto where = [](void*) -> aligned_t {
    qthread_shepherd_id_t s = 9;
    const aligned_t worker = qthread_worker(&s);
    EXPECT_EQ(s, qthread_shep());
    EXPECT_EQ(qthread_worker_local(nullptr), worker % 3);
    EXPECT_EQ(qthread_worker_unique(nullptr), worker + 1);
    return worker;
  };
  std::set<aligned_t> seen;
  for (int i = 0; i < 3; ++i) {
    aligned_t ret = 0;
    qthread_fork_to(where, nullptr, &ret, 3);  // counts modulo the number of shepherds
    qthread_readFF(nullptr, &ret);
    seen.insert(ret);
  }
  EXPECT_EQ(seen, (std::set<aligned_t>{3, 4, 5}));
}

TEST_F(runtime, hwpar_decides_how_many_workers_a_shepherd_has) {
  struct {
    const char *shepherds, *per, *hwpar;
    size_t wanted_shepherds, wanted_workers, wanted_active;
  } const cases[] = {
      {"2", "", "3", 2, 4, 3},  {"3", "", "4", 3, 6, 4},  {"2", "1", "4", 2, 4, 4},
      {"2", "2", "2", 2, 2, 2}, {"4", "2", "1", 1, 1, 1}, {"", "2", "3", 2, 4, 3},
  };
  for (const auto& c : cases) {
    set("QT_NUM_SHEPHERDS", c.shepherds);
    set("QT_NUM_WORKERS_PER_SHEPHERD", c.per);
    set("QT_HWPAR", c.hwpar);
    ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
    EXPECT_EQ(qthread_readstate(TOTAL_SHEPHERDS), c.wanted_shepherds) << &c - cases;
    EXPECT_EQ(qthread_readstate(TOTAL_WORKERS), c.wanted_workers) << &c - cases;
    EXPECT_EQ(qthread_readstate(ACTIVE_WORKERS), c.wanted_active) << &c - cases;
    qthread_finalize();
  }
}

TEST_F(runtime, hwpar_says_how_many_workers_are_active) {
  set("QT_NUM_SHEPHERDS", "2");
  set("QT_NUM_WORKERS_PER_SHEPHERD", "2");
  set("QT_HWPAR", "3");
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_readstate(TOTAL_WORKERS), 4u);
  EXPECT_EQ(qthread_readstate(ACTIVE_WORKERS), 3u);
  qthread_enable_worker(3);
  EXPECT_EQ(qthread_readstate(ACTIVE_WORKERS), 4u);
}

TEST_F(runtime, more_workers_than_there_can_be_are_refused_however_many) {
  struct {
    const char *shepherds, *per, *hwpar;
  } const cases[] = {{"9223372036854775808", "2", ""},  {"4294967296", "4294967297", ""},
                     {"2", "", "18446744073709551615"}, {"", "", "18446744073709551615"},
                     {"", "3", "18446744073709551615"}, {"1025", "1", ""}};
  for (const auto& c : cases) {
    set("QT_NUM_SHEPHERDS", c.shepherds);
    set("QT_NUM_WORKERS_PER_SHEPHERD", c.per);
    set("QT_HWPAR", c.hwpar);
    testing::internal::CaptureStderr();
    EXPECT_EQ(qthread_initialize(), QTHREAD_BADARGS) << &c - cases;
    EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "there can be 1024")) << &c - cases;
    qthread_finalize();
  }
}

TEST_F(runtime, a_thread_for_calls_stays_however_long_it_may) {
  set("QT_NUM_SHEPHERDS", "1");
  set("QT_MAX_IO_WORKERS", "1");
  set("QT_IO_TIMEOUT", "18446744073709551615");
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  const auto thread = [](void*) -> aligned_t {
    qt_begin_blocking_action();
    const aligned_t id = aligned_t(gettid());
    qt_end_blocking_action();
    return id;
  };
  const aligned_t first = value_of(thread);
  EXPECT_NE(first, aligned_t(gettid()));
  for (int i = 0; i < 200; ++i) {
    qthread_yield();
    EXPECT_EQ(value_of(thread), first);
  }
}

cpu_set_t own_processors() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  EXPECT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  return mask;
}

TEST_F(runtime, threads_that_are_no_workers_run_where_who_initialised_might) {
  static cpu_set_t before;
  before = own_processors();
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "one processor";
  set_weft("WEFT_BIND", "worker");
  ASSERT_EQ(qthread_init(2), QTHREAD_SUCCESS);
  // Two at once: a test before may have left a thread, and then the second is made by a worker.
  static std::atomic<int> in_actions;
  in_actions = 0;
  const auto in_an_action = [](void*) -> aligned_t {
    const cpu_set_t bound = own_processors();
    EXPECT_EQ(CPU_COUNT(&bound), 1);
    qt_begin_blocking_action();
    ++in_actions;
    while (in_actions < 2) std::this_thread::yield();
    const cpu_set_t here = own_processors();
    qt_end_blocking_action();
    return CPU_EQUAL(&here, &before) ? 1 : 0;
  };
  aligned_t rets[2];
  for (aligned_t& ret : rets)
    ASSERT_EQ(qthread_fork_to(in_an_action, nullptr, &ret, 1), QTHREAD_SUCCESS);
  for (aligned_t& ret : rets) EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 1u);
  static std::atomic<int> elsewhere;
  elsewhere = 0;
  ASSERT_EQ(hw_pool_init(2), POOL_INIT_SUCCESS);
  hw_pool_run_on_all(
      [](void*) -> int {
        const cpu_set_t here = own_processors();
        if (!CPU_EQUAL(&here, &before)) ++elsewhere;
        return 0;
      },
      nullptr);
  hw_pool_destroy();
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(runtime, numbers_that_mean_none_are_nobodys) {
  ASSERT_EQ(qthread_init(1), QTHREAD_SUCCESS);
  qt::the.next_id.store(UINT_MAX - 1);
  const auto id = [](void*) -> aligned_t { return qthread_id(); };
  for (const aligned_t expected : {UINT_MAX - 1, 1u, 2u}) EXPECT_EQ(value_of(id), expected);
  qt::the.next_team.store(UINT_MAX - 1);
  const auto team = [](void*) -> aligned_t { return qt_team_id(); };
  for (const aligned_t expected : {UINT_MAX - 1, 2u, 3u}) {
    aligned_t ret = 0;
    ASSERT_EQ(qthread_fork_new_team(team, nullptr, &ret), QTHREAD_SUCCESS);
    EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), expected);
  }
}

TEST_F(runtime, workers_are_switched_by_turns_of_the_shepherds) {
  set("QT_NUM_SHEPHERDS", "2");
  set("QT_NUM_WORKERS_PER_SHEPHERD", "2");
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  for (const qthread_worker_id_t second : {2, 3})
    EXPECT_EQ(qthread_disable_worker(second), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_num_workers(), 2);
  EXPECT_EQ(qthread_num_shepherds(), 2);  // the first worker of each
  EXPECT_EQ(qthread_disable_worker(0), QTHREAD_NOT_ALLOWED);
  EXPECT_EQ(qthread_disable_worker(4), QTHREAD_BADARGS);
  EXPECT_EQ(qthread_disable_worker(1), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_num_shepherds(), 1);
  qthread_enable_worker(3);  // the second one of shepherd 1
  EXPECT_EQ(qthread_num_shepherds(), 2);
  const auto worker = [](void*) -> aligned_t { return qthread_worker(nullptr); };
  for (int i = 0; i < 4; ++i) {
    aligned_t ret = 0;
    qthread_fork_to(worker, nullptr, &ret, 1);
    EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 3u);
  }
}

TEST_F(runtime, more_information_is_each_variable_that_is_set) {
  set("QT_NUM_SHEPHERDS", "1");
  set("QTHREAD_STACK_SIZE", "65536");
  for (const char* level : {"1", "2"}) {
    set("QT_INFO", level);
    testing::internal::CaptureStdout();
    ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
    qthread_finalize();
    const std::string told = testing::internal::GetCapturedStdout();
    EXPECT_EQ(has(told, "QTHREAD_STACK_SIZE = 65536\n"), *level == '2') << told;
    EXPECT_TRUE(has(told, "Using 65536 byte stack size")) << told;
    EXPECT_TRUE(has(told, "Guard Pages Enabled")) << told;
  }
}

TEST_F(runtime, hwpar_alone_is_so_many_shepherds) {
  set("QTHREAD_HWPAR", "3");
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_num_shepherds(), 3);
}

TEST_F(runtime, sizes_of_stacks_and_task_local_memory_are_as_told) {
  set("QT_NUM_SHEPHERDS", "1");
  set("QT_STACK_SIZE", "131072");
  set("QT_TASKLOCAL_SIZE", "1024");
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_readstate(STACK_SIZE), 131072u);
  EXPECT_EQ(qthread_size_tasklocal(), 1024u);
}

aligned_t stack_left(void*) { return qthread_stackleft(); }

TEST_F(runtime, a_size_of_stacks_that_weft_is_told_goes_before) {
  set_weft("WEFT_STACK_SIZE", "1M");
  for (const char* size : {"131072", ""}) {
    set("QT_STACK_SIZE", size);
    ASSERT_EQ(qthread_init(1), QTHREAD_SUCCESS);
    EXPECT_EQ(qthread_readstate(STACK_SIZE), std::size_t{1} << 20);
    EXPECT_GE(value_of(stack_left), aligned_t{1} << 19);
    qthread_finalize();
  }
}

TEST_F(runtime, stacks_are_those_that_weft_has_where_it_runs_already) {
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 1;
  config.stack_bytes = 128 << 10;
  struct {
    const char* wanted;
    bool too_late;
  } const cases[] = {{"4194304", true}, {"131072", false}, {"65536", false}, {"", false}};
  for (const auto& c : cases) {
    ASSERT_EQ(weft_start(&config), 0);
    set("QT_STACK_SIZE", c.wanted);
    testing::internal::CaptureStderr();
    EXPECT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
    EXPECT_EQ(has(testing::internal::GetCapturedStderr(), "too late"), c.too_late) << c.wanted;
    EXPECT_EQ(qthread_readstate(STACK_SIZE), config.stack_bytes) << c.wanted;
    qthread_finalize();
    EXPECT_EQ(weft_stop(), 0);
  }
}

TEST_F(runtime, workers_that_run_already_are_divided_among_the_shepherds_that_are_wanted) {
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 4;
  for (const qthread_shepherd_id_t wanted : {2, 1, 4, 9}) {
    ASSERT_EQ(weft_start(&config), 0);
    EXPECT_EQ(qthread_init(wanted), QTHREAD_SUCCESS);
    EXPECT_EQ(qthread_num_shepherds(), std::min<unsigned>(wanted, 4));
    EXPECT_EQ(qthread_num_workers(), 4u);
    qthread_finalize();
    EXPECT_EQ(weft_stop(), 0);
  }
}

TEST_F(runtime, a_start_that_fails_leaves_the_size_of_stacks_as_it_was) {
  ASSERT_EQ(qthread_init(1), QTHREAD_SUCCESS);
  const std::size_t before = qthread_readstate(STACK_SIZE);
  qthread_finalize();
  set("QT_STACK_SIZE", "2147483648");  // more than there can be
  testing::internal::CaptureStderr();
  EXPECT_EQ(qthread_initialize(), QTHREAD_BADARGS);
  EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "stack"));
  EXPECT_EQ(qthread_readstate(STACK_SIZE), before);
}

TEST_F(runtime, numbers_with_a_sign_are_none) {
  const char* const names[] = {"NUM_SHEPHERDS",  "NUM_WORKERS_PER_SHEPHERD",
                               "HWPAR",          "STACK_SIZE",
                               "TASKLOCAL_SIZE", "MAX_IO_WORKERS",
                               "IO_TIMEOUT",     "SPINCOUNT",
                               "STEAL_RATIO",    "INFO"};
  const auto is_as_without = [](const qt::settings& o) {
    const qt::settings none;
    EXPECT_EQ(o.shepherds, none.shepherds);
    EXPECT_EQ(o.workers_per_shepherd, none.workers_per_shepherd);
    EXPECT_EQ(o.hwpar, none.hwpar);
    EXPECT_EQ(o.stack_bytes, none.stack_bytes);
    EXPECT_EQ(o.tasklocal_bytes, none.tasklocal_bytes);
    EXPECT_EQ(o.io_workers, none.io_workers);
    EXPECT_EQ(o.io_timeout_us, none.io_timeout_us);
    EXPECT_EQ(o.spin_count, none.spin_count);
    EXPECT_EQ(o.steals, none.steals);
    EXPECT_EQ(o.info, none.info);
  };
  for (const char* value : {"-1", " -9223372036854775808", "+3"}) {
    for (const char* name : names) set((std::string("QT_") + name).c_str(), value);
    testing::internal::CaptureStderr();
    is_as_without(qt::read_environment());
    const std::string told = testing::internal::GetCapturedStderr();
    for (const char* name : names)
      EXPECT_TRUE(has(
          told, (std::string("QT_") + name + '=' + value + " is no number; taking the default\n")
                    .c_str()))
          << told;
  }
}

TEST_F(runtime, task_local_memory_that_no_task_can_have_is_refused) {
  set("QT_NUM_SHEPHERDS", "1");
  for (const char* value : {"1073741825", "4294967296", "18446744073709551615"}) {
    set("QT_TASKLOCAL_SIZE", value);
    testing::internal::CaptureStderr();
    ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
    EXPECT_TRUE(has(testing::internal::GetCapturedStderr(), "is too large; taking the default"));
    EXPECT_EQ(qthread_size_tasklocal(), 8u) << value;
    EXPECT_NE(qthread_get_tasklocal(0), nullptr) << value;
    qthread_finalize();
  }
}

TEST_F(runtime, too_many_workers_are_refused_and_a_later_start_works) {
  set("QT_NUM_SHEPHERDS", "2000");
  set("QT_NUM_WORKERS_PER_SHEPHERD", "2");
  EXPECT_EQ(qthread_initialize(), QTHREAD_BADARGS);
  ASSERT_EQ(qthread_init(1), QTHREAD_SUCCESS);
  EXPECT_EQ(value_of(shepherd), 0u);
}

TEST_F(runtime, a_disabled_shepherd_gets_nothing_that_is_sent) {
  ASSERT_EQ(qthread_init(3), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_disable_shepherd(0), QTHREAD_NOT_ALLOWED);
  EXPECT_EQ(qthread_disable_shepherd(7), QTHREAD_BADARGS);
  EXPECT_EQ(qthread_disable_shepherd(1), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_readstate(TOTAL_SHEPHERDS), 3u);
  EXPECT_EQ(qthread_readstate(ACTIVE_SHEPHERDS), 2u);
  aligned_t ret = 0;
  qthread_fork_to(shepherd, nullptr, &ret, 1);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 2u);
  qthread_enable_shepherd(1);
  qthread_fork_to(shepherd, nullptr, &ret, 1);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 1u);
}

// A task that was sent to a worker before: it ends after the worker has seen what else was sent.
void run_there(uint32_t worker) {
  weft_spawn_t how = WEFT_SPAWN_INIT;
  how.worker = worker;
  weft_task_t t = nullptr;
  ASSERT_EQ(weft_task_spawn_with([](void* arg) { return arg; }, nullptr, &how, &t), 0);
  EXPECT_EQ(weft_task_join(t, nullptr), 0);
}

// Says on which shepherds it was.
aligned_t shepherds_seen(void*) {
  aligned_t seen = 0;
  for (int i = 0; i < 5; ++i) {
    seen |= aligned_t{1} << qthread_shep();
    qthread_yield();
  }
  return seen;
}

aligned_t all_seen() {
  aligned_t rets[100], all = 0;
  for (aligned_t& r : rets) qthread_fork(shepherds_seen, nullptr, &r);
  for (aligned_t& r : rets) {
    aligned_t seen = 0;
    qthread_readFF(&seen, &r);
    all |= seen;
  }
  return all;
}

TEST_F(runtime, a_disabled_shepherd_takes_nothing_that_was_sent_nowhere) {
  static std::atomic<bool> other_runs;
  other_runs = false;
  ASSERT_EQ(qthread_init(2), QTHREAD_SUCCESS);
  ASSERT_EQ(qthread_disable_shepherd(1), QTHREAD_SUCCESS);
  run_there(1);
  for (int round = 0; round < 10; ++round) EXPECT_EQ(all_seen(), 1u);
  qthread_enable_shepherd(1);
  // The second runs on the other worker, or not at all.
  const auto waits = [](void*) -> aligned_t {
    while (!other_runs) std::this_thread::yield();
    return 0;
  };
  const auto tells = [](void*) -> aligned_t {
    other_runs = true;
    return 0;
  };
  aligned_t told = 0;
  qthread_fork(tells, nullptr, &told);
  EXPECT_EQ(value_of(waits), 0u);
  qthread_readFF(nullptr, &told);
}

TEST_F(runtime, workers_beyond_hwpar_take_nothing) {
  set("QT_HWPAR", "3");
  ASSERT_EQ(qthread_init(2), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_num_workers(), 3);
  run_there(1);
  for (int round = 0; round < 10; ++round) EXPECT_LE(all_seen(), 3u);
}

TEST_F(runtime, tasks_migrate_and_main_does_not) {
  ASSERT_EQ(qthread_init(2), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_migrate_to(1), QTHREAD_NOT_ALLOWED);
  const auto migrant = [](void*) -> aligned_t {
    EXPECT_EQ(qthread_migrate_to(5), QTHREAD_BADARGS);
    for (const qthread_shepherd_id_t s : {1, 0, 0, 1}) {
      EXPECT_EQ(qthread_migrate_to(s), QTHREAD_SUCCESS);
      for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(qthread_shep(), s);
        qthread_yield();
      }
    }
    return aligned_t(qthread_migrate_to(NO_SHEPHERD));
  };
  aligned_t ret = 1;
  qthread_fork_to(migrant, nullptr, &ret, 1);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 0u);
}

TEST_F(runtime, tasks_leave_a_disabled_shepherd_and_do_not_come_back) {
  static aligned_t arrived, disabled;
  qthread_empty(&arrived);
  qthread_empty(&disabled);
  ASSERT_EQ(qthread_init(3), QTHREAD_SUCCESS);
  const auto leaves = [](void*) -> aligned_t {
    qthread_writeF_const(&arrived, 1);
    qthread_readFF(nullptr, &disabled);
    EXPECT_EQ(qthread_shep(), 1);
    EXPECT_EQ(qthread_shep_ok(), 0);
    EXPECT_EQ(qthread_migrate_to(0), QTHREAD_SUCCESS);
    EXPECT_EQ(qthread_shep(), 0);
    EXPECT_EQ(qthread_shep_ok(), 1);
    EXPECT_EQ(qthread_migrate_to(1),
              QTHREAD_SUCCESS);  // as a fork to it: the nearest one that takes some
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(qthread_shep(), 2);
      qthread_yield();
    }
    return 1;
  };
  aligned_t ret = 0;
  ASSERT_EQ(qthread_fork_to(leaves, nullptr, &ret, 1), QTHREAD_SUCCESS);
  qthread_readFF(nullptr, &arrived);
  ASSERT_EQ(qthread_disable_shepherd(1), QTHREAD_SUCCESS);
  qthread_fill(&disabled);
  qthread_readFF(nullptr, &ret);
  EXPECT_EQ(ret, 1u);
}

// How many pages of its stack are in memory.
std::size_t pages_of_own_stack() {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto low = reinterpret_cast<std::uintptr_t>(qthread_tos()) / page * page;
  const auto high = reinterpret_cast<std::uintptr_t>(qthread_bos());
  std::vector<unsigned char> pages((high - low + page - 1) / page);
  EXPECT_EQ(mincore(reinterpret_cast<void*>(low), high - low, pages.data()), 0);
  return static_cast<std::size_t>(
      std::count_if(pages.begin(), pages.end(), [](unsigned char p) { return (p & 1) != 0; }));
}

TEST_F(runtime, large_stacks_take_memory_as_they_are_used) {
  if (emulated) GTEST_SKIP() << "mincore is the emulator's";
  constexpr std::size_t bytes = 8 << 20, deep = 1 << 20;
  set("QT_STACK_SIZE", std::to_string(bytes).c_str());
  ASSERT_EQ(qthread_init(2), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_readstate(STACK_SIZE), bytes);
  static aligned_t go_on;
  qthread_empty(&go_on);
  // All have a stack at once.
  const auto waits = [](void*) -> aligned_t {
    qthread_readFF(nullptr, &go_on);
    return pages_of_own_stack();
  };
  aligned_t rets[200];
  for (aligned_t& r : rets) ASSERT_EQ(qthread_fork_to(waits, nullptr, &r, 1), QTHREAD_SUCCESS);
  qthread_fill(&go_on);
  // What runs there under a sanitizer has larger frames.
  const aligned_t few = sanitized ? 16 : 4;
  for (aligned_t& r : rets) {
    qthread_readFF(nullptr, &r);
    EXPECT_GE(r, 1u);
    EXPECT_LE(r, few);
  }
  const auto goes_deep = [](void*) -> aligned_t {
    volatile char used[deep];
    for (std::size_t i = 0; i < deep; i += 1024) used[i] = 1;
    return pages_of_own_stack() + used[0] - 1;
  };
  aligned_t ret = 0;
  ASSERT_EQ(qthread_fork_to(goes_deep, nullptr, &ret, 1), QTHREAD_SUCCESS);
  qthread_readFF(nullptr, &ret);
  EXPECT_GE(ret, deep / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

TEST_F(runtime, shepherds_take_turns_where_asked_to) {
  set("QT_SPAWN", "roundrobin");
  ASSERT_EQ(qthread_init(3), QTHREAD_SUCCESS);
  for (const auto reset : {qthread_reset_target_shep, qthread_chpl_reset_spawn_order}) {
    for (const aligned_t s : {0, 1, 2, 0}) EXPECT_EQ(value_of(shepherd), s);
    reset();
    EXPECT_EQ(value_of(shepherd), 0u);
    reset();
  }
  EXPECT_EQ(value_of(shepherd), 0u);
}

TEST_F(runtime, turns_begin_at_the_first_shepherd_wherever_the_forking_task_is) {
  set("QT_SPAWN", "roundrobin");
  ASSERT_EQ(qthread_init(3), QTHREAD_SUCCESS);
  static std::vector<aligned_t> at;
  const auto forks = [](void*) -> aligned_t {
    at.clear();
    for (int i = 0; i < 4; ++i) at.push_back(value_of(shepherd));
    qthread_reset_target_shep();
    return qthread_shep();
  };
  const std::vector<aligned_t> from_the_first{0, 1, 2, 0};
  for (qthread_shepherd_id_t s = 0; s < 3; ++s) {
    aligned_t ret = 0;
    ASSERT_EQ(qthread_fork_to(forks, nullptr, &ret, s), QTHREAD_SUCCESS);
    EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), s);
    EXPECT_EQ(at, from_the_first) << s;
  }
}

// Where each part of a loop over n iterations is, before it waits and after.
std::vector<int> shepherds_of_parts(size_t n) {
  static std::mutex one_at_a_time;
  static std::map<size_t, int> shepherd_at;
  shepherd_at.clear();
  qt_loop_balance(
      0, n,
      [](size_t from, size_t, void*) {
        const int s = qthread_shep();
        for (int i = 0; i < 5; ++i) {
          qthread_yield();
          EXPECT_EQ(qthread_shep(), s);
        }
        const std::lock_guard held(one_at_a_time);
        shepherd_at[from] = s;
      },
      nullptr);
  std::vector<int> in_order;
  for (const auto& [from, s] : shepherd_at) in_order.push_back(s);
  return in_order;
}

std::vector<int> shepherds_of_parts_in_a_task(size_t n) {
  static std::vector<int> found;
  aligned_t ret = 0;
  EXPECT_EQ(qthread_fork_to(
                [](void* count) -> aligned_t {
                  found = shepherds_of_parts(as_number(count));
                  return 0;
                },
                as_argument(n), &ret, 1),
            QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_readFF(nullptr, &ret), QTHREAD_SUCCESS);
  return found;
}

// With three shepherds of two workers each.
const std::vector<int> all_parts{0, 1, 2, 0, 1, 2};
void expect_parts_at_their_shepherds() {
  const std::vector<int> few{0, 1};
  EXPECT_EQ(shepherds_of_parts(100), all_parts);
  EXPECT_EQ(shepherds_of_parts_in_a_task(100), all_parts);
  EXPECT_EQ(shepherds_of_parts(2), few);
  EXPECT_EQ(shepherds_of_parts_in_a_task(2), few);
}

TEST_F(runtime, parts_of_loops_are_at_all_shepherds_where_those_take_turns) {
  set("QT_SPAWN", "roundrobin");
  set("QT_NUM_SHEPHERDS", "3");
  set("QT_NUM_WORKERS_PER_SHEPHERD", "2");
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  for (int round = 0; round < 3; ++round) expect_parts_at_their_shepherds();
  ASSERT_EQ(qthread_disable_shepherd(1), QTHREAD_SUCCESS);
  EXPECT_EQ(shepherds_of_parts(100), (std::vector<int>{0, 2, 0, 2}));
  EXPECT_EQ(shepherds_of_parts_in_a_task(100), (std::vector<int>{0, 2, 0, 2}));
}

TEST_F(runtime, a_part_of_a_loop_is_at_its_shepherd_when_it_asks_where_it_is) {
  set("QT_NUM_SHEPHERDS", "3");
  set("QT_NUM_WORKERS_PER_SHEPHERD", "2");
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  for (int round = 0; round < 3; ++round) {
    expect_parts_at_their_shepherds();
    outside([&] { EXPECT_EQ(shepherds_of_parts(100), all_parts); });
  }
  EXPECT_EQ(qthread_shep(), 0) << "who waited for them is where it was";
  ASSERT_EQ(qthread_disable_shepherd(1), QTHREAD_SUCCESS);
  EXPECT_EQ(shepherds_of_parts(100), (std::vector<int>{0, 2, 0, 2}));
}

TEST_F(runtime, a_part_of_a_loop_stays_where_it_is_while_it_is_shown_who_waits) {
  static aligned_t gate;
  static std::atomic<int> shown, elsewhere;
  shown = elsewhere = 0;
  qthread_empty(&gate);
  ASSERT_EQ(qthread_init(3), QTHREAD_SUCCESS);
  const auto waits = [](void*) -> aligned_t { return aligned_t(qthread_readFF(nullptr, &gate)); };
  aligned_t ret = 0;
  ASSERT_EQ(qthread_fork(waits, nullptr, &ret), QTHREAD_SUCCESS);
  static const auto look = [] {
    qthread_feb_callback(
        [](qt_key_t at, qthread_f, void*, void*, unsigned, void*, void*) {
          if (at != &gate) return;
          const pid_t thread = gettid();
          (void)qthread_readstate(CURRENT_SHEPHERD);
          if (gettid() != thread) ++elsewhere;
          ++shown;
        },
        nullptr);
  };
  while (shown == 0) {
    qthread_yield();
    look();
  }
  for (int round = 0; round < 20; ++round)
    qt_loop_balance(0, 3, [](size_t, size_t, void*) { look(); }, nullptr);
  EXPECT_EQ(shown, 61);
  EXPECT_EQ(elsewhere, 0);
  qthread_fill(&gate);
  EXPECT_EQ((qthread_readFF(nullptr, &ret), ret), 0u);
}

TEST_F(runtime, a_part_of_a_loop_is_where_it_says_if_it_migrates) {
  ASSERT_EQ(qthread_init(3), QTHREAD_SUCCESS);
  static std::atomic<int> elsewhere;
  elsewhere = 0;
  qt_loop_balance(
      0, 3,
      [](size_t from, size_t, void*) {
        const auto there = static_cast<qthread_shepherd_id_t>((from + 1) % 3);
        // Part 0 is done by the task that initialised, which does not migrate.
        const bool goes = qthread_migrate_to(there) == QTHREAD_SUCCESS;
        if (goes != (from != 0) || qthread_shep() != (goes ? there : 0)) ++elsewhere;
      },
      nullptr);
  EXPECT_EQ(elsewhere, 0);
  // Who is refused has said nothing.
  const auto stays = [](size_t from, size_t, void*) {
    if (qthread_migrate_to(3) == QTHREAD_SUCCESS || qthread_shep() != from) ++elsewhere;
  };
  for (int i = 0; i < 20; ++i) qt_loop_balance(0, 3, stays, nullptr);
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(runtime, values_of_a_loops_parts_are_joined_where_shepherds_take_turns) {
  set("QT_SPAWN", "roundrobin");
  ASSERT_EQ(qthread_init(3), QTHREAD_SUCCESS);
  // Each part's number, and the number of its shepherd below it: the parts in order are 0, 1 and 2.
  long digits = 0;
  qt_loopaccum_balance(
      0, 3, sizeof digits, &digits,
      [](size_t from, size_t, void*, void* out) {
        *static_cast<long*>(out) = 10 * static_cast<long>(from + 1) + qthread_shep();
      },
      nullptr,
      [](void* into, const void* value) {
        *static_cast<long*>(into) =
            100 * *static_cast<long*>(into) + *static_cast<const long*>(value);
      });
  EXPECT_EQ(digits, 10'21'32);
  static std::atomic<size_t> count;
  count = 0;
  qt_loop_queue_run(qt_loop_queue_create(
      CHUNK, 0, 100, 1, [](size_t from, size_t to, void*) { count += to - from; }, nullptr));
  EXPECT_EQ(count, 100u);
}

TEST_F(runtime, distances_and_neighbours_are_of_all_other_shepherds) {
  ASSERT_EQ(qthread_init(3), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_distance(1, 1), 0);
  EXPECT_GT(qthread_distance(0, 2), 0);
  EXPECT_EQ(qthread_distance(0, 3), QTHREAD_BADARGS);
  const qthread_shepherd_id_t* others = qthread_sorted_sheps();
  EXPECT_EQ((std::set<int>{others[0], others[1]}), (std::set<int>{1, 2}));
  others = qthread_sorted_sheps_remote(2);
  EXPECT_EQ((std::set<int>{others[0], others[1]}), (std::set<int>{0, 1}));
  EXPECT_EQ(qthread_shep_ok(), 1);
  qthread_shepherd_id_t s = 2;
  qthread_shep_next(&s);
  EXPECT_EQ(s, 0);
  qthread_shep_prev(&s);
  EXPECT_EQ(s, 2);
  for (qthread_shepherd_id_t none : {NO_SHEPHERD, qthread_shepherd_id_t{3}}) {
    s = none;
    qthread_shep_next(&s);
    EXPECT_EQ(s, 0) << "who is nowhere begins at the first";
    s = none;
    qthread_shep_prev(&s);
    EXPECT_EQ(s, 2);
  }
}

// A machine of 2 sockets of 2 cores each, a worker for each.
TEST_F(runtime_on_described, shepherds_of_one_socket_are_nearer) {
  set_weft("WEFT_TOPOLOGY", "pack:2 core:2 pu:1");
  set_weft("WEFT_SHEPHERD", "core");
  ASSERT_EQ(qthread_init(4), QTHREAD_SUCCESS);
  EXPECT_LT(qthread_distance(0, 1), qthread_distance(0, 2));
  EXPECT_LT(qthread_distance(3, 2), qthread_distance(3, 0));
  EXPECT_EQ(qthread_distance(1, 1), 0);
  const qthread_shepherd_id_t nearest[] = {1, 0, 3, 2};
  for (qthread_shepherd_id_t s = 0; s < 4; ++s) {
    const qthread_shepherd_id_t* others = qthread_sorted_sheps_remote(s);
    EXPECT_EQ(others[0], nearest[s]);
    EXPECT_EQ((std::set<int>{s, others[0], others[1], others[2]}), (std::set<int>{0, 1, 2, 3}));
  }
}

TEST_F(runtime_on_described, a_boundary_draws_shepherds) {
  set_weft("WEFT_TOPOLOGY", "pack:2 core:2 pu:1");
  set_weft("WEFT_WORKERS", "4");
  set("QT_SHEPHERD_BOUNDARY", "socket");
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_num_shepherds(), 2);
  EXPECT_EQ(qthread_num_workers_local(0), 2);
  EXPECT_EQ(getenv("WEFT_SHEPHERD"), nullptr);
  qthread_finalize();
  set("QT_SHEPHERD_BOUNDARY", "pu");
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  EXPECT_EQ(qthread_num_shepherds(), 4);
}

TEST_F(runtime_on_described, binding_and_watching_are_as_told_and_what_means_nothing_is_said) {
  set_weft("WEFT_TOPOLOGY", "pack:2 core:1 pu:1");
  set_weft("WEFT_SHEPHERD", "core");
  set("QT_AFFINITY", "no");
  set("QT_SPINCOUNT", "12300");
  set("QT_GUARD_PAGES", "no");
  const std::string told = said_at_start();
  EXPECT_TRUE(has(told, "QT_GUARD_PAGES=no changes nothing here: each stack has a guard")) << told;
  EXPECT_TRUE(has(told, "WEFT_SPIN_US=123 ")) << told;
  EXPECT_TRUE(has(told, "WEFT_BIND=none ")) << told;
  EXPECT_FALSE(has(told, "QT_SPINCOUNT")) << told;
}

TEST_F(runtime_on_described, variables_of_wefts_that_are_empty_count_as_unset) {
  const char* const names[] = {"WEFT_BIND", "WEFT_SPIN_US", "WEFT_SHEPHERD"};
  set_weft("WEFT_TOPOLOGY", "pack:2 core:1 pu:1");
  for (const char* name : names) set_weft(name, "");
  set("QT_AFFINITY", "no");
  set("QT_SPINCOUNT", "12300");
  set("QT_SHEPHERD_BOUNDARY", "socket");
  const std::string told = said_at_start();
  EXPECT_TRUE(has(told, "WEFT_BIND=none ")) << told;
  EXPECT_TRUE(has(told, "WEFT_SPIN_US=123 ")) << told;
  EXPECT_TRUE(has(told, "WEFT_SHEPHERD=socket ")) << told;
  for (const char* name : names) EXPECT_STREQ(getenv(name), "");
}

TEST_F(runtime, without_stealing_tasks_stay_with_the_worker_that_began_them) {
  set("QT_STEAL_RATIO", "0");
  ASSERT_EQ(qthread_init(2), QTHREAD_SUCCESS);
  const auto moves = [](void* freed) -> aligned_t {
    if (freed != nullptr && qthread_migrate_to(NO_SHEPHERD) != QTHREAD_SUCCESS) return 100;
    const int begun_at = qthread_shep();
    const pid_t by = gettid();
    aligned_t moved = 0;
    for (int i = 0; i < 20; ++i) {
      qthread_yield();
      moved += static_cast<aligned_t>(qthread_shep() != begun_at || gettid() != by);
    }
    return moved;
  };
  for (const bool freed : {false, true}) {
    aligned_t rets[50];
    for (aligned_t& r : rets)
      ASSERT_EQ(qthread_fork(moves, as_argument(aligned_t(freed)), &r), QTHREAD_SUCCESS);
    for (aligned_t& r : rets) {
      qthread_readFF(nullptr, &r);
      EXPECT_EQ(r, 0u);
    }
  }
  // A loop is for all of them.
  EXPECT_EQ(shepherds_of_parts(100), (std::vector<int>{0, 1}));
}

TEST_F(runtime, without_stealing_the_children_of_one_task_run_at_all_workers) {
  set("QT_STEAL_RATIO", "0");
  ASSERT_EQ(qthread_init(2), QTHREAD_SUCCESS);
  static std::atomic<int> arrived;
  arrived = 0;
  // Neither yields: each needs a worker of its own.
  const auto meets = [](void*) -> aligned_t {
    arrived.fetch_add(1);
    const auto end = std::chrono::steady_clock::now() + 4s;
    while (arrived.load() < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return static_cast<aligned_t>(arrived.load());
  };
  aligned_t rets[2];
  const int copied = 0;
  for (aligned_t& r : rets)
    ASSERT_EQ(qthread_fork_copyargs(meets, &copied, sizeof copied, &r), QTHREAD_SUCCESS);
  for (aligned_t& r : rets) {
    qthread_readFF(nullptr, &r);
    EXPECT_EQ(r, 2u);
  }
}

TEST_F(runtime, a_thread_that_is_not_the_first_can_start_and_stop_it) {
  outside([] {
    ASSERT_EQ(qthread_init(2), QTHREAD_SUCCESS);
    EXPECT_EQ(qthread_shep(), 0);
    EXPECT_EQ(value_of([](void*) -> aligned_t { return 3; }), 3u);
    qthread_finalize();
  });
  EXPECT_EQ(weft_worker_count(), 0u);
}

TEST_F(runtime, finalize_waits_for_guests) {
  ASSERT_EQ(qthread_init(2), QTHREAD_SUCCESS);
  ASSERT_EQ(weft_worker_remove(1, INT64_MAX), 0);
  std::atomic<bool> is_guest{false};
  std::thread guest([&] {
    int begun;
    while ((begun = weft_guest_begin(1)) == -EBUSY) std::this_thread::yield();  // it goes yet
    EXPECT_EQ(begun, 0);
    is_guest = true;
    std::this_thread::sleep_for(20ms);  // finalize waits by then
    EXPECT_EQ(weft_guest_end(), 0);
  });
  while (!is_guest) std::this_thread::yield();
  qthread_finalize();
  EXPECT_EQ(weft_worker_count(), 0u);
  guest.join();
}

// Until it is told to end. Given true, in a scope that is cancelled.
std::atomic<bool> polls_on;
std::atomic<int> polling;
aligned_t polls(void* in_cancelled_scope) {
  weft_cancel_t canceller = WEFT_CANCEL_INIT;
  weft_cancel_scope_t scope;
  if (in_cancelled_scope != nullptr) {
    weft_cancel_request(&canceller);
    weft_cancel_enter(&canceller, &scope);
  }
  ++polling;
  while (polls_on) qthread_yield();
  if (in_cancelled_scope != nullptr) weft_cancel_leave(&scope);
  return 7;
}

TEST_F(runtime, finalize_lets_tasks_poll_on_while_a_guest_may_wait_for_them) {
  for (int round = 0; round < 2; ++round) {
    polls_on = true;
    polling = 0;
    static aligned_t rets[4];
    ASSERT_EQ(qthread_init(2), QTHREAD_SUCCESS);
    ASSERT_EQ(weft_worker_remove(1, INT64_MAX), 0);
    std::atomic<bool> is_guest{false};
    std::thread guest([&] {
      while (weft_guest_begin(1) == -EBUSY) std::this_thread::yield();  // it goes yet
      is_guest = true;
      while (polling != 4) std::this_thread::yield();
      std::this_thread::sleep_for(20ms);  // finalize waits by then
      polls_on = false;
      for (aligned_t& ret : rets) {
        uint64_t value = 0;
        EXPECT_EQ(weft_word_read_ff(&ret, &value), 0);
        EXPECT_EQ(value, 7u);
      }
      EXPECT_EQ(weft_guest_end(), 0);
    });
    while (!is_guest) std::this_thread::yield();
    for (aligned_t& ret : rets)
      ASSERT_EQ(qthread_fork_to(polls, &ret == rets ? &ret : nullptr, &ret, 0), QTHREAD_SUCCESS);
    while (polling != 4) qthread_yield();
    qthread_finalize();
    EXPECT_EQ(weft_worker_count(), 0u);
    guest.join();
    // Where there is no guest they are left behind.
    polls_on = true;
    polling = 0;
    ASSERT_EQ(qthread_init(2), QTHREAD_SUCCESS);
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(qthread_fork(polls, i == 0 ? &polling : nullptr, nullptr), QTHREAD_SUCCESS);
    while (polling != 100) qthread_yield();
    qthread_finalize();
    EXPECT_EQ(weft_worker_count(), 0u);
  }
}

// While there are guests each attempt is one, as fast as they are refused.
TEST_F(runtime, an_action_counts_in_each_stop_but_those_in_which_its_task_has_polled) {
  ASSERT_EQ(qthread_init(1), QTHREAD_SUCCESS);
  qt::record me;
  const auto counts = [&] {
    const qt::awaited other(nullptr);  // one is in progress, so tasks that poll go on
    const bool yes = qt::awaited::begin(&me);
    if (yes) qt::awaited::end();
    return yes;
  };
  ASSERT_TRUE(qt::begin_stop());
  {
    const qt::awaited other(nullptr);
    qt::stay_behind(me);
  }
  EXPECT_FALSE(counts());
  qt::end_stop(true);
  constexpr int stops = 70'000;  // more than a number of 16 bits tells apart
  int counted = 0;
  for (int i = 0; i < stops; ++i) {
    ASSERT_TRUE(qt::begin_stop());
    counted += counts() ? 1 : 0;
    qt::end_stop(true);
  }
  EXPECT_EQ(counted, stops);
}

TEST_F(runtime, what_a_thread_outside_initialised_it_finalizes) {
  weft_config_t config{};
  config.size = sizeof config;
  config.main_mode = WEFT_MAIN_GUEST;
  for (const uint32_t workers : {2u, 1u}) {
    config.workers = workers;
    ASSERT_EQ(weft_start(&config), 0);
    ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
    EXPECT_EQ(qthread_num_workers(), workers);
    std::thread([] { qthread_finalize(); }).join();  // is not who initialised
    EXPECT_EQ(qthread_num_workers(), workers);
    qthread_finalize();
    EXPECT_EQ(weft_worker_count(), workers);
    EXPECT_EQ(weft_stop(), 0);
  }
}

TEST_F(runtime, a_method_is_called_and_its_value_goes_where_the_flags_say) {
  const auto seven = [](void*) -> aligned_t { return 7; };
  set("QT_NUM_SHEPHERDS", "1");
  ASSERT_EQ(qthread_initialize(), QTHREAD_SUCCESS);
  qthread_call_method(seven, nullptr, nullptr, 0);
  aligned_t word = 0;
  qthread_empty(&word);
  qthread_call_method(seven, nullptr, &word, 0);
  EXPECT_EQ(qthread_feb_status(&word), 1);
  EXPECT_EQ(word, 7u);
  syncvar_t var = SYNCVAR_EMPTY_INITIALIZER;
  qthread_call_method(seven, nullptr, &var, 1 << 2);
  uint64_t got = 0;
  EXPECT_EQ(qthread_syncvar_readFF(&got, &var), QTHREAD_SUCCESS);
  EXPECT_EQ(got, 7u);
  aligned_t none = 0, sum = 0;
  const auto add = [](void* into, const void* one) {
    *static_cast<aligned_t*>(into) += *static_cast<const aligned_t*>(one);
  };
  qt_sinc_t* const s = qt_sinc_create(sizeof sum, &none, add, 2);
  qthread_call_method(seven, nullptr, s, 1 << 3);
  qthread_call_method(seven, nullptr, s, 1 << 3 | 1 << 2);
  qt_sinc_wait(s, &sum);
  EXPECT_EQ(sum, 7u);
  qt_sinc_destroy(s);
}

}  // namespace
}  // namespace weft::test
