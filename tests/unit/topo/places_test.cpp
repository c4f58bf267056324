// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shepherd maps and victim orders of machines that we do not have, compared with tables.
#include "topo/places.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "topo/hwloc.hpp"
#include "topo/machine.hpp"

namespace weft::rt::topo {
namespace {

using numbers = std::vector<uint32_t>;
using table = std::vector<numbers>;

constexpr const char* two_sockets = "pack:2 l3:4 core:8 pu:2";

template <class T>
numbers all(const raw_array<T>& a) {
  return {a.begin(), a.end()};
}

table rows(const raw_array<uint16_t>& a, uint32_t n) {
  table out;
  for (uint32_t i = 0; i < n; ++i) out.emplace_back(a.begin() + i * n, a.begin() + (i + 1) * n);
  return out;
}

// Needs hwloc, which ./dev test installs; there is none for other processors.
class places_test : public testing::Test {
 protected:
  void describe(const char* text, const os::cpu_set* allowed = nullptr) {
    const hwloc_result r = read_hwloc(text, allowed, m_);
    if (r == hwloc_result::no_library) GTEST_SKIP() << "no libhwloc.so.15 for this processor";
    ASSERT_EQ(r, hwloc_result::ok) << text;
  }
  void lay(uint32_t workers, boundary by) { ASSERT_TRUE(lay_out(m_, workers, by, p_)); }

  machine m_;
  places p_;
};

#define DESCRIBE(...)      \
  describe(__VA_ARGS__);   \
  if (IsSkipped()) return; \
  if (HasFatalFailure()) return

TEST_F(places_test, shepherds_of_each_boundary_of_two_sockets) {
  DESCRIBE(two_sockets);
  EXPECT_EQ(m_.processors.size(), 128u);
  const struct {
    boundary by;
    uint32_t shepherds;
  } expected[] = {{boundary::core, 64}, {boundary::l2, 64},    {boundary::l3, 8},
                  {boundary::numa, 1},  {boundary::socket, 2}, {boundary::machine, 1}};
  for (const auto& e : expected) {
    lay(128, e.by);
    ASSERT_EQ(p_.shepherds, e.shepherds);
    for (uint32_t s = 0; s <= e.shepherds; ++s) EXPECT_EQ(p_.first[s], s * 128 / e.shepherds);
    for (uint32_t w = 0; w < 128; ++w) {
      EXPECT_EQ(p_.processor[w], w);
      EXPECT_EQ(p_.shepherd_of(w), w / (128 / e.shepherds));
    }
  }
}

TEST_F(places_test, victims_of_two_sockets_are_the_own_sockets_first) {
  DESCRIBE(two_sockets);
  lay(128, boundary::l3);
  const table distances = {{0, 10, 10, 10, 20, 20, 20, 20}, {10, 0, 10, 10, 20, 20, 20, 20},
                           {10, 10, 0, 10, 20, 20, 20, 20}, {10, 10, 10, 0, 20, 20, 20, 20},
                           {20, 20, 20, 20, 0, 10, 10, 10}, {20, 20, 20, 20, 10, 0, 10, 10},
                           {20, 20, 20, 20, 10, 10, 0, 10}, {20, 20, 20, 20, 10, 10, 10, 0}};
  EXPECT_EQ(rows(p_.distances, 8), distances);
  const table near = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 0, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7},
                      {3, 0, 1, 2, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}, {5, 6, 7, 4, 0, 1, 2, 3},
                      {6, 7, 4, 5, 0, 1, 2, 3}, {7, 4, 5, 6, 0, 1, 2, 3}};
  EXPECT_EQ(rows(p_.near, 8), near);
}

TEST_F(places_test, cores_that_share_a_cache_are_nearer_than_others) {
  DESCRIBE("pack:1 l3:2 l2:2 core:2 pu:1");
  lay(8, boundary::core);
  const table near = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7},
                      {3, 2, 0, 1, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 6, 7, 0, 1, 2, 3},
                      {6, 7, 4, 5, 0, 1, 2, 3}, {7, 6, 4, 5, 0, 1, 2, 3}};
  EXPECT_EQ(rows(p_.near, 8), near);
  EXPECT_EQ((numbers{p_.distances.begin(), p_.distances.begin() + 8}),
            (numbers{0, 2, 3, 3, 10, 10, 10, 10}));
}

TEST_F(places_test, fewer_workers_have_a_core_each_and_fill_shepherds_one_by_one) {
  DESCRIBE(two_sockets);
  lay(20, boundary::l3);  // as where a quota leaves 20 of 128
  EXPECT_EQ(all(p_.first), (numbers{0, 8, 16, 20}));
  EXPECT_EQ(all(p_.processor),
            (numbers{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38}));
  lay(66, boundary::l3);  // a second hardware thread for two of them
  EXPECT_EQ(all(p_.first), (numbers{0, 10, 18, 26, 34, 42, 50, 58, 66}));
  EXPECT_EQ((numbers{p_.processor.begin(), p_.processor.begin() + 5}), (numbers{0, 1, 2, 3, 4}));
}

TEST_F(places_test, a_shepherd_may_use_all_processors_of_its_group) {
  DESCRIBE(two_sockets);
  lay(20, boundary::l3);
  EXPECT_EQ(all(p_.of_first), (numbers{0, 16, 32}));
  EXPECT_EQ(all(p_.of_last), (numbers{16, 32, 48}));
  EXPECT_EQ(p_.all.size(), 128u);
}

TEST_F(places_test, more_workers_than_processors_share_them_evenly) {
  DESCRIBE("pack:1 l3:2 core:1 pu:1");
  lay(7, boundary::l3);
  EXPECT_EQ(all(p_.first), (numbers{0, 4, 7}));
  EXPECT_EQ(all(p_.processor), (numbers{0, 0, 0, 0, 1, 1, 1}));
}

TEST_F(places_test, one_core_is_one_shepherd_at_every_boundary) {
  DESCRIBE("core:1 pu:1");
  for (const boundary by : {boundary::core, boundary::l2, boundary::l3, boundary::numa,
                            boundary::socket, boundary::machine}) {
    lay(1, by);
    EXPECT_EQ(all(p_.first), (numbers{0, 1}));
    EXPECT_EQ(all(p_.near), (numbers{0}));
  }
  EXPECT_EQ(suggested(m_), boundary::machine);
}

TEST_F(places_test, hidden_processors_leave_shepherds_of_different_sizes) {
  os::cpu_set allowed;
  ASSERT_TRUE(os::add_cpu_list("1-4,17,40-47,126-127", allowed));
  DESCRIBE(two_sockets, &allowed);
  EXPECT_EQ(m_.processors.size(), 15u);
  lay(15, boundary::l3);
  EXPECT_EQ(all(p_.first), (numbers{0, 4, 5, 13, 15}));
  EXPECT_EQ(all(p_.processor), (numbers{1, 2, 3, 4, 17, 40, 41, 42, 43, 44, 45, 46, 47, 126, 127}));
  const table near = {{0, 1, 2, 3}, {1, 2, 0, 3}, {2, 0, 1, 3}, {3, 0, 1, 2}};
  EXPECT_EQ(rows(p_.near, 4), near);
  lay(3, boundary::socket);  // the first of each core: 1 of core 0, 2 of core 1, 4 of core 2
  EXPECT_EQ(all(p_.processor), (numbers{1, 2, 4}));
}

TEST_F(places_test, memories_of_a_description_are_told_apart) {
  DESCRIBE("pack:2 [numa] l3:1 core:2 pu:1");
  EXPECT_EQ(m_.nodes, 2u);
  lay(4, boundary::numa);
  EXPECT_EQ(all(p_.first), (numbers{0, 2, 4}));
  EXPECT_EQ(rows(p_.distances, 2), (table{{0, 20}, {20, 0}}));
}

TEST_F(places_test, what_a_machine_suggests) {
  const struct {
    const char* text;
    boundary by;
  } expected[] = {{two_sockets, boundary::l3},
                  {"pack:2 l3:1 core:2 pu:1", boundary::l3},
                  {"pack:2 [numa] core:2 pu:1", boundary::l3},  // each memory in a cache's place
                  {"pack:2 core:2 pu:1", boundary::socket},
                  {"pack:1 l3:1 core:8 pu:2", boundary::machine}};
  for (const auto& e : expected) {
    DESCRIBE(e.text);
    EXPECT_EQ(suggested(m_), e.by) << e.text;
  }
}

TEST_F(places_test, a_bad_description_is_refused) {
  DESCRIBE("core:1 pu:1");
  EXPECT_EQ(read_hwloc("socket:banana", nullptr, m_), hwloc_result::bad_description);
  os::cpu_set beyond;
  beyond.add(77);
  EXPECT_EQ(read_hwloc("core:1 pu:1", &beyond, m_), hwloc_result::no_processor);
}

}  // namespace
}  // namespace weft::rt::topo
