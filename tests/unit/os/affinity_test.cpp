// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of CPUs: lists of them, walking them, and the calling thread's own.
#include "os/affinity.hpp"

#include <gtest/gtest.h>
#include <string>

namespace weft::rt::os {
namespace {

std::string members(const char* list) {
  cpu_set set;
  if (!add_cpu_list(list, set)) return "refused";
  std::string out;
  for (uint32_t cpu = set.next(0); cpu < cpu_set::most; cpu = set.next(cpu + 1))
    out += std::to_string(cpu) + " ";
  return out;
}

TEST(affinity, lists_as_the_kernel_writes_them) {
  EXPECT_EQ(members("0\n"), "0 ");
  EXPECT_EQ(members("0-3,8,62-65,8191"), "0 1 2 3 8 62 63 64 65 8191 ");
  EXPECT_EQ(members(""), "");
  for (const char* bad : {"a", "3-1", "8192", "1,x", "1-", "0 1"})
    EXPECT_EQ(members(bad), "refused") << bad;
}

TEST(affinity, counts_and_compares) {
  cpu_set a;
  cpu_set b;
  a.add(70);
  EXPECT_EQ(a.count(), 1u);
  EXPECT_FALSE(a == b);
  b.add(70);
  b.add(cpu_set::most);  // beyond: nothing
  EXPECT_TRUE(a == b);
  EXPECT_FALSE(a.has(cpu_set::most));
}

TEST(affinity, a_thread_has_what_it_was_given) {
  cpu_set before;
  ASSERT_TRUE(get_affinity(before));
  cpu_set one;
  one.add(before.next(0));
  ASSERT_TRUE(set_affinity(one));
  cpu_set now;
  ASSERT_TRUE(get_affinity(now));
  EXPECT_TRUE(now == one);
  ASSERT_TRUE(set_affinity(before));
  EXPECT_FALSE(set_affinity(cpu_set{})) << "no CPU at all";
}

TEST(affinity, a_step_to_another_processor_leaves_the_mask_as_it_was) {
  cpu_set before;
  ASSERT_TRUE(get_affinity(before));
  for (uint32_t cpu = before.next(0); cpu < cpu_set::most; cpu = before.next(cpu + 1)) {
    ASSERT_TRUE(step_to(cpu, before));
    cpu_set now;
    ASSERT_TRUE(get_affinity(now));
    EXPECT_TRUE(now == before);
  }
  // Less than all that the system allows, and it is not made more.
  cpu_set one;
  one.add(before.next(0));
  ASSERT_TRUE(set_affinity(one));
  ASSERT_TRUE(step_to(before.next(0), one));
  EXPECT_EQ(current_processor(), before.next(0));
  cpu_set now;
  ASSERT_TRUE(get_affinity(now));
  EXPECT_TRUE(now == one);
  EXPECT_FALSE(step_to(cpu_set::most, one)) << "no such processor";
  ASSERT_TRUE(get_affinity(now));
  EXPECT_TRUE(now == one);
  ASSERT_TRUE(set_affinity(before));
}

TEST(affinity, a_step_leaves_a_mask_that_was_set_meanwhile) {
  cpu_set before;
  ASSERT_TRUE(get_affinity(before));
  const uint32_t second = before.next(before.next(0) + 1);
  if (second == cpu_set::most) GTEST_SKIP() << "one processor";
  cpu_set only;
  only.add(before.next(0));
  cpu_set others;
  others.add(second);
  ASSERT_TRUE(set_affinity(others));
  end_step(only, before);
  cpu_set now;
  ASSERT_TRUE(get_affinity(now));
  EXPECT_TRUE(now == others);
  end_step(others, before);
  ASSERT_TRUE(get_affinity(now));
  EXPECT_TRUE(now == before);
}

}  // namespace
}  // namespace weft::rt::os
