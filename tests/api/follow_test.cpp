// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WEFT_FOLLOW_CPUS: workers follow the processors that the process has while it runs.
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.hpp"
#include "support/child.hpp"

namespace weft::test {
namespace {

cpu_set_t mask_of(pid_t thread) {
  cpu_set_t out;
  CPU_ZERO(&out);
  EXPECT_EQ(sched_getaffinity(thread, sizeof out, &out), 0);
  return out;
}

cpu_set_t only(int cpu) {
  cpu_set_t out;
  CPU_ZERO(&out);
  CPU_SET(cpu, &out);
  return out;
}

// As taskset -a does.
void set_masks_of_all_threads(const cpu_set_t& to) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    (void)sched_setaffinity(std::stoi(entry.path().filename().string()), sizeof to, &to);
}

// Two processors, a worker for each.
class follow : public testing::Test {
 protected:
  void SetUp() override {
    before_ = mask_of(0);
    if (CPU_COUNT(&before_) < 2) GTEST_SKIP() << "one processor";
    int first = 0;
    while (!CPU_ISSET(first, &before_)) ++first;
    int second = first + 1;
    while (!CPU_ISSET(second, &before_)) ++second;
    cpu_[0] = first;
    cpu_[1] = second;
    both_ = only(first);
    CPU_SET(second, &both_);
    ASSERT_EQ(sched_setaffinity(0, sizeof both_, &both_), 0);
    setenv("WEFT_FOLLOW_CPUS", "1", 1);
  }
  void TearDown() override {
    for (const char* name : {"WEFT_FOLLOW_CPUS", "WEFT_BIND"}) unsetenv(name);
    (void)sched_setaffinity(0, sizeof before_, &before_);
  }
  static bool come_to_be(int enabled) {
    return yield_until([&] {
      int now = 0;
      for (uint32_t w = 0; w < 2; ++w) now += weft_worker_is_enabled(w);
      return now == enabled;
    });
  }
  // The processors that a worker's thread may use.
  static cpu_set_t mask_of_worker(uint32_t worker) {
    cpu_set_t out;
    auto ask = [&] { out = mask_of(0); };
    const weft_task_t t = spawn(ask, on_worker(worker));
    while (weft_task_try_join(t, nullptr) == -EBUSY) weft_task_yield();
    return out;
  }

  // What a worker shall do is told to it after others may know.
  static bool may_use(uint32_t worker, const cpu_set_t& expected) {
    return yield_until([&] {
      const cpu_set_t now = mask_of_worker(worker);
      return CPU_EQUAL(&now, &expected) != 0;
    });
  }

  cpu_set_t before_{};
  cpu_set_t both_{};
  int cpu_[2] = {};
};

TEST_F(follow, the_mask_of_the_thread_that_started) {
  setenv("WEFT_BIND", "none", 1);
  runtime r(2);
  for (int round = 0; round < 2; ++round) {
    const cpu_set_t one = only(cpu_[round]);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_TRUE(come_to_be(1));
    EXPECT_EQ(weft_worker_is_enabled(0), 1);
    EXPECT_TRUE(may_use(1, one)) << "what is bound to it runs on what is left";
    ASSERT_EQ(sched_setaffinity(0, sizeof both_, &both_), 0);
    EXPECT_TRUE(come_to_be(2));
    EXPECT_TRUE(may_use(1, both_));
  }
}

TEST_F(follow, bound_workers_come_back_to_their_processors) {
  setenv("WEFT_BIND", "worker", 1);
  runtime r(2);
  const cpu_set_t one = only(cpu_[0]);
  set_masks_of_all_threads(one);
  EXPECT_TRUE(come_to_be(1));
  EXPECT_TRUE(may_use(1, one));
  set_masks_of_all_threads(both_);
  EXPECT_TRUE(come_to_be(2));
  for (uint32_t w = 0; w < 2; ++w) {
    EXPECT_TRUE(may_use(w, only(weft_worker_processor(w)))) << w;
  }
}

TEST_F(follow, a_worker_that_the_program_bound_comes_back_there) {
  setenv("WEFT_BIND", "none", 1);
  runtime r(2);
  EXPECT_EQ(weft_worker_bind(1, static_cast<uint32_t>(cpu_[1])), 0);
  const cpu_set_t chosen = only(cpu_[1]);
  EXPECT_TRUE(may_use(1, chosen));
  const cpu_set_t one = only(cpu_[0]);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_TRUE(come_to_be(1));
  EXPECT_TRUE(may_use(1, one));
  ASSERT_EQ(sched_setaffinity(0, sizeof both_, &both_), 0);
  EXPECT_TRUE(come_to_be(2));
  EXPECT_TRUE(may_use(1, chosen));
}

TEST_F(follow, a_starter_that_the_program_bound_does_not_speak_for_the_process) {
  setenv("WEFT_BIND", "none", 1);
  runtime r(2);
  EXPECT_EQ(weft_worker_bind(0, static_cast<uint32_t>(cpu_[1])), 0);
  EXPECT_TRUE(may_use(0, only(cpu_[1])));
  weft_task_sleep_for(300000000);  // some looks
  EXPECT_EQ(weft_worker_is_enabled(0), 1);
  EXPECT_EQ(weft_worker_is_enabled(1), 1);
  EXPECT_TRUE(may_use(1, both_));
  EXPECT_EQ(weft_worker_bind(0, WEFT_ANYWHERE), 0);
  EXPECT_TRUE(may_use(0, both_));
  const cpu_set_t one = only(cpu_[0]);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_TRUE(come_to_be(1)) << "then it speaks again";
  ASSERT_EQ(sched_setaffinity(0, sizeof both_, &both_), 0);
  EXPECT_TRUE(come_to_be(2));
}

// The thread that looks; 0: there is none.
pid_t follower() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(entry.path() / "comm"), name);
    if (name == "weft-follow") return std::stoi(entry.path().filename().string());
  }
  return 0;
}

TEST_F(follow, signals_to_who_looks_do_not_keep_it_from_that) {
  setenv("WEFT_BIND", "none", 1);
  struct sigaction action{}, before{};
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  {
    runtime r(2);
    const pid_t looks = follower();
    ASSERT_NE(looks, 0);
    const cpu_set_t one = only(cpu_[0]);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    int now = 2;
    for (int i = 0; i < 1000 && now != 1; ++i) {  // 20 s
      ASSERT_EQ(syscall(SYS_tgkill, getpid(), looks, SIGUSR1), 0);
      weft_task_sleep_for(20000000);
      now = weft_worker_is_enabled(0) + weft_worker_is_enabled(1);
    }
    EXPECT_EQ(now, 1);
  }
  ASSERT_EQ(sigaction(SIGUSR1, &before, nullptr), 0);
}

// From now on it ends the process. False: the system cannot.
bool forbid(long call) {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog all{4, rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}

// A mask that was set once follows the process's cpuset no more, even where it was the same.
TEST_F(follow, a_thread_that_has_the_right_mask_is_not_given_it) {
  if (tsan || emulated) GTEST_SKIP() << "forks with threads";
  setenv("WEFT_BIND", "none", 1);
  const outcome o = in_child([] {
    if (!forbid(SYS_sched_setaffinity)) _exit(3);
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = 1;
    _exit(weft_start(&config) == 0 && weft_stop() == 0 ? 0 : 1);
  });
  if (o.exited_with(3)) GTEST_SKIP() << "no seccomp";
  EXPECT_TRUE(o.exited_with(0)) << o.status << "\n" << o.errors;
}

TEST_F(follow, without_the_option_nothing_is_followed) {
  setenv("WEFT_FOLLOW_CPUS", "0", 1);
  runtime r(2);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    EXPECT_EQ(std::string(entry.path().filename()).find("follow"), std::string::npos);
  const cpu_set_t one = only(cpu_[0]);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  weft_task_sleep_for(300000000);
  EXPECT_EQ(weft_worker_is_enabled(1), 1);
}

TEST_F(follow, starts_and_stops_do_not_wait_for_a_look) {
  for (int i = 0; i < 20; ++i) runtime r(2);
}

TEST_F(follow, a_child_may_start_anew) {
  if (tsan || emulated) GTEST_SKIP() << "forks with threads";
  runtime r(2);
  const pid_t child = fork();
  if (child == 0) {
    if (weft_start(nullptr) != 0) _exit(1);
    _exit(weft_stop() == 0 ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace weft::test
