// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Usable CPUs, counted from made-up trees of every kind of control group and from this process.
#include "os/cpus.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>

namespace weft::rt::os {
namespace {

namespace fs = std::filesystem;

class cpus : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "weft-cpus-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void file(const std::string& path, const std::string& text) const {
    const fs::path full = root_.string() + path;
    fs::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  void version_two(const std::string& group, const std::string& shown = "/",
                   const std::string& mount = "/sys/fs/cgroup") const {
    file("/proc/self/cgroup", "0::" + group + "\n");
    file("/proc/self/mountinfo",
         "22 28 0:20 / /proc rw,nosuid shared:12 - proc proc rw\n"
         "30 23 0:26 " +
             shown + " " + mount +
             " rw,nosuid,nodev shared:9 master:3 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void version_one(const std::string& group, const std::string& shown = "/") const {
    file("/proc/self/cgroup",
         "5:cpuset:/other\n4:cpu,cpuacct:" + group + "\n1:name=systemd:/cpu\n");
    file("/proc/self/mountinfo",
         "33 32 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
         "34 32 0:29 " +
             shown + " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  }
  void quota_one(const std::string& directory, const std::string& time,
                 const std::string& period) const {
    file("/sys/fs/cgroup/cpu,cpuacct" + directory + "/cpu.cfs_quota_us", time + "\n");
    file("/sys/fs/cgroup/cpu,cpuacct" + directory + "/cpu.cfs_period_us", period + "\n");
  }
  void quota_two(const std::string& directory, const std::string& text) const {
    file("/sys/fs/cgroup" + directory + "/cpu.max", text + "\n");
  }
  cpu_count count(unsigned affinity) const { return usable_cpus_from(root_.c_str(), affinity); }

 private:
  fs::path root_;
};

TEST_F(cpus, without_any_file_the_affinity_counts) {
  const cpu_count c = count(5);
  EXPECT_EQ(c.count, 5u);
  EXPECT_STREQ(c.why, "5 CPUs in the affinity mask, no CPU quota");
  EXPECT_STREQ(count(1).why, "1 CPU in the affinity mask, no CPU quota");
  EXPECT_EQ(count(0).count, 1u);
}

TEST_F(cpus, version_two_limits) {
  version_two("/user/job");
  quota_two("/user/job", "200000 100000");
  const cpu_count c = count(8);
  EXPECT_EQ(c.count, 2u);
  EXPECT_STREQ(c.why,
               "8 CPUs in the affinity mask, limited to 2 by the CPU quota 200000/100000 us of "
               "/sys/fs/cgroup/user/job");
}

TEST_F(cpus, a_part_of_a_cpu_is_rounded_up) {
  version_two("/");
  quota_two("", "150000 100000");
  EXPECT_EQ(count(8).count, 2u);
  quota_two("", "100001 100000");
  EXPECT_EQ(count(8).count, 2u);
  quota_two("", "100000 100000");
  EXPECT_EQ(count(8).count, 1u);
  quota_two("", "1000 100000");
  EXPECT_EQ(count(8).count, 1u);
}

TEST_F(cpus, max_is_no_limit) {
  version_two("/job");
  quota_two("/job", "max 100000");
  EXPECT_EQ(count(8).count, 8u);
  EXPECT_STREQ(count(8).why, "8 CPUs in the affinity mask, no CPU quota");
}

TEST_F(cpus, a_quota_above_the_affinity_is_mentioned) {
  version_two("/job");
  quota_two("/job", "800000 100000");
  EXPECT_EQ(count(2).count, 2u);
  EXPECT_STREQ(count(2).why, "2 CPUs in the affinity mask, the CPU quota allows 8");
}

TEST_F(cpus, the_least_quota_of_all_groups_above_counts) {
  version_two("/a/b/c");
  quota_two("/a/b/c", "max 100000");
  quota_two("/a/b", "600000 100000");
  quota_two("/a", "300000 100000");
  EXPECT_EQ(count(8).count, 3u);
  quota_two("/a/b", "200000 100000");
  EXPECT_EQ(count(8).count, 2u);
  quota_two("", "50000 100000");
  EXPECT_EQ(count(8).count, 1u);
  EXPECT_NE(std::string(count(8).why).find("of /sys/fs/cgroup"), std::string::npos);
}

TEST_F(cpus, groups_above_the_mount_are_not_looked_at) {
  version_two("/job");
  file("/sys/fs/cpu.max", "100000 100000\n");
  file("/cpu.max", "100000 100000\n");
  EXPECT_EQ(count(8).count, 8u);
}

TEST_F(cpus, a_container_may_see_its_group_as_the_root_of_the_mount) {
  version_two("/docker/abc/inner", "/docker/abc");
  quota_two("/inner", "400000 100000");
  EXPECT_EQ(count(8).count, 4u);
  quota_two("", "300000 100000");
  EXPECT_EQ(count(8).count, 3u);
}

TEST_F(cpus, a_mount_of_a_group_elsewhere_shows_its_own_quota_alone) {
  version_two("/docker/abcdef/x", "/docker/abc");  // not below it, though the text begins alike
  quota_two("", "300000 100000");
  quota_two("/def/x", "100000 100000");
  EXPECT_EQ(count(8).count, 3u);
  version_two("/../other");
  file("/sys/fs/other/cpu.max", "100000 100000\n");
  EXPECT_EQ(count(8).count, 3u);
}

TEST_F(cpus, a_mount_point_with_a_blank_is_found) {
  version_two("/job", "/", "/mnt/my\\040groups");
  file("/mnt/my groups/job/cpu.max", "200000 100000\n");
  EXPECT_EQ(count(8).count, 2u);
}

TEST_F(cpus, version_one_limits_at_every_level) {
  version_one("/a/b");
  quota_one("/a/b", "-1", "100000");
  EXPECT_EQ(count(8).count, 8u);
  quota_one("/a", "350000", "100000");
  EXPECT_EQ(count(8).count, 4u);
  quota_one("/a/b", "100000", "50000");
  EXPECT_EQ(count(8).count, 2u);
  EXPECT_STREQ(count(8).why,
               "8 CPUs in the affinity mask, limited to 2 by the CPU quota 100000/50000 us of "
               "/sys/fs/cgroup/cpu,cpuacct/a/b");
}

TEST_F(cpus, version_one_in_a_container) {
  version_one("/docker/abc", "/docker/abc");
  quota_one("", "300000", "100000");
  EXPECT_EQ(count(8).count, 3u);
}

TEST_F(cpus, other_controllers_with_the_letters_cpu_do_not_count) {
  file("/proc/self/cgroup", "5:cpuset,cpuacct:/a\n");
  file("/proc/self/mountinfo", "33 32 0:28 / /c rw - cgroup cgroup rw,cpuset,cpuacct\n");
  file("/c/a/cpu.cfs_quota_us", "100000\n");
  file("/c/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(count(8).count, 8u);
}

TEST_F(cpus, both_versions_at_once_take_the_least) {
  file("/proc/self/cgroup", "4:cpu:/one\n0::/two\n");
  file("/proc/self/mountinfo",
       "34 32 0:29 / /one rw - cgroup cgroup rw,cpu\n"
       "35 32 0:30 / /two rw - cgroup2 cgroup2 rw\n");
  file("/one/one/cpu.cfs_quota_us", "300000\n");
  file("/one/one/cpu.cfs_period_us", "100000\n");
  file("/two/two/cpu.max", "500000 100000\n");
  EXPECT_EQ(count(8).count, 3u);
  file("/two/two/cpu.max", "200000 100000\n");
  EXPECT_EQ(count(8).count, 2u);
}

TEST_F(cpus, damaged_files_limit_nothing) {
  const std::string longest(20000, 'x');
  file("/proc/self/cgroup", "\n:\n0\n0:\nnonsense\n0::" + longest + "\n0::/job\n");
  file("/proc/self/mountinfo",
       "\n1\n1 2 3\n1 2 3 / /m\n1 2 3 / /m rw\n1 2 3 / /m rw - \n1 2 3 / /m rw - cgroup2\n" +
           longest + "\n30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  for (const char* text : {"", "100000", "0 100000", "-5 100000", "100000 0", "100000 x", "x y"}) {
    quota_two("/job", text);
    EXPECT_EQ(count(8).count, 8u) << text;
  }
}

TEST_F(cpus, a_long_path_is_shown_by_its_end) {
  const std::string group = "/" + std::string(100, 'p') + "/job";
  version_two(group);
  quota_two(group, "100000 100000");
  const std::string why = count(8).why;
  EXPECT_LT(why.size(), sizeof(cpu_count::why));
  EXPECT_EQ(why.substr(why.size() - 7), "ppp/job");
}

TEST(usable_cpus, follow_the_affinity_of_this_thread) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  const auto all = static_cast<unsigned>(CPU_COUNT(&before));
  const cpu_count c = usable_cpus();
  EXPECT_GE(c.count, 1u);
  EXPECT_LE(c.count, all);
  EXPECT_EQ(std::string(c.why).rfind(std::to_string(all) + " CPU", 0), 0u) << c.why;

  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  errno = ENOTTY;
  const cpu_count pinned = usable_cpus();
  EXPECT_EQ(errno, ENOTTY);
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(pinned.count, 1u);
  EXPECT_EQ(std::string(pinned.why).rfind("1 CPU in the affinity mask", 0), 0u) << pinned.why;
}

}  // namespace
}  // namespace weft::rt::os
