// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine whose parts differ, whole, hidden in part by a cpuset, and under a quota: from the
// kernel's files, and from what hwloc says, to the tables of workers, shepherds and victims.
// Machines with equal parts: places_test.cpp.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "hwloc_xml.hpp"
#include "os/cpus.hpp"
#include "topo/hwloc.hpp"
#include "topo/machine.hpp"
#include "topo/places.hpp"
#include "topo/sys.hpp"

namespace weft::rt::topo {
namespace {

namespace fs = std::filesystem;
using numbers = std::vector<uint32_t>;
using table = std::vector<numbers>;

struct part {
  std::vector<unsigned> cpus;  // of a core
  const char* core;
  const char* l2;
  const char* l3;  // null: none
  const char* package;
};

// Two cores of two hardware threads on one socket; on the other two that share a level-3 cache, and
// two small ones that have but a level-2 cache together.
const std::vector<part> parts = {{{0, 6}, "0,6", "0,6", "0-1,6-7", "0-1,6-7"},
                                 {{1, 7}, "1,7", "1,7", "0-1,6-7", "0-1,6-7"},
                                 {{2}, "2", "2", "2-3", "2-5"},
                                 {{3}, "3", "3", "2-3", "2-5"},
                                 {{4}, "4", "4-5", nullptr, "2-5"},
                                 {{5}, "5", "4-5", nullptr, "2-5"}};

// The same as hwloc says it.
std::string parts_as_xml() {
  constexpr uint64_t on_0 = 1;  // memories
  constexpr uint64_t on_1 = 2;
  hwloc_xml x;
  const auto core = [&x](unsigned number, uint64_t nodes) {
    return x.core(number, parts[number].cpus, nodes);
  };
  const std::string big = x.cache(
      3, 0xc3, on_0, x.cache(2, 0x41, on_0, core(0, on_0)) + x.cache(2, 0x82, on_0, core(1, on_0)));
  const std::string middle = x.cache(
      3, 0x0c, on_1, x.cache(2, 0x04, on_1, core(2, on_1)) + x.cache(2, 0x08, on_1, core(3, on_1)));
  const std::string small = x.cache(2, 0x30, on_1, core(4, on_1) + core(5, on_1));
  const std::string packages = x.package(0, 0xc3, on_0, x.memory(0, 0xc3) + big) +
                               x.package(1, 0x3c, on_1, x.memory(1, 0x3c) + middle + small);
  return hwloc_xml::file(x.machine(0xff, on_0 | on_1, packages),
                         hwloc_xml::latencies({{10, 21}, {21, 10}}));
}

enum class told_by { sys, hwloc };

class shapes : public testing::TestWithParam<told_by> {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "weft-shapes-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    for (const part& p : parts)
      for (const unsigned cpu : p.cpus) {
        const std::string at = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
        file(at + "/topology/core_cpus_list", p.core);
        file(at + "/topology/package_cpus_list", p.package);
        cache(at + "/cache/index0", "2", p.l2);
        if (p.l3 != nullptr) cache(at + "/cache/index1", "3", p.l3);
      }
    file("/sys/devices/system/node/online", "0-1");
    file("/sys/devices/system/node/node0/cpulist", "0-1,6-7");
    file("/sys/devices/system/node/node0/distance", "10 21");
    file("/sys/devices/system/node/node1/cpulist", "2-5");
    file("/sys/devices/system/node/node1/distance", "21 10");
    file("/machine.xml", parts_as_xml());
    file("/proc/self/cgroup", "0::/job");
    file("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  }
  void TearDown() override { fs::remove_all(root_); }

  void forget_machine() const { fs::remove_all(root_.string() + "/sys/devices"); }

  // As many workers as a process with this mask would have.
  void lay(const char* mask, boundary by) {
    os::cpu_set allowed;
    ASSERT_TRUE(os::add_cpu_list(mask, allowed));
    if (GetParam() == told_by::sys) {
      ASSERT_TRUE(read_sys(root_.c_str(), allowed, m_));
    } else {
      ask_hwloc(allowed);
      if (IsSkipped() || HasFatalFailure()) return;
    }
    const os::cpu_count usable = os::usable_cpus_from(root_.c_str(), allowed.count());
    ASSERT_TRUE(lay_out(m_, usable.count, by, p_));
  }
  numbers first() const { return {p_.first.begin(), p_.first.end()}; }
  numbers processors() const { return {p_.processor.begin(), p_.processor.end()}; }
  table victims() const { return rows(p_.near); }
  table distances() const { return rows(p_.distances); }
  void file(const std::string& path, const std::string& text) const {
    const fs::path full = root_.string() + path;
    fs::create_directories(full.parent_path());
    std::ofstream(full) << text << "\n";
  }

 private:
  void ask_hwloc(const os::cpu_set& allowed) {
    ASSERT_EQ(::setenv("HWLOC_XMLFILE", (root_ / "machine.xml").c_str(), 1), 0);
    const hwloc_result r = read_hwloc(nullptr, &allowed, m_);
    ::unsetenv("HWLOC_XMLFILE");
    if (r == hwloc_result::no_library) GTEST_SKIP() << "no libhwloc.so.15 for this processor";
    ASSERT_EQ(r, hwloc_result::ok);
  }
  void cache(const std::string& at, const char* level, const char* list) const {
    file(at + "/level", level);
    file(at + "/shared_cpu_list", list);
  }
  table rows(const raw_array<uint16_t>& a) const {
    table out;
    for (uint32_t i = 0; i < p_.shepherds; ++i)
      out.emplace_back(a.begin() + i * p_.shepherds, a.begin() + (i + 1) * p_.shepherds);
    return out;
  }

  fs::path root_;
  machine m_;
  places p_;
};

TEST_P(shapes, of_different_parts_by_the_caches_that_are_there) {
  lay("0-7", boundary::l3);
  if (IsSkipped() || HasFatalFailure()) return;
  EXPECT_EQ(processors(), (numbers{0, 6, 1, 7, 2, 3, 4, 5}));
  EXPECT_EQ(first(), (numbers{0, 4, 6, 8})) << "the small cores share their memory";
  EXPECT_EQ(distances(), (table{{0, 21, 21}, {21, 0, 10}, {21, 10, 0}}));
  EXPECT_EQ(victims(), (table{{0, 1, 2}, {1, 2, 0}, {2, 1, 0}}));
}

TEST_P(shapes, of_different_parts_by_cores) {
  lay("0-7", boundary::core);
  if (IsSkipped() || HasFatalFailure()) return;
  EXPECT_EQ(first(), (numbers{0, 2, 4, 5, 6, 7, 8}));
  EXPECT_EQ(distances(), (table{{0, 3, 21, 21, 21, 21},
                                {3, 0, 21, 21, 21, 21},
                                {21, 21, 0, 3, 10, 10},
                                {21, 21, 3, 0, 10, 10},
                                {21, 21, 10, 10, 0, 2},
                                {21, 21, 10, 10, 2, 0}}));
  EXPECT_EQ(victims(), (table{{0, 1, 2, 3, 4, 5},
                              {1, 0, 2, 3, 4, 5},
                              {2, 3, 4, 5, 0, 1},
                              {3, 2, 4, 5, 0, 1},
                              {4, 5, 2, 3, 0, 1},
                              {5, 4, 2, 3, 0, 1}}));
}

TEST_P(shapes, hidden_in_part_by_a_cpuset) {
  lay("1,3-5", boundary::l3);
  if (IsSkipped() || HasFatalFailure()) return;
  EXPECT_EQ(processors(), (numbers{1, 3, 4, 5}));
  EXPECT_EQ(first(), (numbers{0, 1, 2, 4}));
  EXPECT_EQ(distances(), (table{{0, 21, 21}, {21, 0, 10}, {21, 10, 0}}));
  EXPECT_EQ(victims(), (table{{0, 1, 2}, {1, 2, 0}, {2, 1, 0}}));
}

TEST_P(shapes, under_a_quota_of_three_processors) {
  file("/sys/fs/cgroup/job/cpu.max", "300000 100000");
  lay("0-7", boundary::l3);
  if (IsSkipped() || HasFatalFailure()) return;
  EXPECT_EQ(processors(), (numbers{0, 1, 2})) << "a core each, neighbours first";
  EXPECT_EQ(first(), (numbers{0, 2, 3}));
  EXPECT_EQ(distances(), (table{{0, 21}, {21, 0}}));
  EXPECT_EQ(victims(), (table{{0, 1}, {1, 0}}));
}

TEST_P(shapes, under_a_quota_and_a_cpuset) {
  file("/sys/fs/cgroup/job/cpu.max", "150000 100000");
  lay("4-7", boundary::core);
  if (IsSkipped() || HasFatalFailure()) return;
  EXPECT_EQ(processors(), (numbers{6, 7}))
      << "cores before the second threads of any, in the machine's order";
  EXPECT_EQ(first(), (numbers{0, 1, 2}));
  EXPECT_EQ(distances(), (table{{0, 3}, {3, 0}}));
}

// A virtual machine with a socket for each processor, whose memories belong to every second one.
class shapes_of_files : public shapes {};
TEST_P(shapes_of_files, of_memories_that_belong_to_several_packages) {
  forget_machine();
  for (const std::string cpu : {"0", "1", "2", "3"}) {
    file("/sys/devices/system/cpu/cpu" + cpu + "/topology/core_cpus_list", cpu);
    file("/sys/devices/system/cpu/cpu" + cpu + "/topology/package_cpus_list", cpu);
  }
  file("/sys/devices/system/node/online", "0-1");
  file("/sys/devices/system/node/node0/cpulist", "0,2");
  file("/sys/devices/system/node/node0/distance", "10 21");
  file("/sys/devices/system/node/node1/cpulist", "1,3");
  file("/sys/devices/system/node/node1/distance", "21 10");
  for (const boundary by : {boundary::numa, boundary::l3}) {
    lay("0-3", by);
    EXPECT_EQ(processors(), (numbers{0, 2, 1, 3}));
    EXPECT_EQ(first(), (numbers{0, 2, 4}));
    EXPECT_EQ(distances(), (table{{0, 21}, {21, 0}}));
  }
  lay("0-3", boundary::socket);
  EXPECT_EQ(first(), (numbers{0, 1, 2, 3, 4}));
}

std::string name_of(const testing::TestParamInfo<told_by>& info) {
  return info.param == told_by::sys ? "by_sys" : "by_hwloc";
}
INSTANTIATE_TEST_SUITE_P(told, shapes, testing::Values(told_by::sys, told_by::hwloc), name_of);
INSTANTIATE_TEST_SUITE_P(told, shapes_of_files, testing::Values(told_by::sys), name_of);

}  // namespace
}  // namespace weft::rt::topo
