// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shepherds of described and of real machines: who belongs where, who is near, who is bound.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <map>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <vector>

#include <weft/weft.h>

#include "support/build.hpp"
#include "support/child.hpp"

namespace {

using numbers = std::vector<uint32_t>;

// Runs Weft with these options of the environment; they are gone afterwards.
class place : public testing::Test {
 protected:
  void TearDown() override {
    if (weft_worker_count() != 0) {
      EXPECT_EQ(weft_stop(), 0);
    }
    for (const auto& [name, before] : before_) {
      if (before.empty()) {
        unsetenv(name.c_str());
      } else {
        setenv(name.c_str(), before.c_str(), 1);
      }
    }
  }
  void set(const char* name, const char* value) {
    const char* before = getenv(name);
    before_.emplace(name, before != nullptr ? before : "");
    setenv(name, value, 1);
  }
  int start(uint32_t workers, const char* topology, const char* shepherd, const char* bind) {
    set("WEFT_TOPOLOGY", topology);
    set("WEFT_SHEPHERD", shepherd);
    set("WEFT_BIND", bind);
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = workers;
    return weft_start(&config);
  }

 private:
  std::map<std::string, std::string> before_;
};

cpu_set_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

numbers near(uint32_t from) {
  numbers out(weft_shepherd_count());
  EXPECT_EQ(weft_shepherd_near(from, out.data(), out.size()), static_cast<int>(out.size()));
  return out;
}

TEST_F(place, while_weft_does_not_run_there_is_none) {
  EXPECT_EQ(weft_shepherd_count(), 0u);
  EXPECT_EQ(weft_shepherd_index(), WEFT_ANYWHERE);
  EXPECT_EQ(weft_shepherd_workers(0, nullptr), -ENOTCONN);
  EXPECT_EQ(weft_shepherd_distance(0, 0), -ENOTCONN);
  EXPECT_EQ(weft_shepherd_near(0, nullptr, 0), -ENOTCONN);
  EXPECT_EQ(weft_worker_shepherd(0), -ENOTCONN);
  EXPECT_EQ(weft_worker_processor(0), -ENOTCONN);
}

TEST_F(place, of_a_described_machine_have_processors_that_nobody_can_be_moved_to) {
  const cpu_set_t before = affinity();
  const int started = start(2, "pack:2 core:4 pu:1", "machine", "none");
  if (started == -EINVAL) GTEST_SKIP() << "no libhwloc.so.15 for this processor";
  ASSERT_EQ(started, 0);
  for (uint32_t processor = 0; processor < 8; ++processor) {
    EXPECT_EQ(weft_worker_bind(0, processor), -ERANGE);
    EXPECT_EQ(weft_shepherd_bind(0, &processor, 1), -ERANGE);
  }
  EXPECT_EQ(weft_worker_bind(0, WEFT_ANYWHERE), 0);
  weft_task_yield();
  const cpu_set_t after = affinity();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST_F(place, a_described_machine_has_the_shepherds_of_its_caches) {
  if (start(16, "pack:2 l3:2 core:4 pu:1", "auto", "auto") == -EINVAL)
    GTEST_SKIP() << "no libhwloc.so.15 for this processor";
  ASSERT_EQ(weft_shepherd_count(), 4u);
  EXPECT_EQ(weft_shepherd_index(), 0u);
  for (uint32_t s = 0; s < 4; ++s) {
    uint32_t first = 99;
    EXPECT_EQ(weft_shepherd_workers(s, &first), 4);
    EXPECT_EQ(first, 4 * s);
    for (uint32_t w = first; w < first + 4; ++w) {
      EXPECT_EQ(weft_worker_shepherd(w), static_cast<int>(s));
      EXPECT_EQ(weft_worker_processor(w), static_cast<int>(w));
    }
  }
  EXPECT_EQ(near(0), (numbers{0, 1, 2, 3}));
  EXPECT_EQ(near(1), (numbers{1, 0, 2, 3}));
  EXPECT_EQ(near(2), (numbers{2, 3, 0, 1}));
  EXPECT_EQ(near(3), (numbers{3, 2, 0, 1}));
  EXPECT_EQ(weft_shepherd_distance(0, 0), 0);
  EXPECT_EQ(weft_shepherd_distance(0, 1), 10);
  EXPECT_EQ(weft_shepherd_distance(1, 2), 20);
  EXPECT_EQ(weft_shepherd_workers(4, nullptr), -ERANGE);
  EXPECT_EQ(weft_shepherd_distance(0, 4), -ERANGE);
  EXPECT_EQ(weft_shepherd_near(4, nullptr, 0), -ERANGE);
  EXPECT_EQ(weft_shepherd_near(0, nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_worker_shepherd(16), -ERANGE);
  EXPECT_EQ(weft_worker_processor(16), -ERANGE);
}

TEST_F(place, a_bad_description_and_a_bond_to_it_fail_the_start) {
  const int bad = start(2, "nonsense:1", "auto", "auto");
  EXPECT_EQ(bad, -EINVAL);
  EXPECT_EQ(weft_worker_count(), 0u);
  EXPECT_EQ(start(2, "core:2 pu:1", "auto", "worker"), -EINVAL);
  EXPECT_EQ(weft_worker_count(), 0u);
}

TEST_F(place, hwloc_without_a_processor_of_this_process_fails_the_start) {
  if (start(1, "hwloc", "auto", "none") != 0) GTEST_SKIP() << "no libhwloc.so.15 here";
  EXPECT_EQ(weft_stop(), 0);
  EXPECT_EQ(start(1, "flat", "auto", "none"), 0);  // what hwloc said is forgotten
  EXPECT_EQ(weft_stop(), 0);
  set("HWLOC_SYNTHETIC", "pu:2(indexes=8190,8191)");
  testing::internal::CaptureStderr();
  EXPECT_EQ(start(1, "hwloc", "auto", "none"), -EINVAL);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "weft: WEFT_TOPOLOGY=hwloc: not accepted; hwloc finds no processor that this process "
            "may use\n");
  EXPECT_EQ(start(1, "auto", "auto", "none"), 0);
}

TEST_F(place, work_crosses_all_boundaries_when_a_shepherd_has_more_than_it_can_do) {
  // Flat, so that each worker is a shepherd, as far as there are processors.
  ASSERT_EQ(start(7, "flat", "core", "none"), 0);
  cpu_set_t here = affinity();
  EXPECT_EQ(weft_shepherd_count(), std::min(7u, static_cast<uint32_t>(CPU_COUNT(&here))));
  // All seven meet: no task ends before each worker has one.
  std::atomic<uint32_t> arrived{0};
  auto meet = [](void* a) -> void* {
    auto& count = *static_cast<std::atomic<uint32_t>*>(a);
    ++count;
    while (count.load() < 7) {
    }
    return nullptr;
  };
  std::vector<weft_task_t> tasks(6);
  for (weft_task_t& t : tasks) ASSERT_EQ(weft_task_spawn(meet, &arrived, &t), 0);
  meet(&arrived);
  ASSERT_EQ(weft_task_join_many(tasks.data(), tasks.size(), nullptr), 0);
}

TEST_F(place, bound_workers_run_on_their_processors_and_the_main_thread_is_free_afterwards) {
  const cpu_set_t before = affinity();
  const auto workers = static_cast<uint32_t>(CPU_COUNT(&before));
  ASSERT_EQ(start(workers, "auto", "machine", "worker"), 0);
  for (uint32_t w = 0; w < workers; ++w) {
    weft_spawn_t there = WEFT_SPAWN_INIT;
    there.worker = w;
    weft_task_t t;
    cpu_set_t seen;
    auto look = [](void* out) -> void* {
      *static_cast<cpu_set_t*>(out) = affinity();
      return nullptr;
    };
    ASSERT_EQ(weft_task_spawn_with(look, &seen, &there, &t), 0);
    ASSERT_EQ(weft_task_join(t, nullptr), 0);
    EXPECT_EQ(CPU_COUNT(&seen), 1);
    EXPECT_TRUE(CPU_ISSET(static_cast<size_t>(weft_worker_processor(w)), &seen));
  }
  ASSERT_EQ(weft_stop(), 0);
  const cpu_set_t after = affinity();
  EXPECT_TRUE(CPU_EQUAL(&after, &before));
}

TEST_F(place, workers_bound_to_shepherds_may_use_all_processors_of_theirs) {
  const cpu_set_t before = affinity();
  ASSERT_EQ(start(1, "auto", "machine", "shepherd"), 0);
  const cpu_set_t here = affinity();
  EXPECT_TRUE(CPU_EQUAL(&here, &before));
}

// From now on this thread, and those that it makes, cannot read where any thread may run. False: no
// such filter here.
bool forbid_to_read_affinity() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof steps / sizeof steps[0], steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

std::size_t times(const std::string& word, const std::string& in) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = in.find(word, at)) != std::string::npos; ++at) ++n;
  return n;
}

// What could not be given back is not taken, which is said once in the process.
TEST_F(place, where_affinity_cannot_be_read_workers_stay_unbound_and_it_is_said) {
  if (weft::test::sanitized)
    GTEST_SKIP() << "a stack's bounds are told to it, for which glibc reads that mask";
  for (const bool by_option : {true, false}) {
    const auto o = weft::test::in_child([&] {
      if (!forbid_to_read_affinity()) _exit(77);
      set("WEFT_INFO", "1");
      for (int round = 0; round < 2; ++round) {
        if (start(2, "auto", "machine", by_option ? "worker" : "none") != 0) _exit(1);
        const auto here = static_cast<uint32_t>(weft_worker_processor(0));
        if (!by_option && weft_worker_bind(1, here) != 0) _exit(2);
        auto nothing = [](void*) -> void* { return nullptr; };
        weft_spawn_t there = WEFT_SPAWN_INIT;
        there.worker = 1;
        weft_task_t t;
        // What is bound there comes after the order.
        if (weft_task_spawn_with(nothing, nullptr, &there, &t) != 0) _exit(3);
        if (weft_task_join(t, nullptr) != 0 || weft_stop() != 0) _exit(4);
      }
    });
    if (WIFEXITED(o.status) && WEXITSTATUS(o.status) == 77) GTEST_SKIP() << "no seccomp";
    EXPECT_TRUE(o.exited_with(0)) << o.errors;
    EXPECT_EQ(times(" stays unbound, though ", o.errors), 1u) << o.errors;
    EXPECT_EQ(times(by_option ? "though WEFT_BIND asks for processor "
                              : "worker 1 stays unbound, though the program asks for processor ",
                    o.errors),
              1u)
        << o.errors;
    EXPECT_EQ(times("workers not bound: where the thread", o.errors), by_option ? 2u : 0u)
        << o.errors;
  }
}

}  // namespace
