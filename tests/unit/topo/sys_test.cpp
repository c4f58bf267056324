// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine read from made-up trees of /sys, and from the real one.
#include "topo/sys.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "topo/read.hpp"

namespace weft::rt::topo {
namespace {

namespace fs = std::filesystem;

class sys : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "weft-sys-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void file(const std::string& path, const std::string& text) const {
    const fs::path full = root_.string() + "/sys/devices/system/" + path;
    fs::create_directories(full.parent_path());
    std::ofstream(full) << text << "\n";
  }
  void cache(unsigned cpu, unsigned index, const char* level, const std::string& list) const {
    const std::string at = "cpu/cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index);
    file(at + "/level", level);
    file(at + "/shared_cpu_list", list);
  }
  // Eight hardware threads: i and i + 4 are a core, an L2 each core, an L3 and a package each two
  // cores.
  void eight(bool older_names) const {
    for (unsigned cpu = 0; cpu < 8; ++cpu) {
      const std::string at = "cpu/cpu" + std::to_string(cpu) + "/topology/";
      const std::string core = std::to_string(cpu % 4) + "," + std::to_string(cpu % 4 + 4);
      const std::string package = cpu % 4 < 2 ? "0-1,4-5" : "2-3,6-7";
      file(at + (older_names ? "thread_siblings_list" : "core_cpus_list"), core);
      file(at + (older_names ? "core_siblings_list" : "package_cpus_list"), package);
      cache(cpu, 0, "1", core);
      cache(cpu, 1, "1", core);
      cache(cpu, 2, "2", core);
      cache(cpu, 3, "3", package);
    }
  }
  bool read(const char* allowed) {
    os::cpu_set set;
    EXPECT_TRUE(os::add_cpu_list(allowed, set));
    return read_sys(root_.c_str(), set, m_);
  }
  std::string listed() const {
    std::string out;
    for (const processor& p : m_.processors) {
      const auto add = [&](uint32_t n) { out += n == nothing ? "- " : std::to_string(n) + " "; };
      for (const uint32_t n : {p.number, p.core, p.l2, p.l3, p.node, p.package}) add(n);
      out += "r" + std::to_string(p.rank) + "|";
    }
    return out;
  }

  fs::path root_;
  machine m_;
};

TEST_F(sys, cores_caches_and_packages) {
  eight(false);
  ASSERT_TRUE(read("0-7"));
  EXPECT_EQ(listed(),
            "0 0 0 0 0 0 r0|4 0 0 0 0 0 r1|1 1 1 0 0 0 r0|5 1 1 0 0 0 r1|"
            "2 2 2 2 0 2 r0|6 2 2 2 0 2 r1|3 3 3 2 0 2 r0|7 3 3 2 0 2 r1|");
}

TEST_F(sys, the_names_of_older_kernels_say_the_same) {
  eight(true);
  ASSERT_TRUE(read("0-7"));
  EXPECT_EQ(listed(),
            "0 0 0 0 0 0 r0|4 0 0 0 0 0 r1|1 1 1 0 0 0 r0|5 1 1 0 0 0 r1|"
            "2 2 2 2 0 2 r0|6 2 2 2 0 2 r1|3 3 3 2 0 2 r0|7 3 3 2 0 2 r1|");
}

TEST_F(sys, only_the_processors_of_the_mask_are_there) {
  eight(false);
  ASSERT_TRUE(read("3,5-6"));
  EXPECT_EQ(listed(), "5 1 1 0 0 0 r0|6 2 2 2 0 2 r0|3 3 3 2 0 2 r0|");
}

TEST_F(sys, memories_have_the_distances_of_the_firmware) {
  eight(false);
  file("node/online", "0,2");
  file("node/node0/cpulist", "0-1,4-5");
  file("node/node0/distance", "10 32");
  file("node/node2/cpulist", "2-3,6-7");
  file("node/node2/distance", "31 10");
  ASSERT_TRUE(read("0-3"));
  EXPECT_EQ(m_.nodes, 2u);
  const processor& first = m_.processors[0];
  EXPECT_EQ(distance(m_, first, first), 0u);
  EXPECT_EQ(distance(m_, first, m_.processors[1]), 3u);
  EXPECT_EQ(distance(m_, first, m_.processors[2]), 32u);
  EXPECT_EQ(distance(m_, m_.processors[2], first), 31u);
}

TEST_F(sys, without_caches_or_packages_cores_are_known_still) {
  for (unsigned cpu = 0; cpu < 2; ++cpu)
    file("cpu/cpu" + std::to_string(cpu) + "/topology/core_cpus_list", std::to_string(cpu));
  ASSERT_TRUE(read("0-1"));
  EXPECT_EQ(listed(), "0 0 - - 0 - r0|1 1 - - 0 - r0|");
  EXPECT_EQ(distance(m_, m_.processors[0], m_.processors[1]), 10u);
}

TEST_F(sys, a_tree_that_says_nothing_is_not_read) {
  EXPECT_FALSE(read("0-1"));
  file("cpu/cpu0/topology/core_cpus_list", "nonsense");
  EXPECT_FALSE(read("0"));
}

TEST_F(sys, flat_makes_every_processor_a_core) {
  os::cpu_set set;
  ASSERT_TRUE(os::add_cpu_list("1,3", set));
  ASSERT_TRUE(read_flat(set, m_));
  EXPECT_EQ(listed(), "1 1 - - 0 - r0|3 3 - - 0 - r0|");
}

TEST(read_machine, what_the_kernel_says_is_what_hwloc_says) {
  answer here;
  ASSERT_EQ(read_machine(nullptr, here), read_result::ok);
  if (here.from != source::sys) GTEST_SKIP() << "/sys says nothing here";
  os::cpu_set allowed;
  ASSERT_TRUE(os::get_affinity(allowed));
  ASSERT_EQ(here.m->processors.size(), allowed.count());
  const auto pairs = [](const machine& m) {
    std::vector<std::vector<uint32_t>> out;
    for (const processor& a : m.processors)
      for (const processor& b : m.processors)
        out.push_back({a.number, b.number, distance(m, a, b)});
    std::sort(out.begin(), out.end());
    return out;
  };
  const auto by_sys = pairs(*here.m);
  const read_result other = read_machine("hwloc", here);
  if (other == read_result::no_library) GTEST_SKIP() << "no libhwloc.so.15";
  ASSERT_EQ(other, read_result::ok);
  EXPECT_EQ(here.from, source::hwloc);
  EXPECT_EQ(pairs(*here.m), by_sys);
}

TEST(read_machine, the_same_question_has_the_kept_answer) {
  answer first;
  ASSERT_EQ(read_machine("flat", first), read_result::ok);
  const processor* at = first.m->processors.begin();
  answer second;
  ASSERT_EQ(read_machine("flat", second), read_result::ok);
  EXPECT_EQ(second.m->processors.begin(), at);
  EXPECT_EQ(second.from, source::flat);
}

}  // namespace
}  // namespace weft::rt::topo
